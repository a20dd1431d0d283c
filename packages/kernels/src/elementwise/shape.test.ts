import { describe, expect, test } from 'vitest'
import { broadcastShape, broadcastStrides, collapse, reach, rowMajor } from './shape'

describe('shapes', () => {
  test('row-major strides', () => {
    expect(rowMajor([2, 3, 4])).toEqual([12, 4, 1])
    expect(rowMajor([])).toEqual([])
  })

  test.each([
    [
      [[3, 1], [4]],
      [3, 4],
    ],
    [
      [[2, 3], []],
      [2, 3],
    ],
    [
      [
        [0, 3],
        [1, 1],
      ],
      [0, 3],
    ],
    [[[1], [0]], [0]],
  ])('%j broadcast to %j', (shapes, expected) => {
    expect(broadcastShape('add', shapes)).toEqual(expected)
  })

  test('shapes that do not fit are named with their axis', () => {
    expect(() =>
      broadcastShape('add', [
        [2, 3],
        [2, 4],
      ]),
    ).toThrow('add: shapes [2, 3] and [2, 4] do not fit: axis 1 has 3 and 4')
    expect(() => broadcastStrides('add', { shape: [3] }, [4])).toThrow('an extent of 3 at axis 0 cannot become 4')
    expect(() => broadcastStrides('add', { shape: [3], strides: [] }, [3])).toThrow('1 extents have 0 strides')
  })

  test('a repeated axis has stride 0', () => {
    expect(broadcastStrides('add', { shape: [3, 1] }, [2, 3, 4])).toEqual([0, 1, 0])
  })

  test('what a view reaches, forwards and backwards', () => {
    expect(reach({ shape: [2, 3], offset: 5 }, [3, -1], [2, 3])).toEqual([3, 8])
    expect(reach({ shape: [0] }, [1], [0])).toBeNull()
  })
})

describe('collapse', () => {
  test('joins axes that every input walks as one', () => {
    const { shape, strides } = collapse(
      'add',
      [2, 3, 4],
      [
        [12, 4, 1],
        [0, 4, 1],
      ],
    )
    expect(shape).toEqual([1, 1, 1, 1, 2, 12])
    expect(strides).toEqual([
      [0, 0, 0, 0, 12, 1],
      [0, 0, 0, 0, 0, 1],
    ])
    expect(collapse('add', [2, 3, 4], [[12, 4, 1]]).shape).toEqual([1, 1, 1, 1, 1, 24])
  })

  test('more axes than a kernel has are refused', () => {
    const shape = [2, 2, 2, 2, 2, 2, 2]
    const zigzag = [1, 0, 1, 0, 1, 0, 1]
    expect(() => collapse('add', shape, [zigzag])).toThrow(
      'add: 7 axes that cannot be joined, more than 6; copy an input first',
    )
  })
})
