import type { Expr, HostExpr, Variable } from '../ir'
import { isConstructible, isValue, roundUp, sameType, sizeOf, spell, type Type } from '../types'
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
      : isConstructible(v.type) && !isSubgroupMatrix(v.type)
        ? null
        : spell(v.type)
  if (why !== null) context.report('bad-type', `'${v.name}' is in ${v.space} memory, which cannot hold ${why}`)
}

const isSubgroupMatrix = (type: Type): boolean => !isValue(type) && type.kind === 'subgroup_matrix'

/** What workgroup memory cannot hold in a type, or null. */
function workgroupFault(type: Type, outermost: boolean): string | null {
  if (isValue(type) || type.kind === 'atomic') return null
  if (type.kind === 'struct')
    return type.fields.reduce<string | null>((why, f) => why ?? workgroupFault(f.type, false), null)
  if (type.kind !== 'array' || type.count === null || type.count === 0) return spell(type)
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
  if (!type || isValue(type) || type.kind !== 'array')
    context.report('bad-launch', `the launch rule asks for the length of '${e.binding}', which is not an array binding`)
}

function checkAlias(from: string, to: string, context: Context): void {
  const a = context.bindings.get(from)
  const b = context.bindings.get(to)
  if (!a || !b) context.report('unknown-name', `the alias of '${from}' and '${to}' names a binding that does not exist`)
  else if (a.kind !== 'storage' || b.kind !== 'storage' || a.access !== 'read' || b.access === 'read') {
    context.report('binding-access', `'${from}' and '${to}' cannot be one buffer: an alias is an input and an output`)
  } else if (!sameType(a.type, b.type)) {
    context.report(
      'type-mismatch',
      `'${from}' and '${to}' cannot be one buffer: ${spell(a.type)} is not ${spell(b.type)}`,
    )
  }
}

/** Bytes of a variable; an array sized by an override counts with its default, or not at all. */
export function variableBytes(type: Type, context: Context): number {
  if (isValue(type) || type.kind !== 'array' || typeof type.count === 'number' || type.count === null)
    return isSubgroupMatrix(type) ? 0 : sizeOf(type)
  return sizeOf({ ...type, count: 1 }) * (context.extent(type.count) ?? 0)
}

/** Workgroup, private and function memory against the limits. */
export function checkMemory(context: Context): void {
  const { kernel, limits } = context
  let workgroup = 0
  let privates = 0
  for (const v of kernel.variables) {
    if (v.space === 'workgroup') workgroup += roundUp(16, variableBytes(v.type, context))
    else privates += variableBytes(v.type, context)
  }
  const most = limits.maxComputeWorkgroupStorageSize
  if (workgroup > most) {
    const list = kernel.variables
      .filter((v) => v.space === 'workgroup')
      .map((v) => `${v.name}: ${roundUp(16, variableBytes(v.type, context))}`)
    context.report(
      'workgroup-memory',
      `workgroup variables take ${workgroup} bytes, more than ${most}`,
      undefined,
      list.join(', '),
    )
  }
  checkPrivate('private variables', privates, context)
  for (const [f, list] of context.locals) {
    const bytes = list.reduce((sum, v) => sum + variableBytes(v.type, context), 0)
    checkPrivate(f ? `the variables of '${f.name}'` : 'the variables of the kernel', bytes, context)
  }
}

function checkPrivate(what: string, bytes: number, context: Context): void {
  const most = WGSL_LIMITS.variableBytes
  if (bytes > most)
    context.report(
      'private-memory',
      `${what} take ${bytes} bytes, more than ${most}`,
      undefined,
      'keep arrays in workgroup memory, or make them smaller',
    )
}
