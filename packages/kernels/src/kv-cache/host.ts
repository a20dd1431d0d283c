import * as g from '../../generated/kv-cache'
import { argsOf, flag, floatType, input, maybe, output, size, updated } from '../args'
import {
  type BufferLike,
  badArgument,
  bytesIn,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'
import { copying } from '../shape/copy-host'

export interface KvAppendArgs {
  /** [batch, kvHeads, tokens, headSize] */
  readonly k: BufferLike
  /** [batch, kvHeads, tokens, headSize] */
  readonly v: BufferLike
  /** [batch, kvHeads, capacity, headSize], written in place */
  readonly kCache: BufferLike
  /** [batch, kvHeads, capacity, headSize], written in place */
  readonly vCache: BufferLike
  readonly batch: number
  readonly kvHeads: number
  /** New tokens. */
  readonly tokens: number
  /** Tokens that came before: the position of the first new one. */
  readonly past: number
  readonly capacity: number
  readonly headSize: number
  /** Position p goes to slot p % capacity, over what was there; otherwise all positions must fit. */
  readonly ring?: boolean
  /** Of k and v. */
  readonly type?: 'f32' | 'f16'
  /** Of the caches; that of k and v when left out. */
  readonly cacheType?: 'f32' | 'f16'
}

const KV_APPEND_ARGS = argsOf<KvAppendArgs>({
  k: input,
  v: input,
  kCache: updated,
  vCache: updated,
  batch: size,
  kvHeads: size,
  tokens: size,
  past: size,
  capacity: size,
  headSize: size,
  ring: maybe(flag),
  type: floatType,
  cacheType: floatType,
})

/**
 * Puts the keys and values of new tokens into their caches.
 *
 * @throws RangeError before anything is recorded: sizes that are none, tokens beyond the capacity of a cache that is no ring, a
 *   buffer that is too small, an f32 cache for f16 tokens
 */
export async function kvAppend(runtime: Runtime, args: KvAppendArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'kvAppend', args, KV_APPEND_ARGS, options)
  const { k, v, kCache, vCache, batch, kvHeads, tokens, past, capacity, headSize } = args
  const { ring = false, type = 'f32', cacheType = type } = args
  if (type === 'f16' && cacheType === 'f32') {
    throw badArgument('kvAppend: cacheType must be f16 for keys and values of f16, got f32')
  }
  if (!ring && past + tokens > capacity) {
    throw badArgument(
      `kvAppend: past + tokens must be at most capacity = ${capacity}, got ${past} + ${tokens}; pass ring: true to go round, or kvGrow the cache`,
    )
  }
  const [heads, bytes, cacheBytes] = [batch * kvHeads, bytesIn(type), bytesIn(cacheType)]
  const [added, held] = [heads * tokens * headSize, heads * capacity * headSize]
  checkBuffers('kvAppend', {
    k: [k, added, bytes],
    v: [v, added, bytes],
    kCache: [kCache, held, cacheBytes],
    vCache: [vCache, held, cacheBytes],
  })
  if (added === 0 || held === 0) return
  const kernel = type === 'f16' ? g.kv_append_f16 : cacheType === 'f16' ? g.kv_append_f32_to_f16 : g.kv_append
  const params = { heads, tokens, capacity, head_size: headSize, past: capacity === 0 ? 0 : past % capacity }
  await runtime.run(chosen(kernel, options), { k, v, k_cache: kCache, v_cache: vCache, ...params })
}

export interface KvGrowArgs {
  /** [batch, kvHeads, from, headSize] */
  readonly cache: BufferLike
  /** [batch, kvHeads, to, headSize], written up to `length` of each head; another buffer */
  readonly out: BufferLike
  readonly batch: number
  readonly kvHeads: number
  /** Tokens in the cache. */
  readonly length: number
  /** The capacities of the cache and of the one that takes its place. */
  readonly from: number
  readonly to: number
  readonly headSize: number
  readonly type?: 'f32' | 'f16'
}

const KV_GROW_ARGS = argsOf<KvGrowArgs>({
  cache: input,
  out: output,
  batch: size,
  kvHeads: size,
  length: size,
  from: size,
  to: size,
  headSize: size,
  type: floatType,
})

/** Moves the tokens of a cache that is no ring into one of another capacity. */
export async function kvGrow(runtime: Runtime, args: KvGrowArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'kvGrow', args, KV_GROW_ARGS, options)
  const { cache, out, batch, kvHeads, length, from, to, headSize, type = 'f32' } = args
  if (length > Math.min(from, to)) {
    throw badArgument(`kvGrow: length must be at most the capacities ${from} and ${to}, got ${length}`)
  }
  const [heads, bytes] = [batch * kvHeads, bytesIn(type)]
  checkBuffers('kvGrow', { cache: [cache, heads * from * headSize, bytes], out: [out, heads * to * headSize, bytes] })
  const view = (data: BufferLike, capacity: number) => ({ data, strides: [capacity * headSize, headSize, 1] })
  const shape = [heads, length, headSize]
  const moved = { from: view(cache, from), to: view(out, to), shape, type }
  await copying(runtime, 'kvGrow', ['cache', 'out'], moved, options)()
}
