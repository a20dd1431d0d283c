import type { Kernel, StructType } from '@weft/dsl/ir'
import type { Module } from './context'
import { print } from './expressions'
import { functionContext } from './function-context'
import { gap, line, type Output } from './lines'
import { literal } from './literals'
import { overrideIds } from './overrides'

/** Where the bindings of a kernel go. */
export interface Slots {
  readonly bindings: ReadonlyMap<string, { readonly group: number; readonly binding: number }>
  readonly params: { readonly group: number; readonly binding: number } | null
}

export function writeStruct(s: StructType, m: Module, out: Output): void {
  const members = m.names.members(s.name === '' ? null : s.name)
  line(out, `struct ${m.names.structs.get(s.name)} {`)
  for (const f of s.fields) {
    const attributes = `${f.align === undefined ? '' : `@align(${f.align}) `}${f.size === undefined ? '' : `@size(${f.size}) `}`
    line(out, `  ${attributes}${members.get(f.name)}: ${m.type(f.type)},`)
  }
  line(out, '}')
  line(out, '')
}

export function writeDeclarations(kernel: Kernel, m: Module, slots: Slots, out: Output): void {
  const { globals } = m.names
  const ids = overrideIds(kernel)
  for (const o of kernel.overrides) {
    const id = ids.has(o.name) ? `@id(${ids.get(o.name)}) ` : ''
    line(
      out,
      `${id}override ${globals.get(o.name)}: ${o.type}${o.default === null ? '' : ` = ${literal(o.type, o.default)}`};`,
    )
  }
  const c = functionContext(m, m.memory, [])
  for (const k of kernel.constants) line(out, `const ${globals.get(k.name)} = ${print(k.value, c)};`)
  if (kernel.overrides.length + kernel.constants.length > 0) line(out, '')
  const written = new Set<string>()
  for (const b of kernel.bindings) {
    const slot = slots.bindings.get(b.name)
    const name = globals.get(b.name) as string
    if (!slot || written.has(name)) continue
    written.add(name)
    const space =
      b.kind === 'texture'
        ? 'var'
        : b.kind === 'uniform'
          ? 'var<uniform>'
          : `var<storage, ${b.access === 'read' ? 'read' : 'read_write'}>`
    line(out, `@group(${slot.group}) @binding(${slot.binding}) ${space} ${name}: ${m.type(b.type)};`)
  }
}

export function writeVariables(kernel: Kernel, m: Module, out: Output): void {
  gap(out)
  if (kernel.variables.length === 0) return
  const c = functionContext(m, m.memory, [])
  for (const v of kernel.variables) {
    const init = v.init ? ` = ${print(v.init, c)}` : ''
    line(out, `var<${v.space}> ${m.names.variables.get(v.id)}: ${m.type(v.type)}${init};`)
  }
  line(out, '')
}
