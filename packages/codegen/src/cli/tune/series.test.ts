import { describe, expect, it } from 'vitest'
import { type Contestant, round } from './series'

/** A kernel that takes so long, times what the device is slowed down by at that moment. */
function taking(ms: number, log: string[] = [], slow: () => number = () => 1): Contestant {
  const sample = async (): Promise<number> => {
    log.push(`${ms}`)
    return ms * slow()
  }
  return { sample, heat: async () => void log.push('heat') } as unknown as Contestant
}

describe('round', () => {
  const never = (): boolean => false

  it('takes each beside the incumbent, there and back, after work that heats the device', async () => {
    const log: string[] = []
    const [incumbent, a, b] = [taking(10, log), taking(5, log), taking(20, log)]
    const scores = await round([a, b], incumbent, { samples: 2, heatMs: 1, over: never })
    expect(log).toEqual(['heat', '5', '10', '20', '10', '10', '20', '10', '5'])
    expect(scores).toEqual([
      { ms: 5, ratio: [0.5, 0.5, 0.5], samples: 2 },
      { ms: 20, ratio: [2, 2, 2], samples: 2 },
    ])
  })

  it('finds the same ratios on a device that slows down', async () => {
    let time = 0
    const slow = (): number => 1 + 1e-4 * time++
    const [incumbent, a] = [taking(10, [], slow), taking(5, [], slow)]
    const [score] = await round([a], incumbent, { samples: 100, heatMs: 0, over: never })
    expect(score?.ms).toBeGreaterThan(5.02)
    expect(score?.ratio[1]).toBeCloseTo(0.5, 3)
  })

  it('knows nothing of those whose turn had not come when the time was up, and has whole turns of the others', async () => {
    let calls = 0
    const up = (after: number) => () => calls++ >= after
    const all = [taking(1), taking(2), taking(3)]
    const options = { samples: 4, heatMs: 0 }
    // asked before each row of turns, and in it before each kernel
    expect(await round(all, taking(1), { ...options, over: up(3) })).toEqual([
      { ms: 1, ratio: [1, 1, 1], samples: 1 },
      { ms: 2, ratio: [2, 2, 2], samples: 1 },
      null,
    ])
    calls = 0
    const later = await round(all, taking(1), { ...options, over: up(8) })
    expect(later.map((score) => score?.samples)).toEqual([2, 2, 2])
    calls = 0
    const log: string[] = []
    const within = await round([taking(1, log), taking(2, log)], taking(9), { ...options, over: up(5) })
    // the second row ended after the turn of one, whose sample more is left out
    expect(log).toEqual(['1', '2', '2'])
    expect(within.map((score) => score?.samples)).toEqual([1, 1])
    calls = 0
    expect(await round(all, taking(1), { ...options, over: up(0) })).toEqual([null, null, null])
  })
})
