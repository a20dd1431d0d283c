import type { TgpuBuffer, TgpuRoot } from 'typegpu'
import type { BaseData } from 'typegpu/data'
import { fault } from '../errors'
import type { Unwrap } from '../resolve'

/** By its form, so that a root and buffers of another copy of TypeGPU are known too. */
export const isTgpuBuffer = (value: unknown): value is TgpuBuffer<BaseData> =>
  typeof value === 'object' && value !== null && 'resourceType' in value && value.resourceType === 'buffer'

/**
 * Buffers of TypeGPU for a runtime. `unwrap` makes the GPUBuffer where there is none yet, which fixes its usages; so a
 * usage that is missing then is missing for good, and the error says where to declare it.
 */
export const unwrapWith =
  (root: TgpuRoot): Unwrap =>
  (value, what) => {
    if (!isTgpuBuffer(value)) return null
    if (value.destroyed) throw fault('buffer-destroyed', `${what} is a TypeGPU buffer that was destroyed`)
    return {
      gpu: root.unwrap(value),
      usageNote: (usage) => `declare it before its first use: root.createBuffer(…).$usage('${usage.toLowerCase()}')`,
    }
  }
