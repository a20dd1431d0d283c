import type { CompiledKernel } from '../../artifact'
import { type Facts, when } from './facts'
import { quote } from './literal'
import { workgroupArguments } from './workgroups'

/** The classes of a generated module: a compiled kernel, and one with its resources. */
export function bindClasses(kernel: CompiledKernel, facts: Facts): string {
  return [kernelClass(facts), boundClass(kernel, facts), rangeFunctions(facts)].filter(Boolean).join('\n\n')
}

function kernelClass({ aliases, overrides, buffers }: Facts): string {
  const pipeline = aliases
    ? `const alias = aliasOf(ranges)
    const pipeline = this.pipelines.find(({ variant }) => String(variant.needs.alias) === String(alias))
    if (!pipeline) throw fail('no-variant', \`no variant takes \${String(alias)} in one buffer\`)`
    : `const [pipeline] = this.pipelines
    if (!pipeline) throw fail('no-variant', 'it was not compiled')`
  return `/** The kernel on one device. Made by \`create\`. */
export class Kernel {
  /** @internal */
  constructor(device: GPUDevice, pipelines: readonly Pipeline[]${when(overrides, ', overrides: Required<Overrides>')}) {
    this.device = device
    this.pipelines = pipelines${when(overrides, '\n    this.overrides = overrides')}
  }

  readonly device: GPUDevice
  /** @internal */
  readonly pipelines: readonly Pipeline[]${when(overrides, '\n  readonly overrides: Required<Overrides>')}

  /** The variant that was chosen. */
  get variant(): Variant | undefined {
    return this.pipelines[0]?.variant.id
  }

  /** Checks the bindings and holds them for any number of dispatches. Throws, with a code, where one does not fit. */
  bind(bindings: Bindings): Bound {
    const given = bindings as unknown as Readonly<Record<string, Bindings[keyof Bindings] | undefined>>
    for (const name of Object.keys(given)) {
      if (!bindingList.some((b) => b.name === name)) throw fail('extra-binding', \`there is no binding '\${name}'\`)
    }
    const ranges = new Map(bindingList.map((b) => [b.name, rangeOf(b, given[b.name], this.device)]))
    ${pipeline}
    ${when(buffers, `checkOverlaps(ranges${when(aliases, ', alias')})\n    `)}return new Bound(this.device, pipeline, ranges${when(overrides, ', this.overrides')})
  }
}`
}

function boundClass(kernel: CompiledKernel, facts: Facts): string {
  const { params, overrides, launch } = facts
  const parameters = [
    ...(params ? ['params: Params'] : []),
    ...(launch === null ? ['workgroups: readonly [x: number, y?: number, z?: number]'] : []),
  ]
  const rule = [
    ...workgroupArguments(facts).map(([name]) =>
      name === 'params' ? 'params' : name === 'lengths' ? 'this.lengths' : 'this.overrides',
    ),
    'this.device.limits.maxComputeWorkgroupsPerDimension',
  ].join(', ')
  const lengths = launch?.lengths.length ? lengthsMember(kernel, launch.lengths) : null
  return `type Target = GPUCommandEncoder | GPUComputePassEncoder

/** The kernel with its resources. Made by \`Kernel.bind\`. */
export class Bound {
  /** @internal */
  constructor(
    device: GPUDevice,
    pipeline: Pipeline,
    ranges: ReadonlyMap<string, Range>,${when(overrides, '\n    overrides: Required<Overrides>,')}
  ) {
    this.device = device
    this.pipeline = pipeline
    this.ranges = ranges${when(overrides, '\n    this.overrides = overrides')}${when(lengths !== null, `\n    this.lengths = ${lengths?.value}`)}
  }

  private readonly device: GPUDevice
  private readonly pipeline: Pipeline
  private readonly ranges: ReadonlyMap<string, Range>${when(overrides, '\n  private readonly overrides: Required<Overrides>')}${when(lengths !== null, `\n  private readonly lengths: ${lengths?.type}`)}
  private readonly groups = new Map<string, GPUBindGroup[]>()

  /**
   * Records one dispatch, into a pass or into a pass of its own${launch === null ? '' : '; nothing when the launch rule gives 0 workgroups'}.${when(params, '\n   * Params are copied: the next dispatch of the same encoder may have others.')}
   */
  dispatch(${['target: Target', ...parameters].join(', ')}): void {
    ${when(params, 'const bytes = packParams(params)\n    ')}${launch === null ? 'const [x, y = 1, z = 1] = workgroups' : `const [x, y, z] = workgroups(${rule})`}
    if (x === 0 || y === 0 || z === 0) return
    const pass = 'beginComputePass' in target ? target.beginComputePass({ label: ${quote(kernel.name)} }) : target
    pass.setPipeline(this.pipeline.pipeline)
    this.bindGroups(${when(params, 'bytes')}).forEach((group, index) => pass.setBindGroup(index, group))
    ${when(facts.immediates, "if (this.pipeline.variant.params?.via === 'immediates') setImmediates(pass, bytes)\n    ")}pass.dispatchWorkgroups(x, y, z)
    if (pass !== target) pass.end()
  }

${bindGroups(kernel, facts)}
}${when(facts.immediates, SET_IMMEDIATES)}`
}

