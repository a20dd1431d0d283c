import type { BuiltinName, EffectName, PureName } from '../../ops'
import { PURE, productType, type Row, resolve } from '../../ops'
import type { AddressSpace, Type, ValueName } from '../../types'
import type {
  Binding,
  Block,
  Effect,
  Expr,
  Func,
  If,
  Kernel,
  Let,
  Load,
  Loop,
  Place,
  Range,
  Result,
  Root,
  Step,
  Stmt,
  Store,
  Switch,
  Variable,
} from '..'

/** IR by hand, as short as it gets: for tests of what reads and writes IR. `at` counts up with every node. */

let at = 0
let id = 0
/** Starts the counts of `at` and of ids again, at 1. */
export const restart = (): void => void (at = id = 0)

export const num = (type: ValueName, ...lanes: number[]): Expr => ({ kind: 'const', type, lanes })
export const u = (x: number): Expr => num('u32', x)
export const i = (x: number): Expr => num('i32', x)
export const f = (x: number): Expr => num('f32', x)
export const bool = (x: boolean): Expr => num('bool', x ? 1 : 0)
export const builtin = (name: BuiltinName, type: ValueName = 'u32'): Expr => ({ kind: 'builtin', type, name })
export const lid = (): Expr => builtin('local_invocation_index')
export const global = (): Expr => lane(builtin('global_invocation_id', 'vec3u'), 0)
export const workgroup = (): Expr => lane(builtin('workgroup_id', 'vec3u'), 0)
export const param = (name: string, type: Type = 'u32'): Expr => ({ kind: 'param', type, name })
export const argument = (name: string, type: Type = 'u32'): Expr => ({ kind: 'argument', type, name })
export const override = (name: string, type: ValueName = 'u32'): Expr => ({ kind: 'override', type, name })
export const lane = (of: Expr, n: number): Expr => ({ kind: 'swizzle', at: ++at, type: 'u32', of, lanes: [n] })
export const op = (name: PureName | 'product', ...args: Expr[]): Expr => {
  const types = args.map((a) => a.type as ValueName)
  const type = name === 'product' ? productType(types[0]!, types[1]!) : resolve(PURE[name] as Row, types)
  return { kind: 'op', at: ++at, type: type ?? 'u32', op: name, args }
}
export const construct = (type: Type, ...args: Expr[]): Expr => ({ kind: 'construct', at: ++at, type, args })
export const convert = (type: ValueName, arg: Expr): Expr => ({ kind: 'convert', at: ++at, type, arg })
export const bitcast = (type: ValueName, arg: Expr): Expr => ({ kind: 'bitcast', at: ++at, type, arg })

const place = (root: Root, type: Type, steps: readonly (Expr | string)[]): Place => {
  let inner = type
  const out: Step[] = steps.map((step) => {
    if (typeof step === 'string') {
      const field =
        typeof inner !== 'string' && inner.kind === 'struct' ? inner.fields.find((x) => x.name === step) : undefined
      inner = field?.type ?? inner
      return { kind: 'member', name: step, type: inner }
    }
    if (typeof inner !== 'string' && inner.kind === 'array') inner = inner.of
    else inner = ({ vec2u: 'u32', vec3u: 'u32', vec4f: 'f32', vec2f: 'f32' }[inner as string] as ValueName) ?? inner
    return { kind: 'index', index: step, type: inner }
  })
  return { kind: 'place', type: inner, root, steps: out }
}
/** The place in a binding or variable, after the given indices and members. */
export const ref = (of: Binding | Variable, ...steps: (Expr | string)[]): Place =>
  place('space' in of ? { kind: 'variable', id: of.id } : { kind: 'binding', name: of.name }, of.type, steps)
export const deref = (name: string, type: Type, ...steps: (Expr | string)[]): Place =>
  place({ kind: 'pointer', name }, type, steps)

