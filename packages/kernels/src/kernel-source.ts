import type { KernelSource } from '@weft/dsl/ir'
import * as families from './families'

const isKernel = (value: unknown): value is KernelSource =>
  typeof value === 'object' && value !== null && 'ir' in value && 'variants' in value

const byName = new Map<string, KernelSource>()

/** Every kernel that the package ships, as a DSL value. */
export const kernelSources = (): readonly KernelSource[] => {
  if (byName.size === 0)
    for (const value of Object.values(families as Readonly<Record<string, unknown>>).flat())
      if (isKernel(value)) byName.set(value.name, value)
  return [...byName.values()]
}

/** The one of this name: `cpu({ kernels: (name) => … compile(kernelSource(name)) })` runs the functions of the package without a GPU. */
export const kernelSource = (name: string): KernelSource | undefined => {
  kernelSources()
  return byName.get(name)
}
