/** What a generated kernel can refer to at a place, by type. */
import type { AnyExpr, Builder } from '@weft/dsl'
import type { ValueName } from '@weft/dsl/ir'

/** Types of generated variables. */
export const TYPES = [
  'u32',
  'i32',
  'f32',
  'bool',
  'vec2u',
  'vec3i',
  'vec2f',
  'vec4f',
  'vec3u',
  'vec2<bool>',
] as const satisfies readonly ValueName[]
export type FuzzType = (typeof TYPES)[number]

/** The methods of expressions and references, without their types: genes choose among them at random. */
export interface Loose extends AnyExpr {
  at(...i: readonly (AnyExpr | number)[]): Loose
  set(v: AnyExpr): void
  readonly [method: string]: unknown
}
export const loose = (x: unknown): Loose => x as Loose
export const call = (x: AnyExpr, method: string, ...args: readonly unknown[]): Loose =>
  (loose(x)[method] as (...a: readonly unknown[]) => Loose).call(x, ...args)

/**
 * A float is kept where its operations are exact enough to be the same everywhere: `most` bounds its size, and it is a
 * multiple of 2^-`fraction`, so that neither infinities nor subnormals come out of sums and products.
 */
export interface Bounded {
  readonly value: Loose
  readonly most: number
  readonly fraction: number
}
export const KEPT = { most: 4096, fraction: 8 } as const

export interface Named {
  readonly type: FuzzType
  /** Reads it, now. */
  read(): Loose
  /** Absent for what cannot be written. */
  set?(v: Loose): void
}

export interface Place {
  readonly k: Builder
  /** Visible values and variables, innermost last. */
  readonly names: readonly Named[]
  /** Arrays of 4 elements in variables, read and written at any index that is masked. */
  readonly arrays: readonly { readonly type: FuzzType; readonly ref: Loose }[]
  /** Functions of a u32 that give one. */
  readonly functions: readonly ((k: Builder, x: Loose) => Loose)[]
  /** Variables of the struct of all generated kernels. */
  readonly structs: readonly Loose[]
  /** 0, which no compiler knows: what is combined with it is no constant, so nothing is refused. */
  zero(): Loose
  /** The kernel's workgroup and storage memory; null within functions. */
  readonly memory: Memory | null
  /** Whether all invocations of the workgroup are here together. */
  readonly uniform: boolean
  /** What a break leaves, if there may be one. */
  readonly around: 'none' | 'loop' | 'switch'
  /** Whether there is a loop that a continue may go on with. */
  readonly inLoop: boolean
  /** Whether a value may be returned, from a function. */
  readonly inFunction: boolean
  /** How often the loops around go round, at most. */
  readonly rounds: number
  name(stem: string): string
}

/** Memory that invocations share; each writes only its own cell, and atomics are updated by one operation each. */
export interface Memory {
  readonly size: number
  readonly localIndex: Loose
  readonly globalIndex: Loose
  uniformValue(): Loose
  readonly tiles: readonly { readonly type: FuzzType; readonly ref: Loose }[]
  readonly counters: readonly { readonly op: 'add' | 'max' | 'min' | 'or' | 'xor'; readonly ref: Loose }[]
  readonly inputs: readonly { readonly type: FuzzType; readonly ref: Loose; readonly length: number }[]
}

export const within = (place: Place, more: Partial<Place>): Place => ({ ...place, ...more })
