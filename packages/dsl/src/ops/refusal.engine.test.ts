import { expect, test } from 'vitest'
import { validateTint } from '../../../../tests/engines/tint'
import { isScalar, laneCount, scalarOf, type ScalarName, type ValueName } from '../types'
import { ROUND, refusal, type Value } from './evaluate'
import { PURE, type PureName } from './pure'
import type { Row } from './row'
import { slotType } from './signature'

/** Every row on constants at the edges of its types: what Chrome's compiler refuses, `refusal` must refuse. */

const EDGES: { readonly [S in ScalarName]: readonly number[] } = {
  bool: [0, 1],
  i32: [0, 1, -1, 2, 31, 32, 129, -2147483648, 2147483647],
  u32: [0, 1, 2, 16, 31, 32, 4294967295, 0x7c00, 0x7f800000],
  f32: [0, -0, 1, -1, 0.5, -0.5, 2, 88, 89, 100, 3.4028234663852886e38, -3.4028234663852886e38, 2 ** -126, 65504, 65510],
  f16: [0, -0, 1, -1, 0.5, 2, 11, 12, 16, 65504, -65504, 2 ** -14],
}

const literal = (scalar: ScalarName, x: number): string => {
  if (scalar === 'bool') return x ? 'true' : 'false'
  if (scalar === 'i32') return `i32(${x})`
  if (scalar === 'u32') return `${x}u`
  return `${Object.is(x, -0) ? '-0.0' : Number.isInteger(x) ? x.toFixed(1) : x}${scalar === 'f16' ? 'h' : 'f'}`
}

const text = ({ type, lanes }: Value): string => {
  const scalar = scalarOf(type)
  const list = lanes.map((x) => literal(scalar, x)).join(', ')
  return isScalar(type) ? list : `${type}(${list})`
}

function expression(row: Row, args: readonly string[]): string {
  if (row.form === 'call') return `${row.wgsl}(${args.join(', ')})${row.member ? `.${row.member}` : ''}`
  return row.form === 'prefix' ? `${row.wgsl}(${args[0]})` : `(${args[0]}) ${row.wgsl} (${args[1]})`
}

/** Lanes that walk through the edges, from a start that `seed` gives: enough to pair each with each. */
function value(type: ValueName, seed: number, row: Row): Value {
  // Tint truncates to f16 where we round: in rows of several steps, f16 stays away from the edge of its range.
  const edges = row.whole && scalarOf(type) === 'f16' ? EDGES.f16.map((x) => (Math.abs(x) === 65504 ? x / 4 : x)) : EDGES[scalarOf(type)]
  const lanes = Array.from({ length: laneCount(type) }, (_, i) => ROUND[scalarOf(type)](edges[(seed + (i > 0 ? i * 5 : 0)) % edges.length] ?? 0))
  return { type, lanes }
}

interface Case { readonly op: PureName; readonly source: string; readonly refused: string | null }

function casesOf(op: PureName, row: Row): Case[] {
  const types = row.over.length === 0 ? (['u32'] as const) : row.over.filter((t) => isScalar(t) || row.over.length < 20 || t === 'vec2f' || t === 'vec3u' || t === 'mat2x2f')
  const out: Case[] = []
  for (const t of types) {
    const slots = row.in.map((slot) => slotType(slot, t))
    const rounds = slots.length === 1 ? 15 : slots.length === 2 ? 15 * 15 : 300
    for (let n = 0; n < rounds; n++) {
      const args = slots.map((type, i) => value(type, i === 0 ? n : i === 1 ? Math.floor(n / 15) : Math.floor(n / 7) + i, row))
      out.push({ op, source: expression(row, args.map(text)), refused: refusal(op, slotType(row.out, t), args, slots) })
    }
  }
  return out
}

/** Shifts that lose bits have the value that they have at run time; folding puts it in their place. */
const FOLDED = new Set<string>(['shl'])

const compile = async (cases: readonly Case[]): Promise<string[]> => {
  const wgsl = ['enable f16;', ...cases.map((c, i) => `fn f${i}() { let x = ${c.source}; }`)].join('\n')
  const { messages } = await validateTint(wgsl)
  return messages.filter((m) => m.severity === 'error').map((m) => `${cases[m.line - 2]?.source}: ${m.text}`)
}

/** Tint stops at its first error, so what must fail is tried alone, and a few cases of it stand for the rest. */
const ALONE = 12

test.each(Object.keys(PURE).filter((op) => !FOLDED.has(op)) as PureName[])('%s', async (op) => {
  const cases = casesOf(op, PURE[op])
  const stricter = await compile(cases.filter((c) => c.refused === null))
  const refused = cases.filter((c) => c.refused !== null)
  const step = Math.max(1, Math.floor(refused.length / ALONE))
  const laxer: string[] = []
  for (let i = 0; i < refused.length; i += step) {
    const c = refused[i] as Case
    if ((await compile([c])).length === 0) laxer.push(`${c.source}: ${c.refused}`)
  }
  expect({ stricter, laxer }).toEqual({ stricter: [], laxer: [] })
})
