import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FINALISTS, quartiles, recalled, type Score, samplesOf, survivors, winnerOf } from './halving'

const score = (median: number, spread = 0.01): Score => ({
  ms: median,
  ratio: [median - spread, median, median + spread],
  samples: 2,
})

describe('survivors', () => {
  it('are the faster half, the fastest first', () => {
    const scores = [1.02, 0.98, 1.01, 0.99, 1, 1.005, 0.97, 0.995, 1.015, 1.002].map((median) => score(median))
    expect(survivors(scores)).toEqual([6, 1, 3, 7, 4])
  })

  it('are none that are far behind the best', () => {
    const scores = [0.5, 0.64, 0.65, 1, 1, 1, 1, 1, 1, 1].map((median) => score(median))
    expect(survivors(scores)).toEqual([0, 1])
    // the samples of the best differ so much that nobody is known to be behind it
    expect(survivors([score(0.4, 0.5), ...scores.slice(1)])).toEqual([0, 1, 2, 3, 4])
  })

  it('end in a last round, however the times are', () => {
    const times = fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { maxLength: 200 })
    fc.assert(
      fc.property(times, (medians) => {
        let scores = medians.map((median) => score(median))
        let rounds = 0
        for (let next = survivors(scores); next !== null; next = survivors(scores)) {
          expect(next.length).toBeLessThan(scores.length)
          // the best is never left out
          expect(Math.min(...next.map((i) => (scores[i] as Score).ms))).toBe(Math.min(...scores.map(({ ms }) => ms)))
          scores = next.map((i) => scores[i] as Score)
          rounds++
        }
        expect(scores.length).toBeLessThanOrEqual(FINALISTS)
        expect(rounds).toBeLessThanOrEqual(7)
      }),
    )
  })

  it('get more samples each round, and all of them in the last', () => {
    expect([0, 1, 2, 3, 9].map((round) => samplesOf(round, 10, 20))).toEqual([2, 4, 8, 16, 20])
    expect(samplesOf(0, FINALISTS, 20)).toBe(20)
  })
})

describe('recalled', () => {
  const few = (median: number): Score => score(median)
  const many = (median: number): Score => ({ ...score(median), samples: 20 })

  it('are those that looked faster in few samples than the winner does beyond its noise, the fastest first', () => {
    const out = [few(0.45), many(0.4), few(0.9), few(0.41), few(0.43), few(0.44)]
    expect(recalled(out, many(0.95), 20)).toEqual([few(0.41), few(0.43), few(0.44)])
    expect(recalled([few(0.949), few(0.93)], many(0.95), 20)).toEqual([few(0.93)])
  })

  it('are none that are no faster than the incumbent, however it seems to differ from itself', () => {
    expect(recalled([few(1.1)], many(1.4), 20)).toEqual([])
  })
})

describe('winnerOf', () => {
  const incumbent = score(1, 0.02)

  it('takes who beats the incumbent by more than the noise of both', () => {
    const faster = score(0.9)
    expect(winnerOf([faster, incumbent], incumbent)).toBe(faster)
  })

  it('leaves the incumbent where the difference may be noise', () => {
    expect(winnerOf([score(0.99, 0.02), incumbent], incumbent)).toBe(incumbent)
    expect(winnerOf([score(0.975, 0.001), incumbent], incumbent)).not.toBe(incumbent)
    expect(winnerOf([score(0.985, 0.001), incumbent], incumbent)).toBe(incumbent)
  })

  it('is the fastest where there is no incumbent, and nobody where there is none at all', () => {
    const [a, b] = [score(0.8), score(0.9)]
    expect(winnerOf([a, b], null)).toBe(a)
    expect(winnerOf([], null)).toBeNull()
  })
})

it('quartiles are samples or lie between them, in whatever order they come', () => {
  expect(quartiles([5, 1, 4, 2, 3])).toEqual([2, 3, 4])
  expect(quartiles([4, 2])).toEqual([2.5, 3, 3.5])
  expect(quartiles([7])).toEqual([7, 7, 7])
})
