import type { CompiledKernel } from '@weft/codegen'
import type { Workgroups } from '../launch'

/** The first 128 bits of a SHA-256, in hex: what has the same sum has the same content. */
export type Sum = string

export async function sumOf(bytes: Uint8Array<ArrayBuffer>): Promise<Sum> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export interface TracedBuffer {
  readonly label: string
  /** Bytes. */
  readonly size: number
}

/** A range of a buffer in bytes, or a texture, whose content is not traced. */
export type TracedBinding =
  | { readonly buffer: number; readonly offset: number; readonly size: number }
  | { readonly texture: true }

/** The content of a buffer was new to the trace: the host wrote it, or something that is not traced. */
export interface WriteStep {
  readonly kind: 'write'
  readonly buffer: number
  readonly content: Sum
}

export interface DispatchStep {
  readonly kind: 'dispatch'
  readonly kernel: number
  /** The id of the variant that ran. */
  readonly variant: string
  readonly overrides: Readonly<Record<string, number>>
  /** As `CompiledKernel.params` lays them out, in hex. */
  readonly params: string
  readonly bindings: Readonly<Record<string, TracedBinding>>
  readonly workgroups: Workgroups
  /** The sums of all buffers that were bound, as pairs of buffer and sum. */
  readonly before: readonly (readonly [buffer: number, sum: Sum])[]
  /** The sums of those that could be written. */
  readonly after: readonly (readonly [buffer: number, sum: Sum])[]
}

export type Step = WriteStep | DispatchStep

/**
 * A run as plain data: what was dispatched on what, and what came of it. Everything that a replay needs is in it.
 * Kernels and buffers are referred to by their index.
 */
export interface Trace {
  /** The version of this format. */
  readonly format: 1
  /** What it ran on, for people. */
  readonly engine: string
  readonly kernels: readonly CompiledKernel[]
  readonly buffers: readonly TracedBuffer[]
  readonly steps: readonly Step[]
  /** Contents of whole buffers: all that were written from outside, and if it was asked for, all others too. */
  readonly contents: ReadonlyMap<Sum, Uint8Array<ArrayBuffer>>
}

export const dispatchesOf = ({ steps }: Trace): readonly DispatchStep[] =>
  steps.filter((step): step is DispatchStep => step.kind === 'dispatch')

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

export const fromHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))
