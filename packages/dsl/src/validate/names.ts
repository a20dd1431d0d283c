import type { Context } from './context'

const IDENTIFIER = /^[\p{XID_Start}_][\p{XID_Continue}]*$/u

/** What is called by name, bindings, params, overrides and constants, has one name each; so have functions. */
export function checkNames(context: Context): void {
  const { kernel } = context
  const seen = new Map<string, string>()
  const add = (kind: string, list: readonly { readonly name: string }[]): void => {
    for (const { name } of list) {
      const other = seen.get(name)
      if (other) context.report('duplicate-name', `'${name}' is the name of ${other === kind ? `two ${kind}s` : `a ${other} and a ${kind}`}`)
      seen.set(name, kind)
      checkName(name, kind, context)
    }
  }
  checkName(kernel.name, 'kernel', context)
  add('binding', kernel.bindings)
  add('param', kernel.params)
  add('override', kernel.overrides)
  add('constant', kernel.constants)
  seen.clear()
  add('function', kernel.functions)
  for (const f of kernel.functions) {
    seen.clear()
    add('parameter', f.params)
  }
}

function checkName(name: string, kind: string, context: Context): void {
  if (IDENTIFIER.test(name)) return
  context.report('bad-name', `the ${kind} name '${name}' is not an identifier of WGSL`, undefined, 'start with a letter; letters, digits and _ may follow')
}
