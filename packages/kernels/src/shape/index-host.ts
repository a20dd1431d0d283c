import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/shape'
import { argsOf, floatType, input, maybe, output, size, updated } from '../args'
import { type BufferLike, bytesIn, checkBuffers, checkCall, chosen, type HostOptions, type Runtime } from '../host'

export interface IndexedArgs {
  /** [outer, size, inner] */
  readonly x: BufferLike
  /** u32: [count], for `gather` [outer, count, inner] */
  readonly index: BufferLike
  /** [outer, count, inner], written */
  readonly out: BufferLike
  /** The product of the axes before the indexed one; 1 when left out. */
  readonly outer?: number
  /** The extent of the indexed axis of x. */
  readonly size: number
  /** How many are picked. */
  readonly count: number
  /** The product of the axes after it. */
  readonly inner: number
  readonly type?: 'f32' | 'f16'
}

const INDEXED_ARGS = argsOf<IndexedArgs>({
  x: input,
  index: input,
  out: output,
  outer: maybe(size),
  size: size,
  count: size,
  inner: size,
  type: floatType,
})

async function pick(
  runtime: Runtime,
  what: string,
  kernels: Readonly<Record<'f32' | 'f16', CompiledKernel>>,
  args: IndexedArgs,
  options: HostOptions,
): Promise<void> {
  checkCall(runtime, what, args, INDEXED_ARGS, options)
  const { x, index, out, outer = 1, size, count, inner, type = 'f32' } = args
  const bytes = bytesIn(type)
  checkBuffers(what, {
    x: [x, outer * size * inner, bytes],
    index: [index, what === 'gather' ? outer * count * inner : count],
    out: [out, outer * count * inner, bytes],
  })
  await runtime.run(chosen(kernels[type], options), { x, index, out, outer, size, count, inner })
}

/** out[o, j, c] = x[o, index[j], c], and 0 for an index that is not below `size`. A table of embeddings has outer = 1. */
export const indexSelect = (runtime: Runtime, args: IndexedArgs, options: HostOptions = {}): Promise<void> =>
  pick(runtime, 'indexSelect', { f32: g.index_select, f16: g.index_select_f16 }, args, options)

/** The rows of a table: out[j, :] = x[index[j], :], zeros for an id that is not below `size`. */
export const embedding = (runtime: Runtime, args: IndexedArgs, options: HostOptions = {}): Promise<void> =>
  pick(runtime, 'embedding', { f32: g.index_select, f16: g.index_select_f16 }, args, options)

/** out[o, j, c] = x[o, index[o, j, c], c], and 0 for an index that is not below `size`. */
export const gather = (runtime: Runtime, args: IndexedArgs, options: HostOptions = {}): Promise<void> =>
  pick(runtime, 'gather', { f32: g.gather, f16: g.gather_f16 }, args, options)

export interface ScatterAddArgs {
  /** [outer, count, inner], f32 */
  readonly x: BufferLike
  /** u32: [count] */
  readonly index: BufferLike
  /** [outer, size, inner], f32: added to */
  readonly out: BufferLike
  readonly outer?: number
  readonly size: number
  readonly count: number
  readonly inner: number
}

const SCATTER_ADD_ARGS = argsOf<ScatterAddArgs>({
  x: input,
  index: input,
  out: updated,
  outer: maybe(size),
  size: size,
  count: size,
  inner: size,
})

/**
 * out[o, index[j], c] += x[o, j, c], an index that is not below `size` adds nothing. Sums of several rows are in the order
 * of the device: equal up to rounding from run to run.
 */
export const scatterAdd = (runtime: Runtime, args: ScatterAddArgs, options: HostOptions = {}): Promise<void> =>
  added(runtime, 'scatterAdd', args, options)

async function added(runtime: Runtime, what: string, args: ScatterAddArgs, options: HostOptions): Promise<void> {
  checkCall(runtime, what, args, SCATTER_ADD_ARGS, options)
  const { x, index, out, outer = 1, size, count, inner } = args
  checkBuffers(what, {
    x: [x, outer * count * inner],
    index: [index, count],
    out: [out, outer * size * inner],
  })
  await runtime.run(chosen(g.scatter_add, options), { x, index, out, outer, size, count, inner })
}

/** The gradient of an embedding, added to `out`: [size, inner]. */
export const embeddingBackward = (runtime: Runtime, args: ScatterAddArgs, options: HostOptions = {}): Promise<void> =>
  added(runtime, 'embeddingBackward', args, options)
