import {
  bitcast,
  canBitcast,
  convert,
  type Expr,
  evaluate,
  laneCount,
  type Op,
  PURE,
  type PureName,
  productType,
  type Row,
  resolve,
  type ScalarName,
  scalarOf,
  slotType,
  VALUE_NAMES,
  type ValueName,
  withScalar,
} from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { evaluateMany, word } from './testing/expression'

/** Every row on every type that it takes gives what the row's own evaluation gives, bit for bit. */

const FLOATS = [
  0, -0, 1, -1, 0.5, -2.5, 1.5, 2.5, 3.7, -3.7, 100, -100, 1e-3, 0.1, 65504, -65504, 7, 2049, 6e-8, 6.1e-5,
]
const SAMPLES: { readonly [S in ScalarName]: readonly number[] } = {
  bool: [0, 1],
  f16: [...FLOATS, Infinity, -Infinity, Number.NaN].map(
    (x) => convert('f16', { type: 'f32', lanes: [x] })[0] as number,
  ),
  f32: [
    ...FLOATS,
    1e-40,
    1e-45,
    3e38,
    -3e38,
    1e10,
    2147483648,
    4294967296,
    -2147483648,
    16777217,
    Infinity,
    -Infinity,
    Number.NaN,
  ].map(Math.fround),
  i32: [0, 1, -1, 2, -2, 7, -7, 31, 32, 33, 255, -128, 65535, 123456789, 2147483647, -2147483648],
  u32: [0, 1, 2, 7, 31, 32, 33, 255, 65535, 123456789, 2147483647, 2147483648, 4294967295],
}

const CASES = 40

/** A few arguments, the same for every run. */
function samples(types: readonly ValueName[]): number[][][] {
  let state = 12345
  const next = (n: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 8) % n
  }
  return Array.from({ length: CASES }, () =>
    types.map((t) => {
      const list = SAMPLES[scalarOf(t)]
      return Array.from({ length: laneCount(t) }, () => list[next(list.length)] as number)
    }),
  )
}

function compare(
  types: readonly ValueName[],
  type: ValueName,
  build: (args: readonly Expr[]) => Expr,
  expected: (args: { type: ValueName; lanes: number[] }[]) => number[],
): void {
  const cases = samples(types)
  const got = evaluateMany(types, build, cases)
  const wanted = cases.map((c) =>
    expected(c.map((lanes, i) => ({ type: types[i] as ValueName, lanes }))).map((x) => word(type, x)),
  )
  const wrong = cases.flatMap((c, i) =>
    String(got[i]) === String(wanted[i]) ? [] : [{ args: c, got: got[i], wanted: wanted[i] }],
  )
  expect(wrong).toEqual([])
}

const rows = Object.entries(PURE) as [PureName, Row][]

describe.each(rows)('%s', (name, row) => {
  const over: readonly ValueName[] = row.over.length > 0 ? row.over : ['u32']
  test.each(over)('on %s', (t) => {
    const types = row.in.map((slot) => slotType(slot, t))
    const type = resolve(row, types) as ValueName
    const op = (args: readonly Expr[]): Op => ({ kind: 'op', at: 0, type, op: name, args })
    compare(types, type, op, (args) => evaluate(name, type, args))
  })
})

const matrices = VALUE_NAMES.filter((t) => t.startsWith('mat'))
test.each(matrices)('products of %s', (m) => {
  for (const other of VALUE_NAMES) {
    for (const types of [
      [m, other],
      [other, m],
    ] as const) {
      const type = productType(...types)
      if (type)
        compare(
          types,
          type,
          (args) => ({ kind: 'op', at: 0, type, op: 'product', args }),
          (args) => evaluate('product', type, args),
        )
    }
  }
})

const scalars = ['bool', 'f16', 'f32', 'i32', 'u32'] as const
test.each(scalars.flatMap((a) => scalars.map((b) => [a, b] as const)))('conversion of %s to %s', (from, to) => {
  const a = withScalar('vec3f', from)
  const b = withScalar('vec3f', to)
  compare(
    [a],
    b,
    ([arg]) => ({ kind: 'convert', at: 0, type: b, arg: arg as Expr }),
    ([arg]) => convert(b, arg as { type: ValueName; lanes: number[] }),
  )
})

const casts = VALUE_NAMES.flatMap((a) =>
  VALUE_NAMES.filter((b) => a !== b && canBitcast(b, a)).map((b) => [a, b] as const),
)
test.each(casts)('bitcast of %s to %s', (from, to) => {
  compare(
    [from],
    to,
    ([arg]) => ({ kind: 'bitcast', at: 0, type: to, arg: arg as Expr }),
    ([arg]) => bitcast(to, arg as { type: ValueName; lanes: number[] }),
  )
})

test.each(['vec4f', 'vec3i', 'vec2h', 'vec4<bool>'] as const)(
  'a lane of %s by an index, the last one beyond',
  (type) => {
    const scalar = scalarOf(type)
    const build = ([v, i]: readonly Expr[]): Expr => ({
      kind: 'index',
      at: 0,
      type: scalar,
      of: v as Expr,
      index: i as Expr,
    })
    compare([type, 'i32'], scalar, build, ([v, i]) => {
      const lanes = v?.lanes ?? []
      return [lanes[Math.min((i?.lanes[0] ?? 0) >>> 0, lanes.length - 1)] as number]
    })
  },
)
