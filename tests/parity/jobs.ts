/** From a case and a compiled variant to what an engine or the interpreter takes. */
import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { BoundTexture } from '@weft/codegen/interp'
import type { Kernel, TextureType, Type } from '@weft/dsl/ir'
import { planLaunch, type Workgroups } from '../../packages/runtime/src/launch.js'
import { Packer } from '../../packages/runtime/src/params.js'
import type { Binding, Job, Layout } from '../engines/engine.js'
import { type BufferData, bytesOf, isTexture, type ParityCase, type TextureData } from './case.js'

/** The memory that a case starts from, by binding; under an alias two names have one memory. */
export type Memory = Readonly<Record<string, Uint8Array | BoundTexture>>

export function memoryOf(c: ParityCase): Memory {
  const entries = Object.entries(c.bindings).map(([name, data]): [string, Uint8Array | BoundTexture] => [
    name,
    isTexture(data)
      ? { format: data.texture, size: data.size, mipLevels: 1, bytes: data.bytes.slice() }
      : bytesOf(data),
  ])
  const memory = Object.fromEntries(entries)
  if (c.alias) memory[c.alias[0]] = memory[c.alias[1]] as Uint8Array
  return memory
}

export const bytesIn = (memory: Memory, name: string): Uint8Array => {
  const found = memory[name]
  if (found === undefined) throw new Error(`there is no binding '${name}'`)
  return found instanceof Uint8Array ? found : found.bytes
}

export const packParams = (artifact: CompiledKernel, c: ParityCase): Uint8Array =>
  new Packer(c.name, artifact.params).pack(c.params ?? {})

/** By the launch rule, folded above 65,535, unless the case says how many. */
export function workgroupsOf(artifact: CompiledKernel, c: ParityCase): Workgroups {
  return planLaunch(
    c.name,
    artifact.launch,
    c.workgroups,
    {
      param: (name) => Number(c.params?.[name]),
      override: (name) => c.overrides?.[name] ?? artifact.overrides.find((o) => o.name === name)?.default ?? 0,
      length: (name) => {
        const stride = artifact.bindings.find((b) => b.name === name)?.element?.stride ?? 4
        return Math.floor(bytesOf(c.bindings[name] as BufferData).byteLength / stride)
      },
    },
    65535,
  )
}

const texelBytes = (data: TextureData): number => data.bytes.byteLength / (data.size[0] * data.size[1] * data.size[2])

function textureBinding(slot: { group: number; binding: number }, data: TextureData, type: TextureType): Binding {
  const flat = type.dimension === '3d' ? '3d' : type.dimension === '1d' ? '1d' : '2d'
  return {
    kind: 'texture',
    group: slot.group,
    binding: slot.binding,
    format: data.texture,
    size: data.size,
    bytesPerTexel: texelBytes(data),
    bytes: data.bytes,
    dimension: flat,
    viewDimension: type.dimension.replace('_', '-') as GPUTextureViewDimension,
    use: type.format ? 'storage' : 'sampled',
    readback: type.format !== undefined && type.access !== 'read',
  }
}

/** Where the params go in this variant; the job's bindings, one for each slot. */
function bindingsOf(c: ParityCase, ir: Kernel, artifact: CompiledKernel, variant: CompiledVariant): Binding[] {
  const seen = new Set<string>()
  const out: Binding[] = []
  for (const slot of variant.slots) {
    const place = `${slot.group}/${slot.binding}`
    const name = c.alias && slot.name === c.alias[0] ? c.alias[1] : slot.name
    const binding = ir.bindings.find((b) => b.name === name)
    const data = c.bindings[name]
    if (seen.has(place) || !binding || data === undefined) continue
    seen.add(place)
    if (isTexture(data)) out.push(textureBinding(slot, data, binding.type as TextureType))
    else
      out.push({
        kind: 'buffer',
        group: slot.group,
        binding: slot.binding,
        bytes: bytesOf(data),
        readback: binding.access !== 'read',
      })
  }
  const { params } = variant
  if (params?.via === 'uniform')
    out.push({ kind: 'buffer', group: params.group, binding: params.binding, bytes: packParams(artifact, c) })
  return out
}

export function jobOf(c: ParityCase, ir: Kernel, artifact: CompiledKernel, variant: CompiledVariant): Job {
  return {
    label: `${c.name} (${variant.id})`,
    wgsl: variant.wgsl,
    entryPoint: variant.entryPoint,
    layouts: variant.layouts as readonly Layout[],
    bindings: bindingsOf(c, ir, artifact, variant),
    workgroups: workgroupsOf(artifact, c),
    constants: constantsOf(artifact, c),
    ...(variant.params?.via === 'immediates' ? { immediates: packParams(artifact, c) } : {}),
  }
}

/** The case's overrides under the keys that WebGPU takes. */
export const constantsOf = (artifact: CompiledKernel, c: ParityCase): Record<string, number> =>
  Object.fromEntries(
    Object.entries(c.overrides ?? {}).map(([name, value]) => [
      artifact.overrides.find((o) => o.name === name)?.key ?? name,
      value,
    ]),
  )

/** Names and types of the bindings that the kernel writes. */
export const writtenOf = (ir: Kernel): readonly { readonly name: string; readonly type: Type }[] =>
  ir.bindings.filter((b) => b.access !== 'read')
