import { describe, expect, it } from 'vitest'
import { powerOfTwo, sizeClass } from './size-class'

const KiB = 1024
const MiB = 1024 * KiB
const sizes = [
  ...Array.from({ length: 5000 }, (_, i) => i),
  ...Array.from({ length: 31 }, (_, i) =>
    [2 ** i - 1, 2 ** i, 2 ** i + 1, 1.5 * 2 ** i, 1.3 * 2 ** i].map(Math.floor),
  ).flat(),
]

describe('size classes', () => {
  it('hold what was asked, in whole steps of 256 bytes, and are classes of their own', () => {
    for (const size of sizes) {
      const rounded = sizeClass(size)
      expect(rounded, `${size}`).toBeGreaterThanOrEqual(Math.max(size, 256))
      expect(rounded % 256, `${size}`).toBe(0)
      expect(sizeClass(rounded), `${size}`).toBe(rounded)
    }
  })

  it('grow with the size', () => {
    const classes = [...sizes].sort((a, b) => a - b).map(sizeClass)
    expect(classes).toEqual([...classes].sort((a, b) => a - b))
  })

  it('waste less than a quarter above 1 KiB, and next to nothing of large buffers', () => {
    for (const size of sizes) {
      const waste = sizeClass(size) - Math.max(size, 1)
      expect(waste, `${size}`).toBeLessThan(size < 1 * KiB ? 256 : Math.min(size / 4, 64 * KiB))
      if (size >= 4 * MiB) expect(waste / size, `${size}`).toBeLessThan(1 / 64)
    }
  })

  it('are four for each doubling', () => {
    const between = (from: number, to: number) => new Set(sizes.filter((n) => n > from && n <= to).map(sizeClass)).size
    expect(between(1 * KiB, 2 * KiB)).toBe(4)
    expect(between(2 * KiB, 4 * KiB)).toBe(4)
    expect([1025, 1281, 1537, 1793].map(sizeClass)).toEqual([1280, 1536, 1792, 2048])
  })
})

it('staging comes in powers of two', () => {
  expect([0, 1, 256, 257, 1000, 1024, 1025, 2 ** 30 + 1].map(powerOfTwo)).toEqual([
    256,
    256,
    256,
    512,
    1024,
    1024,
    2048,
    2 ** 31,
  ])
})
