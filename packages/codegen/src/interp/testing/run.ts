import type { KernelSource } from '@weft/dsl'
import type { BoundTexture } from '../index'
import { interpret, type PrepareOptions, type RunOptions } from '../index'

type Arrays = Readonly<
  Record<string, Float32Array | Int32Array | Uint32Array | Uint16Array | Uint8Array | BoundTexture>
>

export interface Options extends PrepareOptions, Pick<RunOptions, 'params'> {
  readonly workgroups?: readonly number[]
}

const isTexture = (x: object): x is BoundTexture => 'format' in x

/** Runs a kernel on typed arrays, which are written in place. */
export function run(source: KernelSource, arrays: Arrays, options: Options = {}): void {
  const bindings = Object.fromEntries(
    Object.entries(arrays).map(([name, a]) => [
      name,
      isTexture(a) ? a : new Uint8Array(a.buffer, a.byteOffset, a.byteLength),
    ]),
  )
  interpret(source.ir(), { ...options, bindings, workgroups: options.workgroups ?? [1] })
}

export const floats = (n: number, f: (i: number) => number = () => 0): Float32Array =>
  Float32Array.from({ length: n }, (_, i) => f(i))
export const ints = (n: number, f: (i: number) => number = () => 0): Int32Array =>
  Int32Array.from({ length: n }, (_, i) => f(i))
export const words = (n: number, f: (i: number) => number = () => 0): Uint32Array =>
  Uint32Array.from({ length: n }, (_, i) => f(i))
