import type { OptionalKind, PropertySignatureStructure } from 'ts-morph'
import type { CompiledKernel } from '../../artifact'
import type { Facts } from './facts'
import { key, quote } from './literal'
import { paramMembers } from './packer'

type Members = OptionalKind<PropertySignatureStructure>[]

/** An interface, or other declarations as text. */
export type Declaration =
  | string
  | { readonly name: string; readonly isExported: boolean; readonly docs: string[]; readonly properties: Members }

/** The types of a generated module, in order. */
export function declarations(kernel: CompiledKernel, facts: Facts): Declaration[] {
  const ids = kernel.variants.map(({ id }) => quote(id)).join(' | ')
  return [
    ...(facts.buffers ? [BUFFER_RANGE] : []),
    shape('Bindings', bindingMembers(kernel)),
    ...(kernel.params ? [shape('Params', paramMembers(kernel.params), 'Values of one dispatch.')] : []),
    ...(facts.overrides ? [shape('Overrides', overrideMembers(kernel), 'Constants of the pipeline.')] : []),
    `/** The ids of the variants, best first. */\nexport type Variant = ${ids}`,
    shape('CreateOptions', optionMembers(kernel, facts)),
    shape('Layout', layoutMembers(facts), 'A `GPUBindGroupLayoutDescriptor`.'),
    shape('CompiledVariant', VARIANT, 'One way to run the kernel, and what it needs of a device.'),
    hidden('CompiledBinding', BINDING),
    hidden('Pipeline', PIPELINE),
    rangeType(facts),
  ]
}

const shape = (name: string, properties: Members, doc?: string): Declaration => ({
  name,
  isExported: true,
  docs: doc === undefined ? [] : [doc],
  properties,
})
const hidden = (name: string, properties: Members): Declaration => ({ name, isExported: false, docs: [], properties })

const BUFFER_RANGE = `/** A buffer, or \`size\` bytes of one from byte \`offset\`. */
export type BufferRange =
  | GPUBuffer
  | { readonly buffer: GPUBuffer; readonly offset?: number | undefined; readonly size?: number | undefined }`

const ACCESS = { read: 'read', write: 'written', read_write: 'read and written' } as const

const bindingMembers = ({ bindings }: CompiledKernel): Members =>
  bindings.map(({ name, kind, type, access }) => ({
    name: key(name),
    type: kind === 'texture' ? 'GPUTexture | GPUTextureView' : 'BufferRange',
    docs: [`\`${type}\`, ${ACCESS[access]}${kind === 'uniform' ? ', uniform' : ''}`],
  }))

const overrideMembers = ({ overrides }: CompiledKernel): Members =>
  overrides.map(({ name, type, default: fallback }) => ({
    name: key(name),
    type: type === 'bool' ? 'boolean' : 'number',
    hasQuestionToken: fallback !== null,
    docs: [`${type}${fallback === null ? '' : `; ${fallback} when left out`}`],
  }))

const optionMembers = ({ overrides }: CompiledKernel, facts: Facts): Members => [
  {
    name: 'variant',
    type: 'Variant | undefined',
    hasQuestionToken: true,
    docs: ['In place of the best one that the device supports.'],
  },
  ...(facts.overrides
    ? [{ name: 'overrides', type: 'Overrides', hasQuestionToken: overrides.every((o) => o.default !== null) }]
    : []),
  {
    name: 'languageFeatures',
    type: 'Iterable<string> | undefined',
    hasQuestionToken: true,
    docs: ['`wgslLanguageFeatures` of the `GPU`, where it is not `navigator.gpu`.'],
  },
]

/** A type with one member a line. */
const block = (...lines: readonly string[]): string => `{\n${lines.map((line) => `    readonly ${line}\n`).join('')}  }`

const TEXTURES = [
  `texture?: {
      readonly sampleType: 'unfilterable-float' | 'float' | 'depth' | 'sint' | 'uint'
      readonly viewDimension: GPUTextureViewDimension
      readonly multisampled: boolean
    }`,
  `storageTexture?: {
      readonly access: 'read-only' | 'write-only' | 'read-write'
      readonly format: GPUTextureFormat
      readonly viewDimension: GPUTextureViewDimension
    }`,
]

const layoutMembers = ({ textures }: Facts): Members => [
  { name: 'label', type: 'string' },
  {
    name: 'entries',
    type: `${block(
      'binding: number',
      'visibility: 4',
      "buffer?: { readonly type: 'uniform' | 'storage' | 'read-only-storage'; readonly minBindingSize: number }",
      ...(textures ? TEXTURES : []),
    )}[]`,
  },
]

const VARIANT: Members = [
  { name: 'id', type: 'Variant' },
  { name: 'source', type: 'string' },
  {
    name: 'needs',
    type: block(
      'features: readonly string[]',
      'languageFeatures: readonly string[]',
      'limits: Readonly<Record<string, number>>',
      'alias: readonly [string, string] | null',
    ),
  },
  { name: 'wgsl', type: 'string' },
  { name: 'entryPoint', type: 'string' },
  { name: 'workgroupSize', type: 'readonly [Size, Size, Size]' },
  { name: 'layouts', type: 'readonly Layout[]' },
  { name: 'slots', type: 'readonly { readonly name: string; readonly group: number; readonly binding: number }[]' },
  {
    name: 'params',
    type: `
    | { readonly via: 'uniform'; readonly group: number; readonly binding: number }
    | { readonly via: 'immediates' }
    | null`,
  },
  { name: 'sourceMap', type: 'null' },
]

const BINDING: Members = [
  { name: 'name', type: 'string' },
  { name: 'kind', type: "'storage' | 'uniform' | 'texture'" },
  { name: 'access', type: "'read' | 'write' | 'read_write'" },
  { name: 'type', type: 'string' },
  { name: 'element', type: '{ readonly type: string; readonly stride: number } | null' },
  { name: 'minBindingSize', type: 'number' },
  { name: 'writes', type: "'full' | 'partial' | null" },
]

const PIPELINE: Members = [
  { name: 'variant', type: 'CompiledVariant' },
  { name: 'pipeline', type: 'GPUComputePipeline' },
  { name: 'bindGroupLayouts', type: 'GPUBindGroupLayout[]' },
]

function rangeType({ buffers, textures }: Facts): string {
  const forms = [
    ...(buffers ? ['{ readonly buffer: GPUBuffer; readonly offset: number; readonly size: number }'] : []),
    ...(textures ? ['{ readonly texture: GPUTexture | GPUTextureView; readonly offset: 0; readonly size: 0 }'] : []),
  ]
  return `type Range = ${forms.join(' | ')}`
}
