import { d, f32, func, i32, ptr } from '@weft/dsl'
import { expect, test } from 'vitest'
import { compile } from '../compile'
import { dce } from './dce'
import { bodyOf, built, source, text } from './testing/body'
import { cse, flatten } from './testing/passes'

test('arrays of arrays in workgroup memory become arrays, whose indices are sums of what they have in common', () => {
  const kernel = built(({ out }, k) => {
    const part = k.workgroup('part', f32, 8, 4, 65)
    const row = k.localIndex
    k.range('j', 8, (j) => {
      part.at(j, 1, row).set(0)
      part.at(j, 1, row.add(1)).set(1)
    })
    out.at(row).set(part.at(7, 3, 64))
  })
  const flat = cse(flatten(kernel))
  expect(flat.variables.map((v) => v.type)).toEqual([{ kind: 'array', of: 'f32', count: 2080 }])
  expect(bodyOf(dce(flat))).toBe(text`
    range %1 j = 0:u32, 8:u32, 1:u32 {
      $1 = local_invocation_index + (%1 * 260:u32)
      store part[$1 + 65:u32] = 0:f32
      store part[$1 + 66:u32] = 1:f32
    }
    %2 = load part[2079:u32]
    store out[local_invocation_index] = %2
  `)
})

test('an index of i32 counts elements as one of u32 does', () => {
  const kernel = built(({ n }, k) => {
    const tile = k.workgroup('tile', f32, 4, 16)
    tile.at(i32(n), k.localIndex).set(1)
  })
  expect(bodyOf(dce(flatten(kernel)))).toBe('store tile[(u32(i32(n)) * 16:u32) + local_invocation_index] = 1:f32')
})

test('not where a row is taken as a whole', () => {
  const whole = built(({ out }, k) => {
    const tile = k.workgroup('tile', f32, 4, 16)
    out.at(0).set(k.let('row', tile.at(1)).at(2))
  })
  expect(flatten(whole).variables).toEqual(whole.variables)

  const first = func('first(row)', [ptr('workgroup', d.arrayOf(d.f32, 16))], (row) => row.at(0))
  const passed = built(({ out }, k) => {
    const tile = k.workgroup('tile', f32, 4, 16)
    out.at(0).set(k.call(first, tile.at(1)))
  })
  expect(flatten(passed).variables).toEqual(passed.variables)
})

test('an index beyond its own dimension is refused, although the array has such an element', () => {
  const kernel = source((_, k) => {
    const tile = k.workgroup('tile', f32, 4, 16)
    k.range('j', 15, 17, (j) => tile.at(0, j).set(1), { unroll: true })
  })
  expect(() => compile(kernel)).toThrow(/after the pass 'unroll': index 64 is out of range of array<f32, 64>/)
})
