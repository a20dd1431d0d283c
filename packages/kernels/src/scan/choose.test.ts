import { expect, it } from 'vitest'
import { chooseScan } from './choose'

it('scans by blocks where there are few of them, and in one pass else', () => {
  expect([0, 1, 2048].map(chooseScan)).toEqual(['blocks', 'blocks', 'blocks'])
  expect([2049, 2 ** 30].map(chooseScan)).toEqual(['once', 'once'])
})
