import {
  type Binding,
  EFFECTS,
  type FeatureName,
  forEachStmt,
  type Kernel,
  roundUp,
  sizeOf,
  spell,
  strideOf,
  type TextureType,
} from '@weft/dsl/ir'
import type { BindGroupLayoutDescriptor, BindGroupLayoutEntry, CompiledBinding, Slot } from '../artifact'
import type { Slots } from '../emit'
import { bodiesOf } from '../passes/walk'

/** Everything is in one bind group: bindings in order of declaration, then the uniform block of the params. */
const GROUP = 0
/** `GPUShaderStage.COMPUTE`. */
const COMPUTE = 4

/** Where the bindings go. In a variant for an alias, `merged` names a binding that is another one. */
export function assignSlots(kernel: Kernel): Slots {
  const bindings = new Map(kernel.bindings.map((b, binding) => [b.name, { group: GROUP, binding }]))
  return { bindings, params: kernel.params.length > 0 ? { group: GROUP, binding: kernel.bindings.length } : null }
}

/** Slots by the names that callers use: of an alias, both names are the same slot. */
export function slotList(slots: Slots, declared: Kernel, alias: readonly [string, string] | null): readonly Slot[] {
  return declared.bindings.map(({ name }) => {
    const slot = slots.bindings.get(alias !== null && name === alias[0] ? alias[1] : name)
    if (!slot) throw new RangeError(`binding '${name}' has no slot`)
    return { name, group: slot.group, binding: slot.binding }
  })
}

/** The layouts of the bind groups; `paramsSize` is that of the uniform block of the params, null when there is none. */
export function bindGroupLayouts(
  kernel: Kernel,
  slots: Slots,
  features: Pick<ReadonlySet<FeatureName>, 'has'>,
  paramsSize: number | null,
): readonly BindGroupLayoutDescriptor[] {
  const unchecked: ReadonlySet<string> = features.has('subgroup-matrix') ? matrixBindings(kernel) : new Set()
  const entries = kernel.bindings.map((b) =>
    entryOf(b, slots.bindings.get(b.name)?.binding ?? 0, !unchecked.has(b.name)),
  )
  if (paramsSize !== null && slots.params) {
    entries.push({
      binding: slots.params.binding,
      visibility: COMPUTE,
      buffer: { type: 'uniform', minBindingSize: paramsSize },
    })
  }
  return entries.length === 0 ? [] : [{ label: kernel.name, entries }]
}

/**
 * Bindings that subgroup matrices are loaded from or stored to. Compilers take the whole matrix for what a module needs
 * of the binding, so these have no least size in the layout: it is checked at each dispatch.
 */
function matrixBindings(kernel: Kernel): ReadonlySet<string> {
  const names = new Set<string>()
  for (const body of bodiesOf(kernel)) {
    forEachStmt(body, (s) => {
      if (s.kind === 'effect' && s.place?.root.kind === 'binding' && EFFECTS[s.op].family === 'matrix')
        names.add(s.place.root.name)
    })
  }
  return names
}

function entryOf(b: Binding, binding: number, sized: boolean): BindGroupLayoutEntry {
  if (b.texture) return { binding, visibility: COMPUTE, ...textureEntry(b.texture) }
  const type = b.kind === 'uniform' ? 'uniform' : b.access === 'read' ? 'read-only-storage' : 'storage'
  return { binding, visibility: COMPUTE, buffer: { type, minBindingSize: sized ? minBindingSize(b) : 0 } }
}

const SAMPLE_TYPE = { f32: 'unfilterable-float', i32: 'sint', u32: 'uint' } as const
const TEXTURE_ACCESS = { read: 'read-only', write: 'write-only', read_write: 'read-write' } as const

function textureEntry(t: TextureType): Pick<BindGroupLayoutEntry, 'texture' | 'storageTexture'> {
  const multisampled = t.dimension === 'multisampled_2d'
  const viewDimension = multisampled ? '2d' : t.dimension.replace('_', '-')
  if (t.format)
    return { storageTexture: { access: TEXTURE_ACCESS[t.access ?? 'write'], format: t.format, viewDimension } }
  return { texture: { sampleType: t.depth ? 'depth' : SAMPLE_TYPE[t.of], viewDimension, multisampled } }
}

/** In bytes; of a runtime-sized array, one element. Sizes of bindings are multiples of 4. */
const minBindingSize = (b: Binding): number =>
  b.kind === 'texture' ? 0 : roundUp(b.kind === 'uniform' ? 16 : 4, sizeOf(b.type))

/** A binding as callers see it. */
export function compiledBinding(b: Binding): CompiledBinding {
  const element =
    typeof b.type !== 'string' && b.type.kind === 'array'
      ? { type: spell(b.type.of), stride: strideOf(b.type.of) }
      : null
  return {
    name: b.name,
    kind: b.kind,
    access: b.access,
    type: spell(b.type),
    element,
    minBindingSize: minBindingSize(b),
    writes: b.access === 'read' ? null : (b.writes ?? 'full'),
  }
}
