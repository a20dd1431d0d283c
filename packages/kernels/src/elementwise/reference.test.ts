import { describe, expect, test } from 'vitest'
import { elementwiseFunctions, elementwiseReference, erf, gatedGradients } from './reference'

const f = (name: string) => elementwiseFunctions[name] as (...values: number[]) => number

/** The slope of `of` at x, by central differences in float64. */
const slope = (of: (x: number) => number, x: number): number => (of(x + 1e-5) - of(x - 1e-5)) / 2e-5

const POINTS = [-4.3, -1.7, -0.4, 0.3, 1.1, 2.9]

test.each(['gelu', 'gelu_erf', 'silu', 'softplus', 'relu'])('%s_backward is the slope of %s', (name) => {
  for (const x of POINTS) expect(f(`${name}_backward`)(x, 2)).toBeCloseTo(2 * slope(f(name), x), 7)
})

test.each(['tanh', 'sigmoid'])('%s_backward is the slope of %s, by its result', (name) => {
  for (const x of POINTS) expect(f(`${name}_backward`)(f(name)(x), 2)).toBeCloseTo(2 * slope(f(name), x), 7)
})

test.each(['swiglu', 'geglu', 'reglu'])('%s_backward gives both slopes', (name) => {
  for (const x of POINTS) {
    const [dx, dy] = gatedGradients[`${name}_backward`]?.(x, 0.7, 2) ?? [0, 0]
    expect(dx).toBeCloseTo(2 * slope((v) => f(name)(v, 0.7), x), 7)
    expect(dy).toBeCloseTo(2 * slope((v) => f(name)(x, v), 0.7), 7)
  }
})

test('the error function at known points', () => {
  // Abramowitz and Stegun, table 7.1
  for (const [x, y] of [
    [0, 0],
    [0.5, 0.5204998778],
    [1, 0.8427007929],
    [2, 0.995322265],
    [3.5, 0.999999257],
  ] as const) {
    expect(erf(x)).toBeCloseTo(y, 9)
    expect(erf(-x)).toBeCloseTo(-y, 9)
  }
})

describe('elementwiseReference', () => {
  test('broadcasts, goes backwards and starts at an offset', () => {
    const rows = { data: [10, 20], shape: [2, 1] }
    const backwards = { data: [9, 1, 2, 3], shape: [3], strides: [-1], offset: 3 }
    expect([...elementwiseReference(f('add'), [rows, backwards], [2, 3])]).toEqual([13, 12, 11, 23, 22, 21])
  })

  test('passes params after the inputs', () => {
    expect([...elementwiseReference(f('affine'), [{ data: [1, 2], shape: [2] }], [2], [3, 0.5])]).toEqual([3.5, 6.5])
  })
})
