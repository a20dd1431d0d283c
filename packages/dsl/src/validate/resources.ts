import { isKind, sizeOf } from '../types'
import type { Context } from './context'
import { type Limits, WGSL_LIMITS } from './limits'

/** The size of a workgroup, the number of bindings and the bytes of params against the limits. */
export function checkResources(context: Context): void {
  checkWorkgroupSize(context)
  checkBindings(context)
  checkParams(context)
}

function checkWorkgroupSize(context: Context): void {
  const { workgroupSize, subgroupSize } = context.kernel
  const bad = (message: string): void => context.report('workgroup-size', message)
  let product = 1
  AXES.forEach(([axis, limit], i) => {
    const size = context.extent(workgroupSize[i] ?? 1) ?? 1
    const what = `the workgroup size in ${axis}`
    if (!Number.isInteger(size) || size < 1) bad(`${what} must be a positive integer, not ${size}`)
    else context.deviceLimit('workgroup-size', `${what} is`, size, '', limit)
    product *= size
  })
  const most = 'maxComputeInvocationsPerWorkgroup'
  context.deviceLimit('workgroup-size', 'a workgroup has', product, ' invocations', most)
  if (subgroupSize === null) return
  const x = context.extent(workgroupSize[0])
  if (![4, 8, 16, 32, 64, 128].includes(subgroupSize))
    bad(`a subgroup size must be a power of two in 4…128, not ${subgroupSize}`)
  else if (x !== null && x % subgroupSize !== 0)
    bad(`the workgroup size in x is ${x}, not a multiple of the subgroup size ${subgroupSize}`)
}

const AXES = [
  ['x', 'maxComputeWorkgroupSizeX'],
  ['y', 'maxComputeWorkgroupSizeY'],
  ['z', 'maxComputeWorkgroupSizeZ'],
] as const

const COUNTED = {
  storage: ['storage buffers', 'maxStorageBuffersPerShaderStage'],
  uniform: ['uniform buffers', 'maxUniformBuffersPerShaderStage'],
  sampled: ['sampled textures', 'maxSampledTexturesPerShaderStage'],
  texture: ['storage textures', 'maxStorageTexturesPerShaderStage'],
  all: ['bindings', 'maxBindingsPerBindGroup'],
} as const satisfies Record<string, readonly [string, keyof Limits]>

/** What every device stores to; more need features that weft does not ask for. */
const STORABLE = /^(rgba8(unorm|snorm|uint|sint)|(r32|rg32|rgba16|rgba32)(uint|sint|float))$/

function checkBindings(context: Context): void {
  const { bindings, params } = context.kernel
  const own = params.length > 0 ? 1 : 0
  const counts = { storage: 0, uniform: own, sampled: 0, texture: 0, all: bindings.length + own }
  for (const { name, kind, type } of bindings) {
    const format = isKind(type, 'texture') ? type.format : null
    counts[format === undefined ? 'sampled' : kind]++
    if (!isKind(type, 'texture') || !format) continue
    const bad = (why: string, note: string): void =>
      context.report('bad-type', `texture '${name}' has the format ${format}, which ${why}`, undefined, note)
    if (!STORABLE.test(format))
      bad('not every device can store to', 'use rgba8unorm, rgba16float, r32float, rgba32float or their integer forms')
    else if (type.access === 'read_write' && !format.startsWith('r32'))
      bad('cannot be read and written at once', 'only r32float, r32sint and r32uint can')
  }
  for (const kind of Object.keys(COUNTED) as (keyof typeof COUNTED)[]) {
    const [name, limit] = COUNTED[kind]
    const less = 'put several arrays into one buffer, split the kernel'
    context.deviceLimit('too-many-bindings', 'the kernel has', counts[kind], ` ${name}`, limit, less)
  }
}

const MOVE = 'put some into a binding'

function checkParams(context: Context): void {
  const { params } = context.kernel
  if (params.length === 0) return
  const bytes = sizeOf({ kind: 'struct', name: '', fields: params })
  context.deviceLimit('bad-type', 'the params take', bytes, ' bytes', 'maxUniformBufferBindingSize', MOVE)
  if (context.options.immediates)
    context.limit('immediate-size', 'as immediates, the params take', bytes, ' bytes', WGSL_LIMITS.immediateBytes, MOVE)
}
