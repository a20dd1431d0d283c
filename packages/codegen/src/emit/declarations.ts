import type { Field, Kernel } from '@weft/dsl/ir'
import { Context, type Declared, type Module } from './context'
import { print } from './expressions'
import type { Output } from './lines'
import { literal } from './literals'
import { overrideIds } from './overrides'

/** Where the bindings of a kernel go. */
export interface Slots {
  readonly bindings: ReadonlyMap<string, { readonly group: number; readonly binding: number }>
  readonly params: { readonly group: number; readonly binding: number } | null
}

export function writeStruct(struct: string, fields: readonly Field[], m: Module, out: Output): void {
  out.line(`struct ${struct} {`)
  for (const { name, type, align, size } of fields) {
    const attributes = `${align === undefined ? '' : `@align(${align}) `}${size === undefined ? '' : `@size(${size}) `}`
    out.line(`  ${attributes}${m.member(name)}: ${m.type(type)},`)
  }
  out.line('}')
  out.line('')
}

export function writeDeclarations(kernel: Kernel, m: Module, slots: Slots, out: Output): void {
  const nameOf = (name: string): string => (m.declared.get(name) as Declared).name
  const ids = overrideIds(kernel)
  for (const o of kernel.overrides) {
    const id = ids.has(o.name) ? `@id(${ids.get(o.name)}) ` : ''
    const value = o.default === null ? '' : ` = ${literal(o.type, o.default)}`
    out.line(`${id}override ${nameOf(o.name)}: ${o.type}${value};`)
  }
  const c = new Context(m, out)
  for (const k of kernel.constants) out.line(`const ${nameOf(k.name)} = ${print(k.value, c)};`)
  if (kernel.overrides.length + kernel.constants.length > 0) out.line('')
  for (const b of kernel.bindings) {
    const slot = slots.bindings.get(b.name)
    if (!slot) continue
    const access = b.access === 'read' ? 'read' : 'read_write'
    const space = b.kind === 'texture' ? '' : b.kind === 'uniform' ? '<uniform>' : `<storage, ${access}>`
    out.line(`@group(${slot.group}) @binding(${slot.binding}) var${space} ${nameOf(b.name)}: ${m.type(b.type)};`)
  }
}

export function writeVariables(kernel: Kernel, m: Module, out: Output): void {
  out.gap()
  const c = new Context(m, out)
  for (const v of kernel.variables) {
    const init = v.init ? ` = ${print(v.init, c)}` : ''
    out.line(`var<${v.space}> ${m.declared.get(v.id)?.name}: ${m.type(v.type)}${init};`)
  }
  out.gap()
}
