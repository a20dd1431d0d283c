import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeEngines, openEngines } from '../parity/engines.js'
import { validateModules } from '../parity/modules.js'
import { type Plan, planOf } from '../parity/run.js'
import { DEVIATIONS, type Deviation } from './deviations.js'
import { describeFault, type Expected, type Judged, judgePlans } from './judge.js'
import { caseOf } from './probe.js'

const MINUTES = 60_000
const EXECUTORS = ['interpreter', 'dawn', 'wgpu'] as const

/** One test for each probe on each executor; then for each deviation, that it still occurs. */
export async function probeSuite(title: string, all: readonly Expected[]): Promise<void> {
  const engines = await openEngines()
  const plans = all.map((e) => planOf(caseOf(e.probe, e.when, e.tintOnly), engines))
  let judged: readonly Judged[] = []
  const seen = new Set<Deviation>()

  describe(title, () => {
    beforeAll(async () => {
      judged = await judgePlans(all, plans, engines)
    }, 10 * MINUTES)
    afterAll(async () => {
      await closeEngines()
      console.log(summary(title, all.length, judged))
    })

    all.forEach((expected, n) => {
      for (const executor of EXECUTORS) {
        const name = `${expected.probe.name}: ${executor}`
        const reason = skipped(plans[n] as Plan, executor)
        if (reason !== null) it.skip(`${name} (${reason})`)
        else
          it(name, () =>
            expect(
              unexplained(
                judged.filter((j) => j.expected === expected && j.executor === executor),
                seen,
              ),
            ).toEqual([]),
          )
      }
    })

    it(
      'all modules are valid',
      async () => {
        for (const plan of plans) await validateModules(plan.compiled, plan.case)
      },
      10 * MINUTES,
    )

    const mine = DEVIATIONS.filter((d) => all.some((e) => concerns(d, e)) && typeof engines[d.engine] !== 'string')
    for (const d of mine) it(`the deviation ${d.id} still occurs`, () => expect(seen.has(d), d.because).toBe(true))
  })
}

/** Why no run of the executor takes place. */
function skipped({ runs }: Plan, executor: string): string | null {
  const mine = runs.filter((run) => run.executor === executor)
  return mine.every((run) => run.skipped !== undefined) ? (mine[0]?.skipped ?? 'nothing to run') : null
}

const concerns = (d: Deviation, e: Expected): boolean => d.when === e.when && d.probes.test(e.probe.name)

/** What is wrong with these runs that no deviation explains; notes the deviations that did. */
function unexplained(runs: readonly Judged[], seen: Set<Deviation>): readonly string[] {
  return runs.flatMap(({ expected, executor, error, faults }) => {
    const known = DEVIATIONS.filter((d) => d.engine === executor && concerns(d, expected))
    const excused = (test: (d: Deviation) => boolean): boolean => {
      const found = known.find(test)
      if (found) seen.add(found)
      return found !== undefined
    }
    if (error !== undefined) return excused((d) => d.error?.test(error) ?? false) ? [] : [error]
    const rest = faults.filter((f) => !excused((d) => d.lane?.(f, expected.probe) ?? false))
    const lines = rest.slice(0, 8).map((f) => describeFault(expected.probe, f))
    return rest.length > 8 ? [...lines, `… and ${rest.length - 8} more`] : lines
  })
}

function summary(title: string, probes: number, judged: readonly Judged[]): string {
  const parts = EXECUTORS.map((executor) => {
    const mine = judged.filter((j) => j.executor === executor && j.skipped === undefined)
    const sum = (of: (j: Judged) => number): string => mine.reduce((s, j) => s + of(j), 0).toLocaleString('en-US')
    return `${executor} ${mine.length} runs, ${sum((j) => j.compared)} lanes compared, ${sum((j) => j.open)} left open by the specification`
  })
  return `${title}: ${probes} combinations; ${parts.join('; ')}`
}
