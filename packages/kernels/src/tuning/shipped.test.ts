import { describe, expect, it } from 'vitest'
import { isLike, tuningFor } from './shipped'
import type { TunedResults } from './tuning'

const device = (vendor: string, architecture: string, name: string) => ({ vendor, architecture, device: name })

describe('isLike', () => {
  it.each([
    [device('acme', 'one', 'x1'), device('acme', 'one', 'x2'), true],
    [device('acme', 'one', ''), device('acme', 'one', 'x2'), true],
    [device('acme', 'one', 'x1'), device('acme', 'two', 'x1'), false],
    [device('acme', 'one', 'x1'), device('other', 'one', 'x1'), false],
    [device('acme', '', 'x1'), device('acme', '', 'x1'), true],
    [device('acme', '', 'x1'), device('acme', '', 'x2'), false],
    [device('acme', '', 'x1'), device('acme', 'one', 'x1'), false],
    [device('acme', '', ''), device('acme', '', ''), false],
    [device('', '', ''), device('', '', ''), false],
  ])('%j, %j: %s', (measured, here, like) => {
    expect(isLike(measured, here)).toBe(like)
  })
})

it('tuningFor takes the results of devices that are like this one', () => {
  const results = (vendor: string, kernel: string): TunedResults => ({
    device: device(vendor, 'one', ''),
    results: [{ family: 'f', type: 'f32', shape: { n: 1 }, winner: { kernel }, candidates: [] }],
  })
  const shipped = [results('acme', 'a'), results('other', 'b')]
  const find = (vendor: string) => tuningFor(device(vendor, 'one', ''), shipped).find('f', 'f32', { n: 1 }, ['a', 'b'])
  expect([find('acme'), find('other'), find('third')]).toEqual(['a', 'b', undefined])
  // on the same device the same object, so that a call costs a look-up
  const here = device('third', '', '')
  expect(tuningFor(here)).toBe(tuningFor(here))
})

it('tuningFor finds what ships for an H200, where the rule takes another kernel', () => {
  const shape = { m: 3072, n: 3072, k: 3072 }
  const among = ['matmul_block_128', 'matmul_block_64', 'matmul_block_32']
  const find = (name: string) => tuningFor(device('nvidia', '', name)).find('matmul', 'f32', shape, among)
  expect([find('nvidia-h200'), find('nvidia-other')]).toEqual(['matmul_block_64', undefined])
})
