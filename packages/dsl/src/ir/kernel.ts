import type { FeatureName } from '../ops'
import type { Access, Field, TextureType, Type } from '../types'
import type { CostRule, LaunchRule } from './launch'
import type { Block, Expr, Variable } from './nodes'

/** A binding: one declaration, from which both the WGSL variable and the entry of the layout come. */
export interface Binding {
  readonly name: string
  /** `uniform`: a uniform buffer; `texture`: a sampled or storage texture; else a storage buffer. */
  readonly kind: 'storage' | 'uniform' | 'texture'
  /** What the body may do with it. `write` is emitted as `read_write`, WGSL having no `write` for buffers. */
  readonly access: Access
  readonly type: Type
  /** For textures, the same as `type`. */
  readonly texture?: TextureType
  /** Whether the kernel writes every element of its output (`full`) or only some of them. */
  readonly writes?: 'full' | 'partial'
}

export interface OverrideDecl {
  readonly name: string
  readonly type: 'bool' | 'f16' | 'f32' | 'i32' | 'u32'
  /** null: the host must give a value. */
  readonly default: number | null
  /** `@id(n)`, for hosts that address overrides by number. */
  readonly id: number | null
}

/** A value parameter, or a pointer parameter with its address space. */
export interface FuncParam {
  readonly name: string
  readonly type: Type
}

export interface Func {
  readonly name: string
  readonly params: readonly FuncParam[]
  /** null: the function returns nothing. */
  readonly result: Type | null
  readonly body: Block
}

/** A module-scope constant: a value built from constants only. */
export interface ConstantDecl {
  readonly name: string
  readonly type: Type
  readonly value: Expr
}

/** A kernel: one compute entry point with everything that it uses. */
export interface Kernel {
  readonly kind: 'kernel'
  readonly name: string
  /** Which of the declared variants of the source this is: `portable`, `subgroups`, … */
  readonly variant: string
  /** x, y, z; each a number or the name of an override. */
  readonly workgroupSize: readonly [Extent, Extent, Extent]
  /** A required subgroup size (feature `subgroup-size-control`), or null. */
  readonly subgroupSize: number | null
  readonly bindings: readonly Binding[]
  readonly params: readonly Field[]
  readonly overrides: readonly OverrideDecl[]
  readonly constants: readonly ConstantDecl[]
  /** Module-scope variables: workgroup and private. */
  readonly variables: readonly Variable[]
  /** Callees before callers. */
  readonly functions: readonly Func[]
  readonly body: Block
  /** The number of workgroups as a function of params and overrides, or null: the caller gives it. */
  readonly launch: LaunchRule | null
  /** Pairs `[input, output]` that may be the same buffer. */
  readonly aliases: readonly (readonly [string, string])[]
  /** `required`: `validate` refuses a store whose index nothing limits. `off`: the author answers for it. */
  readonly guards: 'required' | 'off'
}

/** What `kernel(…)` gives: a kernel that is built when it is first asked for. */
export interface KernelSource {
  readonly name: string
  /** What it computes, where the declaration says it: the text on top of the module. */
  readonly doc?: string | undefined
  /** The variants of the source, best first; `needs` are features without which a variant cannot run. */
  readonly variants: readonly { readonly name: string; readonly needs: readonly FeatureName[] }[]
  /** The IR of a variant, built once. Throws a WeftError where the builder is misused. */
  ir(variant?: string): Kernel
  /** The author's position by `at`, found by building the variant once more with stack traces on. */
  positions(variant?: string): readonly (Position | null)[]
  /** What a dispatch costs, where the declaration says it. Throws where that is no rule. */
  readonly cost?: CostRule | null
  /** Limits of a device that it counts on, where they are above the defaults. */
  readonly limits?: Readonly<Record<string, number>> | undefined
  /** Where the kernel is declared: the place of faults that no statement has. */
  readonly declared?: Position | null
}

export type Extent = number | { readonly override: string }

/** Where in the author's source a statement was written. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}
