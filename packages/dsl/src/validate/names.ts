import type { Context } from './context'

/** What is called by name, bindings, params, overrides and constants, has one name each; so have functions. */
export function checkNames(context: Context): void {
  const { bindings, params, overrides, constants, functions } = context.kernel
  unique({ binding: bindings, param: params, override: overrides, constant: constants }, context)
  unique({ function: functions }, context)
}

function unique(lists: Readonly<Record<string, readonly { readonly name: string }[]>>, context: Context): void {
  const seen = new Map<string, string>()
  for (const [kind, list] of Object.entries(lists))
    for (const { name } of list) {
      const other = seen.get(name)
      const both = other === kind ? `two ${kind}s` : `a ${other} and a ${kind}`
      if (other) context.report('duplicate-name', `'${name}' is the name of ${both}`)
      seen.set(name, kind)
    }
}
