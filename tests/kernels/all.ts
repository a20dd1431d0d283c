import type { KernelSource } from '@weft/dsl/ir'
import * as source from '@weft/kernels/source'

const isKernel = (value: unknown): value is KernelSource =>
  typeof value === 'object' && value !== null && 'ir' in value && 'variants' in value

/** Every kernel that the library ships. */
export const allKernels: readonly KernelSource[] = Object.values(source as Readonly<Record<string, unknown>>)
  .flat()
  .filter(isKernel)
