import { checkStructure, deserialize, FEATURES, type Feature, WeftError } from '@weft/dsl/ir'
import type { CompiledKernel, CompiledVariant } from '../artifact'
import { withinStack } from '../compile/deep'
import type { Executable, Executor, Launch } from '../executor'
import type { OutOfRange } from './memory'
import { type Prepared, prepare } from './prepare'

export interface CpuOptions {
  /** Invocations of a subgroup: a power of two from 4 to 128. */
  readonly subgroupSize?: number
  /**
   * The kernel of this name with its IR, for those that ship without: `compile(source)`. For the library's,
   * `kernelSource(name)` of `@weft/kernels/source` has the source.
   */
  readonly kernels?: (name: string) => CompiledKernel | undefined
  /**
   * Told of the first access of each launch that is out of range of a binding, as `console.warn`. WGSL allows these, and no
   * result changes; without this, nothing looks for them.
   */
  readonly onOutOfRange?: (access: OutOfRange) => void
}

const features: readonly Feature[] = Object.values(FEATURES)
const named = (key: 'device' | 'language'): readonly string[] => features.flatMap((f) => f[key] ?? [])

/** Memory of the host is the only real limit; these are figures that common GPUs have. */
const LIMITS: Readonly<Record<string, number>> = {
  maxBindGroups: 4,
  maxBindingsPerBindGroup: 1000,
  maxBufferSize: 2 ** 31 - 4,
  maxComputeInvocationsPerWorkgroup: 1024,
  maxComputeWorkgroupSizeX: 1024,
  maxComputeWorkgroupSizeY: 1024,
  maxComputeWorkgroupSizeZ: 64,
  maxComputeWorkgroupStorageSize: 65536,
  maxComputeWorkgroupsPerDimension: 65535,
  maxDynamicStorageBuffersPerPipelineLayout: 4,
  maxDynamicUniformBuffersPerPipelineLayout: 8,
  maxImmediateSize: 64,
  maxSampledTexturesPerShaderStage: 16,
  maxStorageBufferBindingSize: 2 ** 31 - 4,
  maxStorageBuffersPerShaderStage: 16,
  maxStorageTexturesPerShaderStage: 8,
  maxUniformBufferBindingSize: 65536,
  maxUniformBuffersPerShaderStage: 12,
  minStorageBufferOffsetAlignment: 256,
  minUniformBufferOffsetAlignment: 256,
}

/**
 * The interpreter as a device: `createRuntime({ device: cpu() })` runs compiled kernels on it. It needs their IR
 * (`CompiledKernel.ir`): they carry it, or `kernels` has it.
 */
export function cpu(options: CpuOptions = {}): Executor {
  const subgroupSize = options.subgroupSize ?? 32
  return {
    kind: 'cpu',
    name: 'weft interpreter',
    features: named('device'),
    languageFeatures: named('language'),
    subgroupSize,
    limits: { ...LIMITS, minSubgroupSize: subgroupSize, maxSubgroupSize: subgroupSize },
    prepare: (kernel, variant, overrides) =>
      executable(kernel, variant, overrides, irOf(kernel, variant, options), subgroupSize, options.onOutOfRange),
  }
}

function irOf(kernel: CompiledKernel, { source }: CompiledVariant, { kernels }: CpuOptions): string {
  const text = (kernel.ir ?? kernels?.(kernel.name)?.ir)?.[source]
  if (text !== undefined) return text
  throw new WeftError({
    code: 'no-variant',
    message: `kernel '${kernel.name}' carries no IR of its variant '${source}', which the interpreter runs`,
    note: 'pass a kernel that carries it, as compile(source) gives; or tell the device where it is: cpu({ kernels: (name) => … })',
  })
}

function executable(
  kernel: CompiledKernel,
  variant: CompiledVariant,
  overrides: Readonly<Record<string, number>>,
  text: string,
  subgroupSize: number,
  onOutOfRange: CpuOptions['onOutOfRange'],
): Executable {
  const ir = deserialize(text)
  // it comes from outside: nothing that the builder guarantees is taken on trust
  const [first, ...more] = withinStack(
    () => ir,
    () => checkStructure(ir),
  )
  if (first) throw new WeftError(first, ...more)
  const size = ir.subgroupSize ?? subgroupSize
  let told = false
  const watch = (access: OutOfRange): void => {
    if (!told) onOutOfRange?.(access)
    told = true
  }
  const prepared = prepare(ir, {
    overrides: byName(kernel, overrides),
    subgroupSize: size,
    layout: kernel.params,
    ...(onOutOfRange && { watch }),
  })
  return {
    run: (launch) => {
      told = false
      runLaunch(prepared, variant, launch)
    },
  }
}

/** Overrides come under the keys that WebGPU takes, which may be `@id` numbers: `prepare` knows both. */
const byName = (kernel: CompiledKernel, overrides: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(overrides).map(([key, value]) => [kernel.overrides.find((o) => o.key === key)?.name ?? key, value]),
  )

/** In a variant for an alias the two names are one binding: either of them may have been given. */
function runLaunch(prepared: Prepared, variant: CompiledVariant, launch: Launch): void {
  const { alias } = variant.needs
  const bindings = { ...launch.bindings }
  const [a, b] = alias ?? []
  const memory = (a && bindings[a]) ?? (b && bindings[b])
  if (a && b && memory) {
    bindings[a] ??= memory
    bindings[b] ??= memory
  }
  prepared.run({ bindings, params: launch.params, workgroups: launch.workgroups })
}
