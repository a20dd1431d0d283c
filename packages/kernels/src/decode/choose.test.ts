import { expect, test } from 'vitest'
import { chooseDecodeSplits } from './choose'

test.each([
  ['no keys', 8, 0, 1],
  ['a short context is not cut', 8, 128, 1],
  ['one key more is', 8, 129, 2],
  ['a long one is cut into as many as are of use', 8, 1 << 20, 64],
  ['rows enough need no splits', 4096, 1 << 20, 1],
  ['a batch needs fewer', 128, 8192, 8],
])('%s: %i rows of %i keys', (_, rows, keys, splits) => {
  expect(chooseDecodeSplits(rows, keys)).toBe(splits)
})
