import type { CompiledKernel, CompiledVariant } from './artifact'

/**
 * Something that runs compiled kernels on the CPU: what `cpu()` of `@weft/codegen/interp` gives and
 * `createRuntime({ device: cpu() })` takes. The runtime knows this interface and nothing of the interpreter.
 */
export interface Executor {
  readonly kind: 'cpu'
  /** For reports, as 'weft interpreter'. */
  readonly name: string
  /** `GPUFeatureName`s that it can run. */
  readonly features: readonly string[]
  readonly languageFeatures: readonly string[]
  readonly subgroupSize: number
  /** Limits by their WebGPU names. */
  readonly limits: Readonly<Record<string, number>>
  /** Compiles a variant for fixed overrides; needs `kernel.ir`. */
  prepare(kernel: CompiledKernel, variant: CompiledVariant, overrides: Readonly<Record<string, number>>): Executable
}

export interface Executable {
  run(launch: Launch): void
}

export interface Launch {
  /** The bound range of each binding by name; buffers are written in place. Same memory under two names is the same buffer. */
  readonly bindings: Readonly<Record<string, Uint8Array | BoundTexture>>
  /** Packed by `CompiledKernel.params`. */
  readonly params: Uint8Array
  readonly workgroups: readonly [number, number, number]
}

export interface BoundTexture {
  readonly format: string
  readonly size: readonly [number, number, number]
  readonly mipLevels: number
  /** Tightly packed texels, rows of `size[0]`. */
  readonly bytes: Uint8Array
}
