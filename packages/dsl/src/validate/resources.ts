import { alignOf, isValue, membersOf, roundUp } from '../types'
import type { Context } from './context'
import type { Limits } from './limits'
import { WGSL_LIMITS } from './limits'

/** The size of a workgroup, the number of bindings and the bytes of params against the limits. */
export function checkResources(context: Context): void {
  checkWorkgroupSize(context)
  checkSubgroupSize(context)
  checkBindings(context)
  checkTextures(context)
  checkParams(context)
}

/** What every device stores to; more need features that weft does not ask for. */
const STORABLE = new Set([
  ...['unorm', 'snorm', 'uint', 'sint'].map((n) => `rgba8${n}`),
  ...['uint', 'sint', 'float'].flatMap((n) => [`rgba16${n}`, `r32${n}`, `rg32${n}`, `rgba32${n}`]),
])

function checkTextures(context: Context): void {
  for (const { name, type } of context.kernel.bindings) {
    if (isValue(type) || type.kind !== 'texture' || type.format === undefined) continue
    if (!STORABLE.has(type.format))
      context.report(
        'bad-type',
        `texture '${name}' has the format ${type.format}, which not every device can store to`,
        undefined,
        'use rgba8unorm, rgba16float, r32float, rgba32float or their integer forms',
      )
    else if (type.access === 'read_write' && !/^r32/.test(type.format))
      context.report(
        'bad-type',
        `texture '${name}' of format ${type.format} cannot be read and written at once`,
        undefined,
        'only r32float, r32sint and r32uint can',
      )
  }
}

const AXES = ['X', 'Y', 'Z'] as const

function checkWorkgroupSize(context: Context): void {
  const { kernel, limits } = context
  const bad = (message: string): void => context.report('workgroup-size', message)
  let product = 1
  for (const [i, axis] of AXES.entries()) {
    const extent = kernel.workgroupSize[i] ?? 1
    const size = context.extent(extent)
    if (size === null) continue
    const most = limits[`maxComputeWorkgroupSize${axis}`]
    if (!Number.isInteger(size) || size < 1)
      bad(`the workgroup size in ${axis.toLowerCase()} must be a positive integer, not ${size}`)
    else if (size > most) bad(`the workgroup size in ${axis.toLowerCase()} is ${size}, more than ${most}`)
    product *= size
  }
  const most = limits.maxComputeInvocationsPerWorkgroup
  if (product > most) bad(`a workgroup has ${product} invocations, more than ${most}`)
}

function checkSubgroupSize(context: Context): void {
  const { subgroupSize, workgroupSize } = context.kernel
  if (subgroupSize === null) return
  const power = Number.isInteger(subgroupSize) && subgroupSize > 0 && (subgroupSize & (subgroupSize - 1)) === 0
  if (!power || subgroupSize < 4 || subgroupSize > 128)
    context.report('workgroup-size', `a subgroup size must be a power of two in 4…128, not ${subgroupSize}`)
  const x = context.extent(workgroupSize[0])
  if (power && x !== null && x % subgroupSize !== 0)
    context.report(
      'workgroup-size',
      `the workgroup size in x is ${x}, not a multiple of the subgroup size ${subgroupSize}`,
    )
}

const COUNTED = {
  storage: ['maxStorageBuffersPerShaderStage', 'storage buffers'],
  uniform: ['maxUniformBuffersPerShaderStage', 'uniform buffers'],
  sampled: ['maxSampledTexturesPerShaderStage', 'sampled textures'],
  texture: ['maxStorageTexturesPerShaderStage', 'storage textures'],
} as const satisfies Record<string, readonly [keyof Limits, string]>

function checkBindings(context: Context): void {
  const { bindings, params } = context.kernel
  const { limits } = context
  const counts: Record<keyof typeof COUNTED, number> = {
    storage: 0,
    uniform: params.length > 0 ? 1 : 0,
    sampled: 0,
    texture: 0,
  }
  for (const b of bindings) {
    const sampled = b.kind === 'texture' && !isValue(b.type) && b.type.kind === 'texture' && b.type.format === undefined
    counts[sampled ? 'sampled' : b.kind]++
  }
  for (const kind of Object.keys(COUNTED) as (keyof typeof COUNTED)[]) {
    const [limit, name] = COUNTED[kind]
    if (counts[kind] > limits[limit])
      context.report(
        'too-many-bindings',
        `the kernel has ${counts[kind]} ${name}, more than ${limits[limit]}`,
        undefined,
        'put several arrays into one buffer, or split the kernel',
      )
  }
  const all = bindings.length + (params.length > 0 ? 1 : 0)
  if (all > limits.maxBindingsPerBindGroup)
    context.report('too-many-bindings', `the kernel has ${all} bindings, more than ${limits.maxBindingsPerBindGroup}`)
}

function checkParams(context: Context): void {
  const { params } = context.kernel
  if (params.length === 0) return
  const members = membersOf({ fields: params })
  const last = members[members.length - 1]
  if (!last) return
  const bytes = roundUp(Math.max(...params.map((p) => p.align ?? alignOf(p.type))), last.offset + last.size)
  const { maxUniformBufferBindingSize: most } = context.limits
  if (bytes > most) context.report('bad-type', `the params take ${bytes} bytes, more than ${most}`)
  if (context.options.immediates && bytes > WGSL_LIMITS.immediateBytes) {
    context.report(
      'immediate-size',
      `the params take ${bytes} bytes, more than the ${WGSL_LIMITS.immediateBytes} of immediates`,
    )
  }
}
