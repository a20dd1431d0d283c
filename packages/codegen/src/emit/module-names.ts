import { spell, type Type } from '@weft/dsl/ir'
import type { Working } from '../passes/graph'
import type { Module } from './context'
import type { Memory } from './memory'
import { memberNames, names } from './names'
import { overridesFirst } from './overrides'
import type { Survey } from './survey'

/** Names all that a module declares. */
export function moduleNames(
  kernel: Working,
  found: Survey,
  memory: Memory,
): { readonly module: Module; readonly entryPoint: string } {
  const all = names()
  const globals = new Map<string, string>()
  for (const d of [...overridesFirst(kernel.overrides), ...kernel.bindings, ...kernel.constants])
    globals.set(d.name, all.declare(d.name))
  const variables = new Map<number, string>()
  for (const v of kernel.variables) variables.set(v.id, all.declare(v.name))
  const functions = new Map<string, string>()
  for (const f of kernel.functions) functions.set(f.name, all.declare(f.name))
  const structs = new Map<string, string>()
  for (const s of found.structs) structs.set(s.name, all.declare(s.name))
  if (kernel.params.length > 0) structs.set('', all.declare('Params'))
  const params = kernel.params.length > 0 ? all.declare('params') : 'params'
  const entryPoint = all.declare('main')
  const module: Module = {
    kernel,
    memory,
    type: spelling(structs, globals),
    names: { globals, variables, functions, structs, params, visible: all.visible, members: membersOf(kernel, found) },
  }
  return { module, entryPoint }
}

function membersOf(kernel: Working, found: Survey): Module['names']['members'] {
  const structs = new Map<string, ReadonlyMap<string, string>>()
  for (const s of found.structs) structs.set(s.name, memberNames(s.fields))
  const params = memberNames(kernel.params)
  const none = new Map<string, string>()
  return (struct) => (struct === null ? params : (structs.get(struct) ?? none))
}

/** Types as the module writes them, with the names that it gives to structs and overrides. */
function spelling(structs: ReadonlyMap<string, string>, globals: ReadonlyMap<string, string>): Module['type'] {
  const type = (t: Type): string => (typeof t === 'string' ? t : composed(t))
  const composed = (t: Exclude<Type, string>): string => {
    switch (t.kind) {
      case 'struct':
        return structs.get(t.name) ?? t.name
      case 'array': {
        if (t.count === null) return `array<${type(t.of)}>`
        const count = typeof t.count === 'number' ? t.count : (globals.get(t.count.override) ?? t.count.override)
        return `array<${type(t.of)}, ${count}>`
      }
      case 'ptr': {
        const access = t.space === 'storage' && t.access !== 'read' ? ', read_write' : ''
        return `ptr<${t.space}, ${type(t.of)}${access}>`
      }
      default:
        return spell(t)
    }
  }
  return type
}
