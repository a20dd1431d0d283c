import {
  type Expr,
  evaluate,
  type Op,
  PURE,
  ROUND,
  type Row,
  resolve,
  scalarOf,
  slotType,
  type ValueName,
} from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { type Application, LAWS, type Law, type Term } from './laws'
import { constOf, splatConst } from './nodes'
import { applyLaw } from './simplify'

const FLOATS = [
  0,
  -0,
  1,
  -1,
  1.5,
  -2,
  3,
  2 ** -126,
  -(2 ** -149),
  2 ** -149,
  3.4028234663852886e38,
  -3.4028234663852886e38,
  Infinity,
  -Infinity,
  Number.NaN,
]
const HALVES = [0, -0, 1, -1, 1.5, -2, 3, 2 ** -14, -(2 ** -24), 65504, -65504, Infinity, -Infinity, Number.NaN]
const VALUES: Record<string, readonly number[]> = {
  f32: FLOATS,
  f16: HALVES,
  i32: [0, 1, -1, 2, 3, 5, -7, 31, 64, 2147483647, -2147483648, 0x12345678, -0x12345678],
  u32: [0, 1, 2, 3, 5, 31, 32, 63, 64, 0x7fffffff, 0x80000000, 0xffffffff, 0x12345678],
  bool: [0, 1],
}
const TYPES: Record<Law['on'], readonly ValueName[]> = {
  int: ['i32', 'u32', 'vec2i', 'vec3u'],
  u32: ['u32', 'vec2u'],
  float: ['f32', 'f16', 'vec2f'],
  number: ['f32', 'f16', 'i32', 'u32', 'vec3f'],
  signed: ['f32', 'f16', 'i32', 'vec2i'],
  bool: ['bool'],
  any: ['f32', 'u32', 'vec2f', 'vec2<bool>'],
}
/** Constants worth trying for the letters of a law. */
const CONSTANTS: Record<string, readonly number[]> = {
  i32: [0, 1, 2, 3, 4, 7, 16, 31, -1, 2147483647, -2147483648],
  u32: [0, 1, 2, 3, 4, 7, 16, 31, 32, 33, 64, 0x80000000, 0xffffffff],
}

/** Builds the left side for constants and unknowns; unknowns are results, numbered by their letters. */
function leftSide(
  term: Application,
  type: ValueName,
  constants: ReadonlyMap<string, number>,
  unknown = new Map<string, Expr>(),
): Op | null {
  const row: Row = PURE[term[0]]
  const t = term[0] === 'not' && typeof term[1] !== 'string' && typeof term[1] === 'object' ? 'bool' : type
  const args: Expr[] = []
  for (let i = 1; i < term.length; i++) {
    const x = term[i] as Term
    const want = slotType(row.in[i - 1] as never, t)
    const scalar = scalarOf(want)
    if (typeof x === 'number') args.push(splatConst(want, x))
    else if (typeof x !== 'string') {
      const inner = leftSide(x, ['eq', 'ne'].includes(x[0]) ? 'f32' : want, constants, unknown)
      if (!inner) return null
      args.push(inner)
    } else if (constants.has(x)) {
      const n = constants.get(x) as number
      if (ROUND[scalar](n) !== n) return null
      args.push(splatConst(want, n))
    } else {
      const known: Expr = unknown.get(x + want) ?? { kind: 'result', type: want, id: unknown.size }
      unknown.set(x + want, known)
      args.push(known)
    }
  }
  const out = resolve(
    row,
    args.map((a) => a.type as ValueName),
  )
  return out === null ? null : { kind: 'op', at: 0, type: out, op: term[0], args }
}

function valueIn(e: Expr, values: ReadonlyMap<number, number>): { type: ValueName; lanes: readonly number[] } {
  if (e.kind === 'const') return e
  if (e.kind === 'result')
    return splatConst(e.type as ValueName, ROUND[scalarOf(e.type as ValueName)](values.get(e.id) as number))
  if (e.kind !== 'op') throw new Error(e.kind)
  return constOf(
    e.type,
    evaluate(
      e.op,
      e.type,
      e.args.map((a) => valueIn(a, values)),
    ),
  )
}

function unknowns(e: Expr, into = new Map<number, ValueName>()): Map<number, ValueName> {
  if (e.kind === 'result') into.set(e.id, e.type as ValueName)
  if (e.kind === 'op') for (const a of e.args) unknowns(a, into)
  return into
}

function letters(term: Term, into: Set<string>): Set<string> {
  if (typeof term === 'string' && term >= 'a' && term <= 'd') into.add(term)
  if (typeof term === 'object') for (const t of term.slice(1)) letters(t, into)
  return into
}

function* assignments(names: readonly string[], values: readonly number[]): Generator<Map<string, number>> {
  if (names.length === 0) return yield new Map()
  const [first, ...rest] = names as [string, ...string[]]
  for (const m of assignments(rest, values)) for (const v of values) yield new Map([[first, v], ...m])
}

describe('laws hold bit by bit on special values', () => {
  for (const law of LAWS) {
    test(`${law.says} (${law.on})`, () => {
      let checked = 0
      for (const type of TYPES[law.on]) {
        for (const constants of assignments([...letters(law.left, new Set())], CONSTANTS[scalarOf(type)] ?? [])) {
          const left = leftSide(law.left, type, constants)
          if (!left) continue
          const right = applyLaw(law, left)
          if (!right) continue
          expect(right.type).toBe(left.type)
          const vars = [...unknowns(left)]
          for (const values of assignments(
            vars.map(([id]) => String(id)),
            [...new Set(vars.flatMap(([, t]) => VALUES[scalarOf(t)] as readonly number[]))],
          )) {
            const given = new Map([...values].map(([id, v]) => [Number(id), v]))
            const a = valueIn(left, given)
            const b = valueIn(right, given)
            expect(
              b.lanes.map(String),
              `${law.says} for ${type} ${JSON.stringify([...given])} ${JSON.stringify([...constants])}`,
            ).toEqual(a.lanes.map(String))
            expect(
              b.lanes.every((x, i) => Object.is(x, a.lanes[i])),
              `sign of zero: ${law.says} for ${type} ${[...given.values()]}`,
            ).toBe(true)
            checked++
          }
        }
      }
      expect(checked).toBeGreaterThan(0)
    })
  }
})
