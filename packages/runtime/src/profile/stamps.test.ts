import { describe, expect, it } from 'vitest'
import { between, exclusive, Resolution, readingOf } from './stamps'

describe('[case-R31] stamps', () => {
  it('drops a negative time, and reports one of zero', () => {
    expect(readingOf({ begin: 5n, end: 3n })).toEqual({ dropped: 'negative' })
    expect(readingOf({ begin: 0n, end: 0n })).toEqual({ ns: 0 })
    expect(readingOf({ begin: 7n, end: 7n })).toEqual({ ns: 0 })
    expect(readingOf({ begin: 3n, end: 5n })).toEqual({ ns: 2 })
  })

  it('drops a pair of which the begin was never written', () => {
    expect(readingOf({ begin: 0n, end: 123456789n })).toEqual({ dropped: 'unwritten' })
    expect(readingOf({ begin: 123456789n, end: 0n })).toEqual({ dropped: 'negative' })
  })

  it('is right where the counter crosses 2⁶³, wraps at 2⁶⁴, and beyond 2⁵³', () => {
    expect(readingOf({ begin: 2n ** 63n - 1n, end: 2n ** 63n + 1n })).toEqual({ ns: 2 })
    expect(readingOf({ begin: 2n ** 63n + 1n, end: 2n ** 63n - 1n })).toEqual({ dropped: 'negative' })
    expect(readingOf({ begin: 2n ** 64n - 1n, end: 4n })).toEqual({ ns: 5 })
    expect(readingOf({ begin: 2n ** 53n, end: 2n ** 53n + 1n })).toEqual({ ns: 1 })
    expect(between(4n, 2n ** 64n - 1n)).toBe(-5n)
  })
})

describe('[prior-R41] begins that are pinned to the start of a submit', () => {
  const span = (begin: number, end: number) => ({ begin: BigInt(begin), end: BigInt(end) })

  it('take the end before them in their place', () => {
    const { spans, moved } = exclusive([span(10, 20), span(10, 50), span(10, 55), span(60, 70)])
    expect(spans).toEqual([span(10, 20), span(20, 50), span(50, 55), span(60, 70)])
    expect(moved).toBe(2)
  })

  it('leave quantized and orderly spans, spans within others, and wrong ones as they are', () => {
    const spans = [
      span(64, 64),
      span(64, 64),
      span(64, 128),
      span(128, 512),
      span(192, 256),
      span(520, 512),
      span(512, 576),
    ]
    expect(exclusive(spans)).toEqual({ spans, moved: 0 })
  })

  it('are compared across a wrap', () => {
    const end = 2n ** 64n - 1n
    const { spans } = exclusive([
      { begin: end - 9n, end },
      { begin: end - 9n, end: 5n },
    ])
    expect(spans[1]).toEqual({ begin: end, end: 5n })
  })
})

describe('the resolution', () => {
  const learned = (stamps: readonly bigint[]) => {
    const resolution = new Resolution()
    for (const stamp of stamps) resolution.add(stamp)
    return resolution.ns
  }
  const steps = (n: number, step: bigint, from = 3n) =>
    Array.from({ length: n }, (_, i) => (from + BigInt(i * i)) * step)

  it('is the step of the stamps', () => {
    expect(learned(steps(20, 65536n))).toBe(65536)
    expect(learned(steps(20, 65536n, 2n ** 46n))).toBe(65536)
    expect(learned(steps(20, 1n))).toBe(1)
  })

  it('is unknown while there are few different stamps, unwritten ones apart', () => {
    expect(learned(steps(15, 65536n))).toBe(null)
    expect(learned([...steps(15, 65536n), 0n, 0n])).toBe(null)
    expect(learned(Array.from({ length: 100 }, () => 65536n))).toBe(null)
  })
})
