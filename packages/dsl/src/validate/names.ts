import type { Context } from './context'

/** What is called by name, bindings, params, overrides and constants, has one name each; so have functions. */
export function checkNames(context: Context): void {
  const { kernel } = context
  const seen = new Map<string, string>()
  const add = (kind: string, list: readonly { readonly name: string }[]): void => {
    for (const { name } of list) {
      const other = seen.get(name)
      if (other)
        context.report(
          'duplicate-name',
          `'${name}' is the name of ${other === kind ? `two ${kind}s` : `a ${other} and a ${kind}`}`,
        )
      seen.set(name, kind)
    }
  }
  add('binding', kernel.bindings)
  add('param', kernel.params)
  add('override', kernel.overrides)
  add('constant', kernel.constants)
  seen.clear()
  add('function', kernel.functions)
}
