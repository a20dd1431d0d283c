import { expect, test } from 'vitest'
import { comment } from './comments'
import { Names } from './names'
import { TAKEN, WORDS } from './reserved'

test('names stay as they are, unless they mean something to WGSL', () => {
  const n = new Names()
  expect(
    ['row', 'größe', 'Δx', '_x', 'target', 'vec4f', 'min', 'f32', 'texture_2d', 'workgroup'].map((x) => n.declare(x)),
  ).toEqual(['row', 'größe', 'Δx', '_x', 'target_', 'vec4f_', 'min_', 'f32_', 'texture_2d_', 'workgroup_'])
})

test('two names never become one', () => {
  const n = new Names()
  const wanted = ['target', 'target_', 'target__', 'a b', 'a_b', '__x', 'x', '_', '2nd', 'row', 'row', 'row_1', '']
  const got = wanted.map((x) => n.declare(x))
  expect(new Set(got).size).toBe(wanted.length)
  for (const name of got) expect(name).toMatch(/^(?!__)(?!_$)[\p{XID_Start}_][\p{XID_Continue}]*$/u)
})

test('a name is free again after its block, but not within one that sees it', () => {
  const n = new Names()
  n.declare('i')
  n.open()
  expect(n.declare('i')).toBe('i_1')
  expect(n.declare('t')).toBe('t')
  n.close()
  n.open()
  expect(n.declare('t')).toBe('t')
  n.close()
})

test('members only avoid words', () => {
  const n = new Names([], WORDS)
  expect(['min', 'final', 'final_'].map((x) => n.declare(x))).toEqual(['min', 'final_', 'final__1'])
  for (const w of WORDS) expect(TAKEN.has(w)).toBe(true)
})

test('no text leaves its comment', () => {
  expect(comment('one\r\ntwo\u2028three\u0000 */\u0085four\n')).toEqual(['// one', '// two', '// three * /', '// four'])
  expect(comment('')).toEqual([])
  expect(comment('a\n\nb')).toEqual(['// a', '//', '// b'])
})
