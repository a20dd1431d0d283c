// One contest: opens its entries (compiling all of them side by side), checks each, then times them in turn.

import type { Contest, Entry, Opened, Work } from './contest'
import type { Lab } from './lab'
import { type Peer, withPeers } from './peers/peer'

export interface Row {
  readonly suite: string
  readonly contest: string
  readonly dtype?: string
  readonly entry: string
  /** milliseconds on the GPU: the median, and the quantiles that show how flat the series is */
  readonly ms?: number
  readonly p10?: number
  readonly p90?: number
  /** the largest error in parts of its bound */
  readonly error?: number
  readonly compileMs?: number
  readonly samples?: number
  readonly work: Work
  /** Of another library. */
  readonly peer?: true
  /** Why there is no figure. */
  readonly failed?: string
}

export interface MeasureOptions {
  readonly samples: number
  /** milliseconds of GPU work before a contest is timed */
  readonly warmMs: number
  /** milliseconds that one sample should take at least: short runs are repeated within it */
  readonly sampleMs: number
  /** milliseconds after which an entry that has not answered is out */
  readonly waitMs: number
}

export async function measure(
  lab: Lab,
  suite: string,
  own: Contest,
  peers: readonly Peer[],
  options: MeasureOptions,
): Promise<Row[]> {
  const contest = withPeers(own, peers)
  const missing = contest.features?.find((feature) => !lab.device.features.has(feature))
  const row = (entry: Entry): Row => ({
    suite,
    contest: contest.name,
    ...(contest.dtype === undefined ? {} : { dtype: contest.dtype }),
    entry: entry.name,
    work: contest.work,
    ...(own.entries.includes(entry) ? {} : { peer: true }),
  })
  if (missing) return contest.entries.map((entry) => ({ ...row(entry), failed: `the device lacks ${missing}` }))
  const all = await Promise.all(contest.entries.map((entry) => open(lab, contest, entry, options.waitMs)))
  const right = all.filter((one): one is Right => 'opened' in one)
  try {
    const times = await series(lab, right, options)
    return all.map((one, i) => {
      const failed = 'opened' in one ? one.failed : one
      return {
        ...row(contest.entries[i] as Entry),
        ...(failed ?? figures(one as Right, times.get(one as Right) ?? [])),
      }
    })
  } finally {
    for (const one of right) await closed(one.opened, options.waitMs)
  }
}

function figures({ opened: { compileMs }, error }: Right, times: readonly number[]): Partial<Row> {
  const sorted = [...times].sort((x, y) => x - y)
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] as number
  const compiled = compileMs === undefined ? {} : { compileMs }
  return { ms: at(0.5), p10: at(0.1), p90: at(0.9), error, ...compiled, samples: sorted.length }
}

interface Right {
  readonly opened: Opened
  readonly error: number
  /** Set when it fails while it is timed. */
  failed?: Wrong
}
interface Wrong {
  readonly failed: string
  readonly error?: number
}

async function open(lab: Lab, contest: Contest, entry: Entry, waitMs: number): Promise<Right | Wrong> {
  let opened: Opened | undefined
  const checked = async (): Promise<number> => {
    opened = await entry.open(lab, contest)
    await opened.run(0)
    return contest.check(opened.read)
  }
  let failed: Wrong
  try {
    const error = await within(waitMs, checked())
    if (opened && error <= 1) return { opened, error }
    failed = { failed: `wrong: ${error.toPrecision(3)} of its bound`, error }
  } catch (error) {
    failed = { failed: sentence(error) }
  }
  await closed(opened, waitMs)
  return failed
}

/** Of an entry that does not answer, closing may not end either. */
const closed = (opened: Opened | undefined, waitMs: number): Promise<unknown> =>
  within(waitMs, Promise.resolve(opened?.close())).catch(() => undefined)

/** What comes of something that may hang, as one peer does within a contest: it is out then, and the others go on. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} s`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

const sentence = (error: unknown): string =>
  error instanceof Error ? (error.message.split('\n')[0] as string) : String(error)

/** An entry that has taken so long in all is not sampled further. */
const MOST_MS = 2000
const LEAST_SAMPLES = 3

/** Milliseconds of single runs, `samples` of each entry: one after the other, in an order that turns around. */
async function series(lab: Lab, entries: readonly Right[], { samples, warmMs, sampleMs, waitMs }: MeasureOptions) {
  const times = new Map(entries.map((one) => [one, [] as number[]]))
  const repeats = new Map<Right, number>()
  const turn = new Map<Right, number>()
  const run = async (one: Right): Promise<void> => {
    const next = turn.get(one) ?? 0
    turn.set(one, (next + 1) % one.opened.turns)
    await one.opened.run(next)
  }
  const sample = async (one: Right): Promise<number> => {
    const count = repeats.get(one) ?? 1
    const { clock } = one.opened
    // a run after others' is slower than one after one's own, by up to a tenth; clocks of their own leave the first out, too
    if (!clock) await run(one)
    const ms = await (clock ?? lab.clock).time(async () => {
      for (let i = 0; i < count; i++) await run(one)
    })
    return ms / count
  }
  /** What fails is out, and the others go on. */
  const trying = async (one: Right, work: () => Promise<unknown>): Promise<void> => {
    if (one.failed) return
    try {
      await within(waitMs, work())
    } catch (error) {
      one.failed = { failed: sentence(error) }
    }
  }
  await lab.warm(warmMs)
  for (const one of entries) {
    await trying(one, async () => {
      await sample(one)
      repeats.set(one, Math.min(200, Math.max(1, Math.ceil(sampleMs / (await sample(one))))))
    })
  }
  await lab.warm(warmMs)
  for (let round = 0; round < samples; round++) {
    for (const one of round % 2 ? [...entries].reverse() : entries)
      await trying(one, async () => {
        const known = times.get(one) ?? []
        const spent = known.reduce((sum, ms) => sum + ms * (repeats.get(one) ?? 1), 0)
        if (known.length < LEAST_SAMPLES || spent < MOST_MS) known.push(await sample(one))
      })
  }
  return times
}
