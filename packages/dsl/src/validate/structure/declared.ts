import type { Expr, HostExpr, Variable } from '../../ir'
import { isConstructible, sameType, spell } from '../../types'
import type { Context } from '../context'

/** Declarations: their names, and the values of constants and variables. */
export function checkDeclared(context: Context): void {
  const { kernel } = context
  named('kernel', [kernel], context)
  named('binding', kernel.bindings, context)
  named('param', kernel.params, context)
  named('override', kernel.overrides, context)
  named('constant', kernel.constants, context)
  named('function', kernel.functions, context)
  for (const f of kernel.functions) {
    named('parameter', f.params, context)
    if (new Set(f.params.map((p) => p.name)).size < f.params.length)
      context.report('duplicate-name', `two parameters of '${f.name}' have one name`)
  }
  for (const v of kernel.variables) checkVariable(v, context)
  for (const { name, type, value } of kernel.constants) {
    if (!sameType(type, value.type))
      context.report('invalid-ir', `constant '${name}' must be ${spell(type)}, not ${spell(value.type)}`)
    if (!isConstant(value))
      context.report(
        'not-constant',
        `the value of '${name}' is computed at run time`,
        undefined,
        'a constant is made of numbers and other constants',
      )
  }
  for (const e of kernel.workgroupSize) {
    if (typeof e !== 'number' && !context.overrides.has(e.override))
      context.report('unknown-name', `there is no override '${e.override}'`)
  }
  checkLaunch(context)
}

const IDENTIFIER = /^[\p{XID_Start}_][\p{XID_Continue}]*$/u

function named(kind: string, list: readonly { readonly name: string }[], context: Context): void {
  for (const { name } of list) {
    if (!IDENTIFIER.test(name))
      context.report(
        'bad-name',
        `the ${kind} name '${name}' is not an identifier of WGSL`,
        undefined,
        'start with a letter; letters, digits and _ may follow',
      )
  }
}

const LEAVES: Partial<Record<Expr['kind'], boolean>> = { const: true, constant: true }

/** Whether `e` is made of constants and operations. */
function isConstant(e: Expr): boolean {
  switch (e.kind) {
    case 'op':
    case 'construct':
      return e.args.every(isConstant)
    case 'convert':
    case 'bitcast':
      return isConstant(e.arg)
    case 'swizzle':
    case 'member':
      return isConstant(e.of)
    case 'index':
      return isConstant(e.of) && isConstant(e.index)
    default:
      return LEAVES[e.kind] ?? false
  }
}

function checkVariable(v: Variable, context: Context): void {
  const bad = (message: string): void => context.report('invalid-ir', message)
  if (v.space === 'function') bad(`'${v.name}' is declared outside a body and cannot be in function memory`)
  if (v.init && v.space === 'workgroup') bad(`'${v.name}' is in workgroup memory and cannot have an initial value`)
  if (v.init && v.space === 'private' && isConstructible(v.type) && !sameType(v.type, v.init.type)) {
    bad(`the initial value of '${v.name}' must be ${spell(v.type)}, not ${spell(v.init.type)}`)
  }
}

function checkLaunch(context: Context): void {
  const { launch } = context.kernel
  if (!launch) return
  const { dimensions, workgroups } = launch
  const bad = (message: string): void => context.report('bad-launch', message)
  if (workgroups.length !== dimensions || dimensions < 1 || dimensions > 3)
    bad(`the launch rule has ${workgroups.length} counts for ${dimensions} dimensions`)
  const visit = (e: HostExpr): void => {
    if (typeof e === 'number') {
      if (!Number.isInteger(e) || e < 0) bad(`the launch rule holds ${e}, which is not a count`)
    } else if (e.kind === 'param' || e.kind === 'override') {
      if (!context[`${e.kind}s`].has(e.name))
        bad(`the launch rule names the ${e.kind} '${e.name}', which does not exist`)
    } else if (e.kind !== 'length') {
      visit(e.a)
      visit(e.b)
    }
  }
  workgroups.forEach(visit)
}
