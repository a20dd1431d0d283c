import { type Expr, isValueName, type Op, type Place, type Result, type Type } from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import type { Context } from './context'

/** The name of the variable that a place is in. */
export function rootName(place: Place, c: Context): string {
  const { root } = place
  if (root.kind === 'variable') return c.variables.get(root.id) ?? c.module.names.variables.get(root.id) ?? 'value'
  return root.name
}

/** The name of what a statement gives: the author's, or another. */
export const givenName = (result: Result, otherwise: string, c: Context): string =>
  c.plan.renamed.get(result.id)?.name ?? otherwise

/** The name that an expression goes by already; a second one would only be in the way. */
export function nameOf(e: Expr, c: Context): string | undefined {
  const bound = c.bound[numberOf(e)]
  if (bound !== undefined) return bound
  switch (e.kind) {
    case 'result':
      return c.plan.inlined[e.id] !== undefined || c.plan.inlinedCalls.has(e.id) ? undefined : c.results.get(e.id)
    case 'argument':
      return c.args.get(e.name)
    case 'builtin':
      return c.builtins.get(e.name)
    default:
      return undefined
  }
}

/** A name for an expression that the author gave none: after what it is made of and how. */
export function nameFor(e: Expr, c: Context): string {
  const base = baseOf(e, c)
  if (base === undefined) return typeName(e.type)
  const stem = base.replace(/_\d+$/, '')
  const suffix = e.kind === 'op' ? SUFFIX[e.op] : e.kind === 'convert' ? `_${typeName(e.type)}` : undefined
  return suffix === undefined || stem.endsWith(suffix) ? stem : stem + suffix
}

/** How an op makes something else of what it is close to. */
const SUFFIX: Readonly<Record<string, string>> = {
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
  const bound = c.bound[numberOf(e)]
  if (bound !== undefined) return bound
  switch (e.kind) {
    case 'result':
      return c.results.get(e.id)
    case 'param':
    case 'argument':
    case 'override':
      return e.name
    case 'length':
      return `${rootName(e.of, c)}_length`
    case 'swizzle': {
      const of = e.of.kind === 'builtin' ? c.builtins.get(e.of.name)?.replace(/_id$/, '') : baseOf(e.of, c)
      return of === undefined ? undefined : `${of}_${e.lanes.map((i) => 'xyzw'[i]).join('')}`
    }
    case 'builtin':
      return c.builtins.get(e.name)
    case 'convert':
      return baseOf(e.arg, c)
    case 'op':
      if (!NAMING.has(e.op)) return undefined
      return baseOf(e.args[0] as Expr, c) ?? (e.args[1] && baseOf(e.args[1], c))
    default:
      return undefined
  }
}

/** The ops whose value is close to that of an operand. */
const NAMING: ReadonlySet<string> = new Set<Op['op']>([
  'add',
  'sub',
  'mul',
  'div',
  'shr',
  'rem',
  'bitAnd',
  'lt',
  'le',
  'min',
  'max',
  'clamp',
])

function typeName(type: Type): string {
  if (!isValueName(type)) return 'value'
  if (type.startsWith('vec')) return 'v'
  if (type.startsWith('mat')) return 'm'
  return type === 'bool' ? 'test' : type === 'u32' || type === 'i32' ? 'n' : 't'
}
