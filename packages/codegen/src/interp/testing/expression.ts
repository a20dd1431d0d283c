import {
  type Expr,
  f16Bits,
  f32Bits,
  type Kernel,
  laneCount,
  type Stmt,
  scalarOf,
  type Type,
  type ValueName,
  withScalar,
} from '@weft/dsl/ir'
import { interpret } from '../index'

/**
 * Evaluates one expression on many arguments: a kernel that takes the lanes of its arguments from memory as words
 * and stores those of the result as words. f32 travels by its bits, so that −0 and NaN survive.
 */
export function evaluateMany(
  types: readonly ValueName[],
  build: (args: readonly Expr[]) => Expr,
  cases: readonly (readonly (readonly number[])[])[],
): number[][] {
  const counts = types.map(laneCount)
  const width = counts.reduce((a, b) => a + b, 0)
  const body: Stmt[] = []
  let id = 1
  let lane = 0
  const index: Expr = {
    kind: 'swizzle',
    at: 0,
    type: 'u32',
    of: { kind: 'builtin', type: 'vec3u', name: 'global_invocation_id' },
    lanes: [0],
  }
  const args = types.map((type, a) => {
    const parts = Array.from({ length: counts[a] as number }, () => {
      const at = plus(times(index, width), lane++)
      const result = { kind: 'result', type: 'u32', id: id++ } as const
      body.push({ kind: 'load', at: 0, place: element('x', at), result })
      return fromWord(type, result)
    })
    return parts.length === 1 ? (parts[0] as Expr) : ({ kind: 'construct', at: 0, type, args: parts } as const)
  })
  const value = build(args)
  const type = value.type as ValueName
  for (let i = 0; i < laneCount(type); i++) {
    body.push({
      kind: 'store',
      at: 0,
      place: element('y', plus(times(index, laneCount(type)), i)),
      value: toWord(laneOf(value, type, i)),
    })
  }
  const x = Uint32Array.from(
    cases.flatMap((c) => c.flatMap((lanes, a) => lanes.map((v) => word(types[a] as ValueName, v)))),
  )
  const y = new Uint32Array(cases.length * laneCount(type))
  interpret(kernelOf(body), {
    bindings: { x: new Uint8Array(x.buffer), y: new Uint8Array(y.buffer) },
    workgroups: [cases.length],
  })
  const words = scalarOf(type) === 'f32' ? y.map(canonical) : y
  return cases.map((_, i) => [...words.subarray(i * laneCount(type), (i + 1) * laneCount(type))])
}

/** The word by which a lane travels: f16 as its bits, bool as 0 or 1. */
export function word(type: ValueName, x: number): number {
  switch (scalarOf(type)) {
    case 'f32':
      return Number.isNaN(x) ? 0x7fc00000 : f32Bits(x)
    case 'f16':
      return f16Bits(x)
    default:
      return x >>> 0
  }
}

/** All NaNs are one: their bits are nobody's promise. */
const canonical = (bits: number): number => ((bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits)

const array: Type = { kind: 'array', of: 'u32', count: null }
const num = (x: number): Expr => ({ kind: 'const', type: 'u32', lanes: [x] })
const op = (name: 'add' | 'mul' | 'ne', type: ValueName, a: Expr, b: Expr): Expr => ({
  kind: 'op',
  at: 0,
  type,
  op: name,
  args: [a, b],
})
const plus = (a: Expr, b: number): Expr => op('add', 'u32', a, num(b))
const times = (a: Expr, b: number): Expr => op('mul', 'u32', a, num(b))
const element = (name: string, index: Expr) =>
  ({
    kind: 'place',
    type: 'u32',
    root: { kind: 'binding', name },
    steps: [{ kind: 'index', index, type: 'u32' }],
  }) as const

function fromWord(type: ValueName, e: Expr): Expr {
  const scalar = scalarOf(type)
  switch (scalar) {
    case 'u32':
      return e
    case 'bool':
      return op('ne', 'bool', e, num(0))
    case 'f16':
      return { kind: 'swizzle', at: 0, type: 'f16', lanes: [0], of: { kind: 'bitcast', at: 0, type: 'vec2h', arg: e } }
    default:
      return { kind: 'bitcast', at: 0, type: scalar, arg: e }
  }
}

function toWord(e: Expr): Expr {
  const type = e.type as ValueName
  switch (scalarOf(type)) {
    case 'bool':
      return { kind: 'convert', at: 0, type: 'u32', arg: e }
    case 'f16': {
      const zero: Expr = { kind: 'const', type: 'f16', lanes: [0] }
      return { kind: 'bitcast', at: 0, type: 'u32', arg: { kind: 'construct', at: 0, type: 'vec2h', args: [e, zero] } }
    }
    default:
      return { kind: 'bitcast', at: 0, type: 'u32', arg: e }
  }
}

function laneOf(e: Expr, type: ValueName, i: number): Expr {
  const count = laneCount(type)
  if (count === 1) return e
  const matrix = /^mat\d+x(\d)/.exec(type)
  if (!matrix) return { kind: 'swizzle', at: 0, type: scalarOf(type), of: e, lanes: [i] }
  const rows = Number(matrix[1])
  const column = withScalar(`vec${rows}f` as ValueName, scalarOf(type))
  return laneOf({ kind: 'index', at: 0, type: column, of: e, index: num(Math.floor(i / rows)) }, column, i % rows)
}

const kernelOf = (body: readonly Stmt[]): Kernel => ({
  kind: 'kernel',
  name: 'expression',
  variant: 'portable',
  workgroupSize: [1, 1, 1],
  subgroupSize: null,
  bindings: [
    { name: 'x', kind: 'storage', access: 'read', type: array },
    { name: 'y', kind: 'storage', access: 'read_write', type: array },
  ],
  params: [],
  overrides: [],
  constants: [],
  variables: [],
  functions: [],
  body,
  launch: null,
  aliases: [],
  guards: 'off',
})
