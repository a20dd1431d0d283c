// Repeats kinds of steps many times, in turns, to see whether anything grows.

export interface Kind {
  readonly name: string
  /** How often in all; a multiple of 100. */
  readonly steps: number
  step(i: number): Promise<void>
}

/** A tenth of the whole. */
export interface Decile {
  /** Microseconds of processor time of a step, by kind, in this process with all its threads; a tenth took less. */
  readonly us: Readonly<Record<string, number>>
  /** The same as multiples of the time of a fixed piece of work, done in turns with the steps. */
  readonly relative: Readonly<Record<string, number>>
  /** Bytes of the JavaScript heap, after a collection. */
  readonly heap: number
  /** Bytes of the process. */
  readonly rss: number
  readonly counts: Readonly<Record<string, number>>
}

const ROUNDS = 100

/** Steps that are timed together: enough that the clock's steps do not matter. */
const GROUP = 50

/**
 * Runs all kinds in turns, in a hundred rounds. In turns, since a busy machine is twice as slow in one second as in the
 * next: so every kind's decile is spread over seconds, and its fastest steps met the machine at its best.
 */
export async function soak(
  kinds: readonly Kind[],
  /** Waits for what is on its way. */
  settled: () => Promise<void>,
  counts: () => Readonly<Record<string, number>>,
): Promise<Decile[]> {
  const deciles: Decile[] = []
  let times = new Map<string, number[]>()
  const time = async (name: string, steps: number, work: () => unknown): Promise<void> => {
    const us = (await processorTime(work)) / steps
    times.set(name, [...(times.get(name) ?? []), us])
  }
  // before it counts, code is compiled and caches fill
  for (let round = -ROUNDS / 10; round < ROUNDS; round++) {
    for (const { name, steps, step } of kinds) {
      const per = steps / ROUNDS
      for (let i = 0; i < per; i += GROUP) {
        const group = Math.min(GROUP, per - i)
        await time(name, group, async () => {
          for (let k = 0; k < group; k++) await step((round + ROUNDS / 10) * per + i + k)
        })
      }
    }
    await time(YARDSTICK, 1, yardstick)
    if ((round + 1) % (ROUNDS / 10) !== 0) continue
    await settled()
    await collect()
    if (round > 0) deciles.push(decileOf(times, counts()))
    times = new Map()
  }
  return deciles
}

const YARDSTICK = ''

function decileOf(times: ReadonlyMap<string, readonly number[]>, counts: Decile['counts']): Decile {
  const { heapUsed: heap, rss } = process.memoryUsage()
  const fixed = lowest(times.get(YARDSTICK) ?? [])
  const us = Object.fromEntries(
    [...times].filter(([name]) => name !== YARDSTICK).map(([name, all]) => [name, lowest(all)]),
  )
  const relative = Object.fromEntries(Object.entries(us).map(([name, t]) => [name, t / fixed]))
  return { us, relative, heap, rss, counts }
}

/**
 * Code that is compiled late, and pages of the heap that are not full. An object that each of 45,000 dispatches left
 * behind would be 1 MB with the slot that holds it; a runtime that is kept has 10 KB, ninety of them 900 KB.
 */
const HEAP_SLACK = 512 * 1024

export interface Growth {
  /** Time of a step in the last decile by that in the first, relative to the fixed work, by kind. */
  readonly time: Readonly<Record<string, number>>
  /** Bytes of heap between the end of the first decile and that of the last. */
  readonly heap: number
  /** What grows, in words. */
  readonly problems: readonly string[]
}

export function growthOf(deciles: readonly Decile[]): Growth {
  const [first, last] = [deciles[0] as Decile, deciles[deciles.length - 1] as Decile]
  const time = Object.fromEntries(
    Object.entries(last.relative).map(([name, t]) => [name, t / (first.relative[name] as number)]),
  )
  const heap = last.heap - first.heap
  const problems = Object.entries(time).flatMap(([name, ratio]) =>
    ratio > 1.2 ? [`${name} take ${ratio.toFixed(2)} × what they took at first`] : [],
  )
  if (heap > HEAP_SLACK) problems.push(`the heap grew by ${heap} bytes`)
  // what is kept for reuse grows until it has seen the worst case, so the first half may still grow
  for (const [what, after] of Object.entries(last.counts)) {
    const before = Math.max(...deciles.slice(0, 5).map(({ counts }) => counts[what] ?? 0))
    if (after > before * 1.2 + 8) problems.push(`${what} grew from ${before} to ${after}`)
  }
  return { time, heap, problems }
}

/** Collects garbage, and lets finalizers run, which may make more. */
async function collect(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return user + system
}

const WORDS = new Uint32Array(64 * 1024).fill(1)

/** Some milliseconds of arithmetic in 256 KiB, which allocates nothing, so that no collection falls into it. */
function yardstick(): number {
  let hash = 0
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < WORDS.length; i++) {
      hash = Math.imul(hash ^ (WORDS[i] as number), 0x01000193)
      WORDS[i] = hash
    }
  }
  return hash
}

/** What disturbs a measurement makes it longer, so the shorter ones are right: a tenth of them is below. */
function lowest(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 10)] as number
}
