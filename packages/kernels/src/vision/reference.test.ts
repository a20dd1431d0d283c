import { expect, test } from 'vitest'
import { normal } from '../testing'
import {
  conv2dReference,
  convTranspose2dReference,
  maxPool2dReference,
  upsampleBilinearReference,
  windowedSize,
} from './reference'

test('a filter of one tap scales, one of ones sums its neighbourhood', () => {
  const x = [1, 2, 3, 4, 5, 6, 7, 8, 9]
  const image = { x, items: 1, channels: 1, size: [3, 3], outs: 1 } as const
  expect([...conv2dReference({ ...image, weight: [2], filter: [1, 1] })]).toEqual(x.map((v) => 2 * v))
  const sums = conv2dReference({ ...image, weight: new Array(9).fill(1), filter: [3, 3], pad: [1, 1], bias: [0.5] })
  expect([...sums]).toEqual([12.5, 21.5, 16.5, 27.5, 45.5, 33.5, 24.5, 39.5, 28.5])
})

test.each([
  { groups: 1, stride: [1, 1], pad: [0, 0], dilation: [1, 1] },
  { groups: 2, stride: [2, 1], pad: [1, 2], dilation: [1, 2] },
] as const)('conv_transpose2d is the adjoint of conv2d: %j', (options) => {
  const shape = { items: 2, channels: 4, size: [7, 6], filter: [3, 2] } as const
  const outs = 6
  const [rows, columns] = windowedSize(shape.size, { ...shape, ...options })
  const x = Float64Array.from(normal(1, 2 * 4 * 42))
  const y = Float64Array.from(normal(2, 2 * outs * rows * columns))
  const weight = Float64Array.from(normal(3, (outs * 4 * 6) / options.groups))
  const forward = conv2dReference({ ...shape, ...options, outs, x, weight })
  const outPad = [
    shape.size[0] - ((rows - 1) * options.stride[0] - 2 * options.pad[0] + options.dilation[0] * 2 + 1),
    shape.size[1] - ((columns - 1) * options.stride[1] - 2 * options.pad[1] + options.dilation[1] + 1),
  ] as const
  const back = convTranspose2dReference({
    ...options,
    items: 2,
    channels: outs,
    size: [rows, columns],
    outs: 4,
    filter: shape.filter,
    x: y,
    weight,
    outPad,
  })
  const dot = (a: Float64Array, b: Float64Array): number => a.reduce((sum, v, i) => sum + v * b[i]!, 0)
  expect(back).toHaveLength(x.length)
  expect(dot(back, x)).toBeCloseTo(dot(forward, y), 9)
})

test('the greatest of a window, the first of equals', () => {
  const { y, index } = maxPool2dReference({ x: [1, 5, 5, 2], planes: 1, size: [2, 2], filter: [2, 2] })
  expect([y, index]).toEqual([[5], [1]])
})

test('bilinear upsampling keeps corners where they are aligned', () => {
  const args = { x: [0, 1, 2, 3], planes: 1, size: [2, 2], out: [3, 3] } as const
  expect([...upsampleBilinearReference({ ...args, corners: true })]).toEqual([0, 0.5, 1, 1, 1.5, 2, 2, 2.5, 3])
})
