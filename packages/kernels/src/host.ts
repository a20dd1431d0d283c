import type { CompiledKernel } from '@weft/codegen'
import type { BufferLike, Runtime } from '@weft/runtime'

/** What every host function takes. */
export interface HostOptions {
  /**
   * In place of the compiled kernel that ships with the package: one specialized for other sizes, or one that carries its
   * IR, which the CPU device needs (`compile(source)` of `@weft/codegen`, with the sources of `@weft/kernels/source`).
   */
  readonly kernel?: CompiledKernel
  /** The same by the name of the kernel, for functions that run several; what it does not know is taken as it ships. */
  readonly kernels?: (name: string) => CompiledKernel | undefined
}

/** The kernel to run in place of one that ships. */
export const chosen = (artifact: CompiledKernel, { kernel, kernels }: HostOptions): CompiledKernel =>
  kernel ?? kernels?.(artifact.name) ?? artifact

/** Refuses a size that is not an integer ≥ 0 before anything is recorded. */
export function checkSizes(what: string, sizes: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(sizes)) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${what}: ${name} must be an integer from 0 on, got ${value}`)
  }
}

/** The bytes of a buffer, or of a range of one. */
export const bytesOf = (buffer: BufferLike): number => {
  if ('size' in buffer && typeof buffer.size === 'number') return buffer.size
  const { buffer: whole, offset = 0 } = buffer as Extract<BufferLike, { readonly buffer: unknown }>
  return bytesOf(whole as BufferLike) - offset
}

/** Refuses a buffer that is too small for so many elements (of 4 bytes unless told), before anything is recorded. */
export function checkBuffers(
  what: string,
  buffers: Readonly<Record<string, readonly [buffer: BufferLike, elements: number, bytesEach?: number]>>,
): void {
  for (const [name, [buffer, elements, bytesEach = 4]] of Object.entries(buffers)) {
    const has = Math.floor(bytesOf(buffer) / bytesEach)
    if (has < elements) throw new RangeError(`${what}: ${name} must have ${elements} elements, and has ${has}`)
  }
}

export type { BufferLike, Runtime }
