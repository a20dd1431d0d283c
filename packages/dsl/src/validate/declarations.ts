import type { Expr, HostExpr, Variable } from '../ir'
import { isConstructible, isKind, isValue, roundUp, sameType, sizeOf, spell, strideOf, type Type } from '../types'
import { Constants } from './constants'
import type { Context } from './context'
import { WGSL_LIMITS } from './limits'

/** Module-scope declarations other than bindings: variables, the launch rule, aliases. */
export function checkDeclarations(context: Context): void {
  const { kernel } = context
  const constants = new Constants(context)
  for (const v of kernel.variables) checkVariable(v, constants, context)
  for (const o of kernel.overrides) {
    if (o.id !== null && (!Number.isInteger(o.id) || o.id < 0 || o.id > 65535))
      context.report('bad-override', `the id of override '${o.name}' must be in 0…65535, not ${o.id}`)
  }
  for (const e of kernel.launch?.workgroups ?? []) checkLengths(e, context)
  for (const [from, to] of kernel.aliases) checkAlias(from, to, context)
}

/** Whether `e` is made of constants; arrays and structs have no lanes. */
function isConstant(e: Expr, constants: Constants): boolean {
  if (e.kind === 'construct' && !isValue(e.type)) return e.args.every((a) => isConstant(a, constants))
  return e.kind === 'constant' || constants.of(e, -1) !== null
}

function checkVariable(v: Variable, constants: Constants, context: Context): void {
  if (v.init && v.init.kind !== 'override' && !isConstant(v.init, constants))
    context.report(
      'not-constant',
      `the initial value of '${v.name}' is computed at run time`,
      undefined,
      'set it at the start of the kernel',
    )
  const why =
    v.space === 'workgroup'
      ? workgroupFault(v.type, true)
      : isConstructible(v.type) && !isKind(v.type, 'subgroup_matrix')
        ? null
        : spell(v.type)
  if (why !== null) context.report('bad-type', `'${v.name}' is in ${v.space} memory, which cannot hold ${why}`)
}

/** What workgroup memory cannot hold in a type, or null. */
function workgroupFault(type: Type, outermost: boolean): string | null {
  if (isValue(type) || type.kind === 'atomic') return null
  if (type.kind === 'struct')
    return type.fields.reduce<string | null>((why, f) => why ?? workgroupFault(f.type, false), null)
  if (type.kind !== 'array' || !type.count) return spell(type)
  if (typeof type.count !== 'number' && !outermost)
    return `${spell(type)} within another type: only the outermost array is sized by an override`
  return workgroupFault(type.of, false)
}

/** The rule may ask for the length of any binding. */
function checkLengths(e: HostExpr, context: Context): void {
  if (typeof e === 'number' || e.kind === 'param' || e.kind === 'override') return
  if (e.kind !== 'length') {
    checkLengths(e.a, context)
    checkLengths(e.b, context)
    return
  }
  const type = context.bindings.get(e.binding)?.type
  if (!type || !isKind(type, 'array'))
    context.report('bad-launch', `the launch rule asks for the length of '${e.binding}', which is not an array binding`)
}

function checkAlias(from: string, to: string, context: Context): void {
  const a = context.bindings.get(from)
  const b = context.bindings.get(to)
  if (!a || !b) {
    context.report('unknown-name', `the alias of '${from}' and '${to}' names a binding that does not exist`)
    return
  }
  const not = `'${from}' and '${to}' cannot be one buffer:`
  if (a.kind !== 'storage' || b.kind !== 'storage' || a.access !== 'read' || b.access === 'read')
    context.report('binding-access', `${not} an alias is an input and an output`)
  else if (!sameType(a.type, b.type)) context.report('type-mismatch', `${not} ${spell(a.type)} is not ${spell(b.type)}`)
}

/** Bytes of a variable; an array sized by an override counts with its default, or not at all. */
function variableBytes(type: Type, context: Context): number {
  if (isKind(type, 'array')) return strideOf(type.of) * (context.extent(type.count) ?? 0)
  return isKind(type, 'subgroup_matrix') ? 0 : sizeOf(type)
}

/** Workgroup, private and function memory against the limits. */
export function checkMemory(context: Context): void {
  const { variables } = context.kernel
  const inWorkgroup = variables.filter((v) => v.space === 'workgroup')
  const bytes = (v: Variable): number => variableBytes(v.type, context)
  const rounded = (v: Variable): number => roundUp(16, bytes(v))
  const name = 'maxComputeWorkgroupStorageSize'
  const list = inWorkgroup.map((v) => `${v.name}: ${rounded(v)}`).join(', ')
  const { total, at } = totalOf(inWorkgroup, rounded, context.limits[name])
  context.deviceLimit('workgroup-memory', 'workgroup variables take', total, ` bytes (${list})`, name, undefined, at)
  const most = WGSL_LIMITS.variableBytes
  const owned = (what: string, list: readonly Variable[]): void => {
    const { total, at } = totalOf(list, bytes, most)
    const note = 'keep arrays in workgroup memory, or make them smaller'
    context.limit('private-memory', `${what} take`, total, ' bytes', most, note, at)
  }
  owned(
    'private variables',
    variables.filter((v) => v.space !== 'workgroup'),
  )
  for (const [f, list] of context.locals)
    owned(f ? `the variables of '${f.name}'` : 'the variables of the kernel', list)
}

/** The bytes of variables in all, and where the one is declared that is too much. */
function totalOf(list: readonly Variable[], bytes: (v: Variable) => number, most: number) {
  let total = 0
  let at: number | undefined
  for (const v of list) if ((total += bytes(v)) > most) at ??= v.at
  return { total, at }
}
