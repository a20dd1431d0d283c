import { type OptionalKind, Project, type PropertySignatureStructure, ts } from 'ts-morph'
import type { CompiledBinding, CompiledKernel } from '../../artifact'
import { bindClasses } from './bind'
import { createFunctions, overrideFunctions } from './create'
import { type Facts, factsOf } from './facts'
import { Code, docComment, key, literal, quote, template } from './literal'
import { packFunctions, packStatements, paramMembers } from './packer'
import { workgroupsFunction } from './workgroups'

type Members = OptionalKind<PropertySignatureStructure>[]

/** The module of a kernel: everything that an app needs to run it, without a package. Below its header. */
export function moduleText(kernel: CompiledKernel): string {
  const facts = factsOf(kernel)
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true })
  const file = project.createSourceFile(`${kernel.name}.ts`)
  const add = (text: string): void => {
    if (text !== '') file.addStatements(`\n${text}`)
  }
  const declare = (name: string, docs: string, properties: Members, isExported = true): void => {
    const members = properties.map((p) => ({ ...p, isReadonly: true }))
    file.addInterface({ name, isExported, docs: docs === '' ? [] : [docs], properties: members })
  }
  add(
    `${docComment(kernel.doc === '' ? `The kernel \`${kernel.name}\`.` : kernel.doc)}export const name = ${quote(kernel.name)}`,
  )
  declareTypes(kernel, facts, declare, add)
  add(wgslTexts(kernel))
  add(layoutTables(kernel))
  add(variantTable(kernel))
  add(artifactValue(kernel))
  if (kernel.params) add(packer(kernel))
  add(workgroupsFunction(kernel, facts))
  add(createFunctions(kernel, facts))
  if (facts.overrides) add(overrideFunctions(kernel))
  add(bindClasses(kernel, facts))
  add(failFunction(kernel))
  file.formatText({ indentSize: 2, semicolons: ts.SemicolonPreference.Remove, ensureNewLineAtEndOfFile: true })
  return file.getFullText().replace(/\n{3,}/g, '\n\n')
}

type Declare = (name: string, docs: string, properties: Members, isExported?: boolean) => void

const BUFFER_RANGE = `/** A buffer, or \`size\` bytes of one from byte \`offset\`. */
export type BufferRange =
  | GPUBuffer
  | { readonly buffer: GPUBuffer; readonly offset?: number | undefined; readonly size?: number | undefined }`

function declareTypes(kernel: CompiledKernel, facts: Facts, declare: Declare, add: (text: string) => void): void {
  const given = (b: CompiledBinding): string => (b.kind === 'texture' ? 'GPUTexture | GPUTextureView' : 'BufferRange')
  if (facts.buffers) add(BUFFER_RANGE)
  declare(
    'Bindings',
    '',
    kernel.bindings.map((b) => ({
      name: key(b.name),
      type: given(b),
      docs: [`\`${b.type}\`, ${ACCESS[b.access]}${b.kind === 'uniform' ? ', uniform' : ''}`],
    })),
  )
  if (kernel.params) declare('Params', 'Values of one dispatch.', paramMembers(kernel.params))
  if (facts.overrides) {
    const members = kernel.overrides.map((o) => ({
      name: key(o.name),
      type: o.type === 'bool' ? 'boolean' : 'number',
      hasQuestionToken: o.default !== null,
      docs: [`${o.type}${o.default === null ? '' : `; ${o.default} when left out`}`],
    }))
    declare('Overrides', 'Constants of the pipeline.', members)
  }
  add(
    `/** The ids of the variants, best first. */\nexport type Variant = ${kernel.variants.map(({ id }) => quote(id)).join(' | ')}`,
  )
  declare('CreateOptions', '', [
    {
      name: 'variant',
      type: 'Variant | undefined',
      hasQuestionToken: true,
      docs: ['In place of the best one that the device supports.'],
    },
    ...(facts.overrides
      ? [{ name: 'overrides', type: 'Overrides', hasQuestionToken: kernel.overrides.every((o) => o.default !== null) }]
      : []),
    {
      name: 'languageFeatures',
      type: 'Iterable<string> | undefined',
      hasQuestionToken: true,
      docs: ['`wgslLanguageFeatures` of the `GPU`, where it is not `navigator.gpu`.'],
    },
  ])
  declare('Layout', 'A `GPUBindGroupLayoutDescriptor`.', [
    { name: 'label', type: 'string' },
    { name: 'entries', type: `{\n${layoutEntry(facts)}}[]` },
  ])
  declare('CompiledVariant', 'One way to run the kernel, and what it needs of a device.', variantMembers())
  declare(
    'Pipeline',
    '',
    [
      { name: 'variant', type: 'CompiledVariant' },
      { name: 'pipeline', type: 'GPUComputePipeline' },
      { name: 'bindGroupLayouts', type: 'GPUBindGroupLayout[]' },
    ],
    false,
  )
  const ranges = [
    ...(facts.buffers ? ['{ readonly buffer: GPUBuffer; readonly offset: number; readonly size: number }'] : []),
    ...(facts.textures
      ? ['{ readonly texture: GPUTexture | GPUTextureView; readonly offset: 0; readonly size: 0 }']
      : []),
  ]
  add(`type Range = ${ranges.join(' | ')}`)
  declare(
    'CompiledBinding',
    '',
    [
      { name: 'name', type: 'string' },
      { name: 'kind', type: "'storage' | 'uniform' | 'texture'" },
      { name: 'access', type: "'read' | 'write' | 'read_write'" },
      { name: 'type', type: 'string' },
      { name: 'element', type: '{ readonly type: string; readonly stride: number } | null' },
      { name: 'minBindingSize', type: 'number' },
      { name: 'writes', type: "'full' | 'partial' | null" },
    ],
    false,
  )
}