export const result = (type: Type): Result => ({ kind: 'result', type, id: ++id })
export const variable = (
  name: string,
  type: Type,
  init: Expr | null = null,
  space: Extract<AddressSpace, 'function' | 'private' | 'workgroup'> = 'function',
): Variable => ({ id: ++id, name, space, type, init })
export const array = (of: Type, count: number | null = null): Type => ({ kind: 'array', of, count })
export const atomic = (of: 'i32' | 'u32' = 'u32'): Type => ({ kind: 'atomic', of })
export const pointer = (space: AddressSpace, of: Type): Type => ({ kind: 'ptr', space, of, access: 'read_write' })

export const let_ = (name: string, value: Expr): Let => ({
  kind: 'let',
  at: ++at,
  name,
  value,
  result: result(value.type),
})
export const var_ = (v: Variable): Stmt => ({ kind: 'var', at: ++at, variable: v })
export const load = (p: Place): Load => ({ kind: 'load', at: ++at, place: p, result: result(p.type) })
export const store = (p: Place, value: Expr): Store => ({ kind: 'store', at: ++at, place: p, value })
export const effect = (
  name: EffectName,
  type: Type | null,
  args: readonly Expr[] = [],
  p: Place | null = null,
): Effect => ({
  kind: 'effect',
  at: ++at,
  op: name,
  place: p,
  args,
  result: type === null ? null : result(type),
  exchanged: name === 'atomicCompareExchangeWeak' ? result('bool') : null,
  majorness: null,
})
export const barrier = (): Effect => effect('workgroupBarrier', null)
export const call = (
  func: string,
  args: readonly (Expr | Place)[],
  type: Type | null = null,
): Stmt & { kind: 'call' } => ({ kind: 'call', at: ++at, func, args, result: type === null ? null : result(type) })
export const if_ = (test: Expr, then: Block, otherwise: Block = []): If => ({
  kind: 'if',
  at: ++at,
  test,
  then,
  else: otherwise,
})
export const switch_ = (
  selector: Expr,
  cases: readonly (readonly [readonly number[], Block])[],
  otherwise: Block = [],
): Switch => ({
  kind: 'switch',
  at: ++at,
  selector,
  cases: cases.map(([selectors, body]) => ({ selectors, body })),
  default: otherwise,
})
export const range = (name: string, start: Expr, end: Expr, step: Expr, body: (index: Result) => Block): Range => {
  const index = result(start.type)
  return { kind: 'range', at: ++at, name, index, start, end, step, body: body(index), unroll: false }
}
export const loop = (parts: Partial<Pick<Loop, 'header' | 'test' | 'body' | 'continuing' | 'breakIf'>>): Loop => ({
  kind: 'loop',
  at: ++at,
  header: [],
  test: null,
  body: [],
  continuing: [],
  breakIf: null,
  ...parts,
})
export const break_ = (): Stmt => ({ kind: 'break', at: ++at })
export const continue_ = (): Stmt => ({ kind: 'continue', at: ++at })
export const return_ = (value: Expr | null = null): Stmt => ({ kind: 'return', at: ++at, value })

export const input = (name: string, type: Type = array('f32')): Binding => ({
  name,
  kind: 'storage',
  access: 'read',
  type,
})
export const output = (name: string, type: Type = array('f32')): Binding => ({
  name,
  kind: 'storage',
  access: 'write',
  type,
  writes: 'full',
})
export const inout = (name: string, type: Type = array('f32')): Binding => ({
  name,
  kind: 'storage',
  access: 'read_write',
  type,
  writes: 'partial',
})
export const func = (
  name: string,
  params: readonly (readonly [string, Type])[],
  result: Type | null,
  body: Block,
): Func => ({ name, params: params.map(([n, type]) => ({ name: n, type })), result, body })

export const kernel = (body: Block, more: Partial<Kernel> = {}): Kernel => ({
  kind: 'kernel',
  name: 'k',
  variant: '',
  workgroupSize: [64, 1, 1],
  subgroupSize: null,
  bindings: [],
  params: [],
  overrides: [],
  constants: [],
  variables: [],
  functions: [],
  body,
  launch: null,
  aliases: [],
  guards: 'required',
  ...more,
})