const SET_IMMEDIATES = `

/** Not in all declarations of WebGPU yet. */
function setImmediates(pass: GPUComputePassEncoder, bytes: Uint8Array<ArrayBuffer>): void {
  const typed = pass as unknown as { setImmediates(offset: number, data: Uint8Array<ArrayBuffer>): void }
  typed.setImmediates(0, bytes)
}`

function lengthsMember(kernel: CompiledKernel, names: readonly string[]): { type: string; value: string } {
  const value = names.map((name) => {
    const stride = kernel.bindings.find((b) => b.name === name)?.element?.stride ?? 1
    return `${name}: Math.floor((ranges.get(${quote(name)})?.size ?? 0) / ${stride})`
  })
  return { type: `{ ${names.map((name) => `readonly ${name}: number`).join('; ')} }`, value: `{ ${value.join(', ')} }` }
}

function bindGroups(kernel: CompiledKernel, { params, uniform, aliases }: Facts): string {
  // of a merged pair the output's range is taken; both are the same
  const written = kernel.bindings.filter(({ access }) => access !== 'read').map(({ name }) => name)
  const slot = aliases
    ? `const names = variant.slots.filter((s) => s.group === group && s.binding === entry.binding).map(({ name }) => name)
          const name = names.find((n) => ${JSON.stringify(written).replaceAll('"', "'")}.includes(n)) ?? names[0]`
    : 'const name = variant.slots.find((s) => s.group === group && s.binding === entry.binding)?.name'
  const range = uniform ? 'this.ranges.get(name)' : "this.ranges.get(name ?? '')"
  const resource = uniform
    ? `const resource =
            name === undefined ? { buffer: this.paramsBuffer(bytes) } : resourceOf(${range}, entry, this.device)
          return { binding: entry.binding, resource }`
    : `return { binding: entry.binding, resource: resourceOf(${range}, entry, this.device) }`
  const keyed = params && uniform
  const cacheKey = keyed ? "this.pipeline.variant.params?.via === 'uniform' ? bytes.join() : ''" : "''"
  return `  ${keyed ? '/** Kept by params: a buffer of params never changes, since recorded work reads it when it is submitted. */' : '/** Made at the first dispatch. */'}
  private bindGroups(${when(params, `${keyed ? '' : '_'}bytes: Uint8Array<ArrayBuffer>`)}): GPUBindGroup[] {
    const { variant, bindGroupLayouts } = this.pipeline
    const key = ${cacheKey}
    const known = this.groups.get(key)
    if (known) return known
    const made = bindGroupLayouts.map((layout, group) =>
      this.device.createBindGroup({
        label: ${quote(kernel.name)},
        layout,
        entries: (variant.layouts[group]?.entries ?? []).map((entry) => {
          ${slot}
          ${resource}
        }),
      }),
    )
    ${when(keyed, 'for (const oldest of this.groups.keys()) if (this.groups.size >= 64) this.groups.delete(oldest)\n    ')}this.groups.set(key, made)
    return made
  }${when(uniform, paramsBuffer(kernel))}`
}

const paramsBuffer = (kernel: CompiledKernel): string => `

  private paramsBuffer(bytes: Uint8Array<ArrayBuffer>): GPUBuffer {
    // 64 is GPUBufferUsage.UNIFORM, which is not a global everywhere
    const label = ${quote(`${kernel.name} params`)}
    const buffer = this.device.createBuffer({ label, size: bytes.byteLength, usage: 64, mappedAtCreation: true })
    new Uint8Array(buffer.getMappedRange()).set(bytes)
    buffer.unmap()
    return buffer
  }`

function rangeFunctions({ buffers, textures, aliases }: Facts): string {
  return [
    rangeOf(buffers, textures),
    resourceOf(buffers, textures),
    when(buffers, overlaps(aliases)),
    when(aliases, ALIAS_OF),
  ]
    .filter(Boolean)
    .join('\n\n')
}

const TEXTURE = 'return { texture: given as GPUTexture | GPUTextureView, size: 0, offset: 0 }'

