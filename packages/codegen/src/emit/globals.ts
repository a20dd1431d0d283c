import { type Kernel, spell, type Type, type ValueName } from '@weft/dsl/ir'
import type { Working } from '../passes/graph'
import { type Declared, declared, type Module, type Space } from './context'
import { memberNames, Names } from './names'
import { overridesFirst } from './overrides'
import type { Survey } from './survey'

/** Names all that a module declares, and its entry point. */
export function globals(
  kernel: Working,
  { structs }: Survey,
): { readonly module: Module; readonly entryPoint: string } {
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
  const spelled = new Map(structs.map((s) => [s.name, names.declare(s.name)]))
  const hasParams = kernel.params.length > 0
  if (hasParams) spelled.set('', names.declare('Params'))
  const module: Module = {
    kernel,
    names,
    declared: known,
    functions,
    structs: spelled,
    members: memberNames([...structs.flatMap((s) => s.fields), ...kernel.params]),
    params: { name: hasParams ? names.declare('params') : 'params', struct: spelled.get('') ?? '' },
    type: spelling(spelled, known),
  }
  return { module, entryPoint: names.declare('main') }
}

function spaceOf({ kind, access }: Kernel['bindings'][number]): Space {
  if (kind === 'texture') return 'handle'
  return kind === 'uniform' ? 'uniform' : access === 'read' ? 'read' : 'storage'
}

/** Types as the module writes them, with the names that it gives to structs and overrides. */
function spelling(structs: ReadonlyMap<string, string>, known: Module['declared']): Module['type'] {
  return function type(t: Type): string {
    if (typeof t === 'string') return t
    if (t.kind === 'struct') return structs.get(t.name) ?? t.name
    if (t.kind !== 'array' && t.kind !== 'ptr') return spell(t)
    // from within: what is spelled stands for itself
    const of = type(t.of) as ValueName
    if (t.kind === 'ptr') return spell({ ...t, of })
    const count =
      typeof t.count === 'object' && t.count ? { override: known.get(t.count.override)?.name ?? '' } : t.count
    return spell({ ...t, of, count })
  }
}
