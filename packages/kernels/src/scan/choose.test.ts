import { describe, expect, it } from 'vitest'
import { chooseScan } from './choose'

describe('how a sum is scanned', () => {
  it('goes by chunks where x does not fit a cache', () => {
    expect([0, 1, 2048].map((n) => chooseScan(n).way)).toEqual(['blocks', 'blocks', 'blocks'])
    expect([2049, 2 ** 22].map((n) => chooseScan(n).way)).toEqual(['tiles', 'tiles'])
    expect(chooseScan(2 ** 26)).toEqual({ way: 'chunks', tiles: 512 })
  })

  it('makes chunks of the same size, and none larger than it may be', () => {
    // two chunks of 257 and 256 tiles
    expect(chooseScan(2 ** 22 + 1)).toEqual({ way: 'chunks', tiles: 257 })
    expect(chooseScan(50_000, 16_384)).toEqual({ way: 'chunks', tiles: 2 })
    expect(chooseScan(50_000, 1)).toEqual({ way: 'chunks', tiles: 1 })
  })

  it('leaves what has no quad to blocks', () => expect(chooseScan(3, 16_384)).toEqual({ way: 'blocks' }))
})
