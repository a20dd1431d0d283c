import { type Expr, isValueName, type Op, type Place, type Type } from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import type { Context } from './context'
import { lanesOf } from './expressions'

/** The name of what a place is in. */
export const rootName = ({ root }: Place, c: Context): string =>
  root.kind === 'variable' ? c.declared(root).name : root.name

/** The name that an expression goes by already; a second one would only be in the way. */
export function nameOf(e: Expr, c: Context): string | undefined {
  const value = c.valueOf(e)
  if (value?.name) return value.name
  if (e.kind === 'argument') return c.args.get(e.name)?.name
  return e.kind === 'builtin' ? c.builtins.get(e.name) : undefined
}

/** A name for an expression that the author gave none: after what it is made of and how. */
export function nameFor(e: Expr, c: Context): string {
  const base = baseOf(e, c)
  if (base === undefined) return typeName(e.type)
  const stem = /\d$/.test(base) ? base.replace(/_\d+$/, '') : base
  const suffix = e.kind === 'op' ? SUFFIX[e.op] : e.kind === 'convert' ? `_${typeName(e.type)}` : ''
  return suffix === undefined || stem.endsWith(suffix) ? stem : stem + suffix
}

/** The ops whose value is close to that of an operand, and how they make something else of it. */
const SUFFIX: { readonly [K in Op['op']]?: string } = {
  add: '',
  sub: '',
  min: '',
  max: '',
  clamp: '',
  mul: '_offset',
  div: '_div',
  shr: '_div',
  rem: '_rem',
  bitAnd: '_rem',
  lt: '_in',
  le: '_in',
}

/** The first name in an expression, looking only at what its value is close to. */
function baseOf(e: Expr, c: Context): string | undefined {
  const name = c.values[numberOf(e)]?.name
  if (name) return name
  switch (e.kind) {
    case 'result':
      return c.results[e.id]?.name || undefined
    case 'param':
    case 'argument':
    case 'override':
      return e.name
    case 'length':
      return `${rootName(e.of, c)}_length`
    case 'swizzle': {
      const of = baseOf(e.of, c)
      return of && `${e.of.kind === 'builtin' ? of.replace(/_id$/, '') : of}_${lanesOf(e)}`
    }
    case 'builtin':
      return c.builtins.get(e.name)
    case 'convert':
      return baseOf(e.arg, c)
    case 'op':
      if (SUFFIX[e.op] === undefined) return undefined
      return baseOf(e.args[0] as Expr, c) ?? (e.args[1] && baseOf(e.args[1], c))
    default:
      return undefined
  }
}

function typeName(type: Type): string {
  if (!isValueName(type)) return 'value'
  if (type.startsWith('vec')) return 'v'
  if (type.startsWith('mat')) return 'm'
  return type === 'bool' ? 'test' : type === 'u32' || type === 'i32' ? 'n' : 't'
}
