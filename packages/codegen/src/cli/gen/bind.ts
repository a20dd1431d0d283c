import type { CompiledKernel } from '../../artifact'
import { type Facts, when } from './facts'
import { quote } from './literal'
import { rangeFunctions } from './ranges'
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
    checkNames('extra-binding', 'binding', given, bindingList.map(({ name }) => name))
    const ranges = new Map(bindingList.map((b) => [b.name, rangeOf(b, given[b.name], this.device)]))
    ${pipeline}
    ${when(buffers, `checkOverlaps(ranges${when(aliases, ', alias')})\n    `)}return new Bound(this.device, pipeline, ranges${when(overrides, ', this.overrides')})
  }
}`
}

function boundClass(kernel: CompiledKernel, facts: Facts): string {
  const { overrides, launch } = facts
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

${dispatchMethod(kernel, facts)}

${bindGroups(kernel, facts)}
}${when(facts.immediates, SET_IMMEDIATES)}`
}

function dispatchMethod({ name }: CompiledKernel, facts: Facts): string {
  const { params, launch, immediates } = facts
  const parameters = [
    'target: Target',
    ...(params ? ['params: Params'] : []),
    ...(launch === null ? ['workgroups: readonly [x: number, y?: number, z?: number]'] : []),
  ]
  const held = workgroupArguments(facts).map(([argument]) => (argument === 'params' ? argument : `this.${argument}`))
  const rule = [...held, 'this.device.limits.maxComputeWorkgroupsPerDimension'].join(', ')
  const counts = launch === null ? '[x, y = 1, z = 1] = workgroups' : `[x, y, z] = workgroups(${rule})`
  return `  /**
   * Records one dispatch, into a pass or into a pass of its own${when(launch !== null, '; nothing when the launch rule gives 0 workgroups')}.${when(params, '\n   * Params are copied: the next dispatch of the same encoder may have others.')}
   */
  dispatch(${parameters.join(', ')}): void {
    ${when(params, 'const bytes = packParams(params)\n    ')}const ${counts}
    if (x === 0 || y === 0 || z === 0) return
    const pass = 'beginComputePass' in target ? target.beginComputePass({ label: ${quote(name)} }) : target
    pass.setPipeline(this.pipeline.pipeline)
    this.bindGroups(${when(params, 'bytes')}).forEach((group, index) => pass.setBindGroup(index, group))
    ${when(immediates, "if (this.pipeline.variant.params?.via === 'immediates') setImmediates(pass, bytes)\n    ")}pass.dispatchWorkgroups(x, y, z)
    if (pass !== target) pass.end()
  }`
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
