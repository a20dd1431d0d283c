import type { CompiledKernel } from '@weft/codegen'
import type { BufferLike, Runtime } from '@weft/runtime'

/** What every host function takes. */
export interface HostOptions {
  /**
   * In place of the compiled kernel that ships with the package: one specialized for other sizes, or one that carries its
   * IR, which the CPU device needs (`compile(source)` of `@weft/codegen`, with the sources of `@weft/kernels/source`).
   */
  readonly kernel?: CompiledKernel
}

/** Refuses a size that is not an integer ≥ 0 before anything is recorded. */
export function checkSizes(what: string, sizes: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(sizes)) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${what}: ${name} must be an integer from 0 on, got ${value}`)
  }
}

export type { BufferLike, Runtime }
