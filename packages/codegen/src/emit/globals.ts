import { type Kernel, spell, type Type, type ValueName } from '@weft/dsl/ir'
import type { Working } from '../passes/graph'
import { type Declared, declared, type Module, type Space } from './context'
import { Names } from './names'
import { overridesFirst } from './overrides'
import { WORDS } from './reserved'

/** Names what a module declares: all but the structs that only bodies mention. */
export function globals(kernel: Working): Module {
  // the formats of textures are no words of the language that a name could be taken for, but for these declarations
  const names = new Names(kernel.bindings.flatMap((b) => b.texture?.format ?? []))
  const known = new Map<string | number, Declared>()
  const add = (key: string | number, name: string, type: Type, space: Space): void =>
    void known.set(key, declared(names.declare(name), type, space))
  for (const o of overridesFirst(kernel.overrides)) add(o.name, o.name, o.type, null)
  for (const b of kernel.bindings) add(b.name, b.name, b.type, spaceOf(b))
  for (const c of kernel.constants) add(c.name, c.name, c.type, 'uniform')
  for (const v of kernel.variables) add(v.id, v.name, v.type, v.space)
  const functions: Module['functions'] = new Map(
    kernel.functions.map((f) => [f.name, { name: names.declare(f.name), pure: false, isValue: false }]),
  )
  const structs: Module['structs'] = new Map()
  const type = spelling(names, structs, known)
  for (const list of [kernel.bindings, kernel.params, kernel.constants, kernel.variables])
    for (const x of list) type(x.type)
  const hasParams = kernel.params.length > 0
  const struct = hasParams ? names.declare('Params') : ''
  const params = { struct, name: hasParams ? names.declare('params') : '' }
  const entryPoint = names.declare('main')
  return { kernel, names, declared: known, functions, structs, member: members(), params, entryPoint, type, time: 0 }
}

function spaceOf({ kind, access }: Kernel['bindings'][number]): Space {
  if (kind === 'texture') return 'handle'
  return kind === 'uniform' ? 'uniform' : access === 'read' ? 'read' : 'storage'
}

/** Types as the module writes them, with the names that it gives to structs and overrides. */
function spelling(names: Names, structs: Module['structs'], known: Module['declared']): Module['type'] {
  return function type(t: Type): string {
    if (typeof t === 'string') return t
    if (t.kind === 'struct') {
      const found = structs.get(t.name)
      if (found) return found.name
      for (const f of t.fields) type(f.type)
      const name = names.declare(t.name)
      structs.set(t.name, { name, fields: t.fields })
      return name
    }
    if (t.kind !== 'array' && t.kind !== 'ptr') return spell(t)
    // from within: what is spelled stands for itself
    const of = type(t.of) as ValueName
    if (t.kind === 'ptr') return spell({ ...t, of })
    const count =
      typeof t.count === 'object' && t.count ? { override: known.get(t.count.override)?.name ?? '' } : t.count
    return spell({ ...t, of, count })
  }
}

/** Members, which are spelled alike in all structs. */
function members(): Module['member'] {
  const names = new Names([], WORDS)
  const spelled = new Map<string, string>()
  return (name) => {
    const known = spelled.get(name) ?? names.declare(name)
    spelled.set(name, known)
    return known
  }
}
