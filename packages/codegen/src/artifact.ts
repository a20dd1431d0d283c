import type { CostRule, LaunchRule } from '@weft/dsl/ir'

/**
 * What compilation yields: serializable data (`JSON.stringify` and back is the identity), all that a runtime in
 * any language needs to run a kernel. Nothing here refers to the compiler.
 */
export interface CompiledKernel {
  /** Version of this format. */
  readonly format: 1
  readonly name: string
  /** The doc comment of the kernel, or ''. */
  readonly doc: string
  /** SHA-256 (hex) over all variants: changes exactly when something that reaches the device changes. */
  readonly hash: string
  /** In order of declaration; the interface that a caller sees, the same for all variants. */
  readonly bindings: readonly CompiledBinding[]
  /** null when the kernel has no params. */
  readonly params: ParamsLayout | null
  readonly overrides: readonly CompiledOverride[]
  readonly launch: LaunchRule | null
  /** What a dispatch costs, where the kernel declares it; for profilers. */
  readonly cost?: CostRule
  /** Pairs [input, output] that may be given the same buffer. */
  readonly aliases: readonly (readonly [string, string])[]
  /** Best first; `selectVariant` takes the first whose needs the device meets. */
  readonly variants: readonly CompiledVariant[]
  /** The serialized IR by source variant, for the interpreter; shipped artifacts may leave it out. */
  readonly ir?: Readonly<Record<string, string>>
}

export interface CompiledBinding {
  readonly name: string
  readonly kind: 'storage' | 'uniform' | 'texture'
  readonly access: 'read' | 'write' | 'read_write'
  /** The WGSL type, as `array<f32>`. */
  readonly type: string
  /** Of an array binding: its element type and stride in bytes; else null. */
  readonly element: { readonly type: string; readonly stride: number } | null
  /** Fixed part of the layout in bytes; a runtime-sized array counts one element. */
  readonly minBindingSize: number
  /** Whether every element is written (`full`) or only some (`partial`); null for what is not written. */
  readonly writes: 'full' | 'partial' | null
}

export interface ParamsLayout {
  /** Size in bytes, padded to what a uniform block needs. */
  readonly size: number
  readonly fields: readonly ParamField[]
}

export interface ParamField {
  readonly name: string
  /** A WGSL value type, or `array<T, N>`. */
  readonly type: string
  readonly offset: number
  readonly size: number
}

export interface CompiledOverride {
  readonly name: string
  readonly type: 'bool' | 'f16' | 'f32' | 'i32' | 'u32'
  readonly default: number | null
  /** The key to use in `GPUProgrammableStage.constants`. */
  readonly key: string
}

export interface Needs {
  /** `GPUFeatureName`s. */
  readonly features: readonly string[]
  /** WGSL language features. */
  readonly languageFeatures: readonly string[]
  /** Limits that must be at least so high (only those above nothing; names of `GPUSupportedLimits`). */
  readonly limits: Readonly<Record<string, number>>
  /** Which declared alias this variant is for: the two names are one binding. */
  readonly alias: readonly [string, string] | null
}

export interface CompiledVariant {
  /** Unique within the kernel, as `portable`, `subgroups+immediates`, `portable+x=y`. */
  readonly id: string
  /** The variant of the source (key of `CompiledKernel.ir`). */
  readonly source: string
  readonly needs: Needs
  readonly wgsl: string
  readonly entryPoint: string
  /** Numbers, or the name of the override that gives it. */
  readonly workgroupSize: readonly [Size, Size, Size]
  /** One descriptor per bind group, ready for `device.createBindGroupLayout`. */
  readonly layouts: readonly BindGroupLayoutDescriptor[]
  /** Where each binding of the kernel goes, by name. */
  readonly slots: readonly Slot[]
  /** How params reach the shader. */
  readonly params:
    | { readonly via: 'uniform'; readonly group: number; readonly binding: number }
    | { readonly via: 'immediates' }
    | null
  /** For each line of `wgsl` (0-based), an index into `positions`, or −1. */
  readonly sourceMap: SourceMap | null
}

export type Size = number | { readonly override: string }

export interface Slot {
  readonly name: string
  readonly group: number
  readonly binding: number
}

export interface SourceMap {
  readonly files: readonly string[]
  /** [file index, line, column] by WGSL line, or null. */
  readonly lines: readonly (readonly [number, number, number] | null)[]
}

/** A `GPUBindGroupLayoutDescriptor` of plain data, spelled out so that it needs no WebGPU types. */
export interface BindGroupLayoutDescriptor {
  readonly label: string
  readonly entries: readonly BindGroupLayoutEntry[]
}

export interface BindGroupLayoutEntry {
  readonly binding: number
  /** `GPUShaderStage.COMPUTE`. */
  readonly visibility: 4
  readonly buffer?: { readonly type: 'uniform' | 'storage' | 'read-only-storage'; readonly minBindingSize: number }
  readonly texture?: {
    readonly sampleType: 'unfilterable-float' | 'float' | 'depth' | 'sint' | 'uint'
    readonly viewDimension: string
    readonly multisampled: boolean
  }
  readonly storageTexture?: {
    readonly access: 'read-only' | 'write-only' | 'read-write'
    readonly format: string
    readonly viewDimension: string
  }
}
