interface Options {
  readonly rounds: number
  /** 1 for works that are too long to repeat. */
  readonly repeat: number
  /** Waits for the device, outside of what is timed. */
  readonly idle: () => Promise<void>
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] as number
}

/**
 * Times each of some works in turn, again and again, so that whatever else the machine does meets all of them. In its
 * turn a work is done once for the caches, which are full of what the one before has used, and `repeat` times for the
 * clock. Gives the median of each in milliseconds, and medians of the quotients of neighbours.
 */
export async function medians<K extends string>(
  works: Readonly<Record<K, () => void | Promise<void>>>,
  { rounds, repeat, idle }: Options,
) {
  const names = Object.keys(works) as K[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>
  for (let round = repeat > 1 ? -2 : -1; round < rounds; round++) {
    for (const name of names) {
      for (let i = repeat > 1 ? -1 : 0; i < repeat; i++) {
        const work = works[name]
        const start = performance.now()
        const done = work()
        if (done instanceof Promise) await done
        const ms = performance.now() - start
        await idle()
        if (i >= 0 && round >= 0) times[name].push(ms)
      }
    }
  }
  return {
    medians: Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<K, number>,
    ratios: (pairs: readonly (readonly [K, K])[]): Record<string, number> =>
      Object.fromEntries(
        pairs.map(([a, b]) => [`${a}/${b}`, median(times[a].map((ms, round) => ms / (times[b][round] as number)))]),
      ),
  }
}
