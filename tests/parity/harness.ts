import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ParityCase } from './case.js'
import { closeEngines, openEngines } from './engines.js'
import { validateModules } from './modules.js'
import { type Finished, type Plan, planOf, runPlans } from './run.js'
import { faultOf } from './verdict.js'

const MINUTES = 60_000
const MOST = (process.env.WEFT_FULL === '1' ? 60 : 10) * MINUTES

/**
 * One test for each case on each executor, and one for its modules. All of them run in one batch per engine before the
 * first test asserts; what cannot run is skipped by name, with the reason.
 */
export async function paritySuite(title: string, cases: readonly ParityCase[]): Promise<void> {
  const engines = await openEngines()
  const planned = cases.map((c) => attemptPlan(c, () => planOf(c, engines)))
  const plans = planned.flatMap(({ plan }) => (plan ? [plan] : []))
  const finished = new Map<Plan, Finished>()

  describe(title, () => {
    beforeAll(async () => {
      for (const f of await runPlans(title, plans, engines)) finished.set(f.plan, f)
    }, MOST)
    afterAll(closeEngines)

    for (const { case: c, plan, error } of planned) {
      if (plan === null) it(`${c.name}: compiles`, () => Promise.reject(error))
      else describeCase(plan, () => finished.get(plan) as Finished)
    }
  })
}

function attemptPlan(c: ParityCase, plan: () => Plan): { case: ParityCase; plan: Plan | null; error: unknown } {
  try {
    return { case: c, plan: plan(), error: null }
  } catch (error) {
    return { case: c, plan: null, error }
  }
}

function describeCase(plan: Plan, finished: () => Finished): void {
  const { case: c } = plan
  it(`${c.name}: its modules are valid`, () => validateModules(plan.compiled, c))
  plan.runs.forEach((run, index) => {
    if (run.skipped !== undefined) it.skip(`${c.name}: ${run.name} (${run.skipped})`)
    else it(`${c.name}: ${run.name}`, () => expect(faultOf(finished(), index)).toBeNull())
  })
}