const ACCESS = { read: 'read', write: 'written', read_write: 'read and written' } as const

const layoutEntry = ({ buffers, textures }: Facts): string =>
  [
    'readonly binding: number',
    'readonly visibility: 4',
    ...(buffers || !textures
      ? [
          "readonly buffer?: { readonly type: 'uniform' | 'storage' | 'read-only-storage'; readonly minBindingSize: number }",
        ]
      : ["readonly buffer?: { readonly type: 'uniform'; readonly minBindingSize: number }"]),
    ...(textures
      ? [
          "readonly texture?: { readonly sampleType: 'unfilterable-float' | 'float' | 'depth' | 'sint' | 'uint'; readonly viewDimension: GPUTextureViewDimension; readonly multisampled: boolean }",
          "readonly storageTexture?: { readonly access: 'read-only' | 'write-only' | 'read-write'; readonly format: GPUTextureFormat; readonly viewDimension: GPUTextureViewDimension }",
        ]
      : []),
  ]
    .map((line) => `    ${line}\n`)
    .join('')

const variantMembers = (): Members => [
  { name: 'id', type: 'Variant' },
  { name: 'source', type: 'string' },
  {
    name: 'needs',
    type: '{\n    readonly features: readonly string[]\n    readonly languageFeatures: readonly string[]\n    readonly limits: Readonly<Record<string, number>>\n    readonly alias: readonly [string, string] | null\n  }',
  },
  { name: 'wgsl', type: 'string' },
  { name: 'entryPoint', type: 'string' },
  { name: 'workgroupSize', type: 'readonly [Size, Size, Size]' },
  { name: 'layouts', type: 'readonly Layout[]' },
  { name: 'slots', type: 'readonly { readonly name: string; readonly group: number; readonly binding: number }[]' },
  {
    name: 'params',
    type: "\n    | { readonly via: 'uniform'; readonly group: number; readonly binding: number }\n    | { readonly via: 'immediates' }\n    | null",
  },
  { name: 'sourceMap', type: 'null' },
]

const wgslTexts = (kernel: CompiledKernel): string =>
  `/** The shader of each variant. */\nexport const wgsl: Readonly<Record<Variant, string>> = {\n${kernel.variants.map((v) => `  ${key(v.id)}: ${template(v.wgsl)},\n`).join('')}}`

const layoutTables = (kernel: CompiledKernel): string =>
  `/** The bind-group layouts of each variant, by group. */\nexport const layouts: Readonly<Record<Variant, readonly Layout[]>> = ${literal(Object.fromEntries(kernel.variants.map((v) => [v.id, v.layouts])))}`

const of = (table: string, id: string): Code => new Code(key(id) === id ? `${table}.${id}` : `${table}[${quote(id)}]`)

function variantTable(kernel: CompiledKernel): string {
  const rows = kernel.variants.map((v) => ({
    ...v,
    wgsl: of('wgsl', v.id),
    layouts: of('layouts', v.id),
    sourceMap: null,
  }))
  return `type Size = number | { readonly override: string }\n\n/** Best first. */\nexport const variants: readonly CompiledVariant[] = ${literal(rows)}`
}

function artifactValue(kernel: CompiledKernel): string {
  const { ir: _, ...rest } = kernel
  const text = literal({ ...rest, bindings: new Code('bindingList'), variants: new Code('variants') })
  const bindings = kernel.bindings.map((b) => `readonly ${key(b.name)}: ${quote(b.type)}`).join('; ')
  const params = kernel.params?.fields.map((f) => `readonly ${key(f.name)}: ${quote(f.type)}`).join('; ') ?? ''
  return `const bindingList: readonly CompiledBinding[] = ${literal(kernel.bindings)}

const compiled = ${text} as const

/** The same as data: \`@weft/runtime\` runs it. \`$\` is there for its types only. */
export const artifact: typeof compiled & {
  readonly $?: {
    readonly bindings: { ${bindings} }
    readonly params: { ${params} }
  }
} = compiled`
}

function packer(kernel: CompiledKernel): string {
  const layout = kernel.params
  if (layout === null) return ''
  return `/** The params as the shader reads them. Throws where a value does not fit its type. */
export function packParams(params: Params): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(${layout.size})
  const view = new DataView(bytes.buffer)
${packStatements(layout)
  .map((line) => `  ${line}\n`)
  .join('')}  return bytes
}

${packFunctions(layout)}`
}

const failFunction = (kernel: CompiledKernel): string => `/** An error with a code, as \`bad-param\`. */
function fail(code: string, message: string): RangeError & { readonly code: string } {
  return Object.assign(new RangeError(\`\${code}: ${kernel.name}: \${message}\`), { code })
}`