const BUFFER = `const { buffer, offset = 0, size } = 'buffer' in given ? given : { buffer: given as GPUBuffer }
  if (typeof buffer !== 'object' || buffer === null || typeof buffer.size !== 'number') {
    throw fail('binding-type', \`\${what} is no GPUBuffer\`)
  }
  const range = { buffer, offset, size: size ?? buffer.size - offset }
  const { usage, align, most } = rulesOf(binding, device)
  if ((buffer.usage & usage) === 0) {
    throw fail('binding-type', \`\${what} is a buffer without \${usage === 64 ? 'UNIFORM' : 'STORAGE'} usage\`)
  }
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(range.size)
  if (!whole || offset < 0 || range.size < 0 || offset + range.size > buffer.size) {
    throw fail('binding-size', \`\${what} is \${range.size} bytes from byte \${offset} of a buffer of \${buffer.size}\`)
  }
  if (range.size === 0) return range
  if (offset % align !== 0) throw fail('binding-size', \`\${what} starts at byte \${offset}, expected a multiple of \${align}\`)
  if (binding.kind === 'storage' && range.size % 4 !== 0) {
    throw fail('binding-size', \`\${what} has \${range.size} bytes, expected a multiple of 4\`)
  }
  if (range.size < binding.minBindingSize) {
    throw fail('binding-size', \`\${what} has \${range.size} bytes, expected at least \${binding.minBindingSize}\`)
  }
  if (range.size > most) throw fail('binding-limit', \`\${what} binds \${range.size} bytes, and the device allows \${most}\`)
  return range`

const RULES = `

/** Usage (of \`GPUBufferUsage\`, which is not a global everywhere), alignment and largest size. */
function rulesOf({ kind }: CompiledBinding, { limits }: GPUDevice): { usage: number; align: number; most: number } {
  return kind === 'uniform'
    ? { usage: 64, align: limits.minUniformBufferOffsetAlignment, most: limits.maxUniformBufferBindingSize }
    : { usage: 128, align: limits.minStorageBufferOffsetAlignment, most: limits.maxStorageBufferBindingSize }
}`

const rangeOf = (buffers: boolean, textures: boolean): string => `/** What a binding was given, as a checked range. */
function rangeOf(binding: CompiledBinding, given: Bindings[keyof Bindings] | undefined, ${unused(buffers)}device: GPUDevice): Range {
  const what = \`'\${binding.name}' (\${binding.type})\`
  if (given === undefined || given === null) throw fail('missing-binding', \`\${what} is missing\`)
  if (typeof given !== 'object') throw fail('binding-type', \`\${what} is no ${buffers && textures ? 'buffer or texture' : textures ? 'texture' : 'GPUBuffer'}\`)
  ${when(textures, `${when(buffers, "if (binding.kind === 'texture') ")}${TEXTURE}\n  `)}${when(buffers, BUFFER)}
}${when(buffers, RULES)}`

const unused = (used: boolean): string => (used ? '' : '_')

const VIEW = `if (!('createView' in range.texture)) return range.texture
  const { viewDimension = '2d' } = entry.texture ?? entry.storageTexture ?? {}
  return range.texture.createView({ dimension: viewDimension })`

const resourceOf = (buffers: boolean, textures: boolean): string => `type LayoutEntry = Layout['entries'][number]

function resourceOf(range: Range | undefined, entry: LayoutEntry, ${unused(buffers)}device: GPUDevice): GPUBindingResource {
  if (range === undefined) throw fail('missing-binding', \`nothing is bound to \${entry.binding}\`)
  ${when(textures, buffers ? `if ('texture' in range) {\n  ${VIEW.replaceAll('\n', '\n  ')}\n  }\n  ` : VIEW)}${when(
    buffers,
    `if (range.size > 0) return { buffer: range.buffer, offset: range.offset, size: range.size }
  // WebGPU binds nothing of size 0; 192 is STORAGE | UNIFORM
  const size = Math.max(16, entry.buffer?.minBindingSize ?? 0)
  return { buffer: device.createBuffer({ size: Math.ceil(size / 4) * 4, usage: 192 }) }`,
  )}
}`

const overlaps = (
  aliases: boolean,
): string => `/** WebGPU lets a dispatch write a buffer or read it, not both, even in different parts. */
function checkOverlaps(ranges: ReadonlyMap<string, Range>${when(aliases, ', alias: readonly [string, string] | null')}): void {
  const placed = bindingList.flatMap(({ name, access }) => {
    const range = ranges.get(name)
    if (!range || !('buffer' in range) || range.size === 0${when(aliases, ' || name === alias?.[0]')}) return []
    return [{ name, writes: access !== 'read', ...range }]
  })
  placed.forEach((a, i) => {
    for (const b of placed.slice(i + 1)) {
      if (a.buffer !== b.buffer || !(a.writes || b.writes)) continue
      const meet = a.offset < b.offset + b.size && b.offset < a.offset + a.size
      if (!meet && a.writes === b.writes) continue
      const how = meet ? 'overlap in' : 'are parts of'
      throw fail('binding-overlap', \`'\${a.name}' and '\${b.name}' \${how} one buffer, which the kernel writes\`)
    }
  })
}`

const ALIAS_OF = `/** The declared pair that was given the same range, if one was. */
function aliasOf(ranges: ReadonlyMap<string, Range>): readonly [string, string] | null {
  const same = ([input, output]: readonly [string, string]): boolean => {
    const [a, b] = [ranges.get(input), ranges.get(output)]
    if (!a || !b || !('buffer' in a) || !('buffer' in b)) return false
    return a.size > 0 && a.buffer === b.buffer && a.offset === b.offset && a.size === b.size
  }
  return artifact.aliases.find(same) ?? null
}`
