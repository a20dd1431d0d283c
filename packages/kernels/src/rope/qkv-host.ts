import * as g from '../../generated/rope'
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
  SEVERAL_OPTIONS,
  type SeveralOptions,
} from '../host'
import { matmul } from '../matmul'
import { ropeTableSize } from './table'

interface QkvSizes {
  /** Of `ropeTable`, for `past + tokens` positions or more. */
  readonly table: BufferLike
  /** [batch, heads, tokens, headSize], written */
  readonly q: BufferLike
  /** [batch, kvHeads, capacity, headSize], the new tokens written in place */
  readonly kCache: BufferLike
  /** [batch, kvHeads, capacity, headSize], likewise */
  readonly vCache: BufferLike
  readonly batch: number
  readonly tokens: number
  readonly heads: number
  readonly kvHeads: number
  readonly headSize: number
  /** Tokens that a cache holds for each head; `past + tokens` when left out. */
  readonly capacity?: number
  /** The position of the first token; 0 when left out. It goes to the slot of that number. */
  readonly past?: number
  /** Position p goes to slot p % capacity, over what was there; otherwise all positions must fit. */
  readonly ring?: boolean
  /** As in `rope`. */
  readonly rotary?: number
  readonly interleaved?: boolean
  readonly type?: 'f32' | 'f16'
}

export interface RopeQkvArgs extends QkvSizes {
  /** [batch, tokens, heads + 2 · kvHeads, headSize]: queries, then keys, then values of a token */
  readonly qkv: BufferLike
}

export interface ProjectQkvArgs extends QkvSizes {
  /** [batch, tokens, hidden] */
  readonly x: BufferLike
  /** [hidden, (heads + 2 · kvHeads) · headSize]; transposed with `transposed` */
  readonly weight: BufferLike
  /** [(heads + 2 · kvHeads) · headSize] */
  readonly bias?: BufferLike
  readonly hidden: number
  readonly transposed?: boolean
}

const ROPE_QKV_ARGS = argsOf<RopeQkvArgs>({
  qkv: input,
  table: input,
  q: output,
  kCache: updated,
  vCache: updated,
  batch: size,
  tokens: size,
  heads: size,
  kvHeads: size,
  headSize: size,
  capacity: maybe(size),
  past: maybe(size),
  ring: maybe(flag),
  rotary: maybe(size),
  interleaved: maybe(flag),
  type: floatType,
})

/**
 * Splits a joint projection into heads, turns queries and keys by their position, and puts keys and values into their caches, in one dispatch.
 *
 * @throws RangeError before anything is recorded: sizes that are none, an odd `rotary` or one above `headSize`, tokens beyond the capacity, a
 *   buffer that is too small, a table that has not all positions
 */
export async function ropeQkv(runtime: Runtime, args: RopeQkvArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'ropeQkv', args, ROPE_QKV_ARGS, options)
  await split(runtime, args, options)
}

async function split(runtime: Runtime, args: RopeQkvArgs, options: HostOptions): Promise<void> {
  const params = checkQkv('ropeQkv', args)
  const { qkv, table, q, kCache, vCache, type = 'f32' } = args
  const { batch, tokens, heads, kv_heads, head_size } = params
  const elements = batch * tokens * (heads + 2 * kv_heads) * head_size
  checkBuffers('ropeQkv', { qkv: [qkv, elements, bytesIn(type)] })
  if (elements === 0) return
  const kernel = chosen(type === 'f16' ? g.rope_qkv_f16 : g.rope_qkv, options)
  await runtime.run(kernel, { qkv, table, q, k_cache: kCache, v_cache: vCache, ...params })
}

const PROJECT_QKV_ARGS = argsOf<ProjectQkvArgs>({
  x: input,
  weight: input,
  bias: maybe(input),
  hidden: size,
  transposed: maybe(flag),
  table: input,
  q: output,
  kCache: updated,
  vCache: updated,
  batch: size,
  tokens: size,
  heads: size,
  kvHeads: size,
  headSize: size,
  capacity: maybe(size),
  past: maybe(size),
  ring: maybe(flag),
  rotary: maybe(size),
  interleaved: maybe(flag),
  type: floatType,
})

/** The projection, x · weight + bias, and then `ropeQkv`: a step from the residual stream to what attention takes. */
export async function projectQkv(runtime: Runtime, args: ProjectQkvArgs, options: SeveralOptions = {}): Promise<void> {
  checkCall(runtime, 'projectQkv', args, PROJECT_QKV_ARGS, options, SEVERAL_OPTIONS)
  const { x, weight, bias, hidden, transposed = false, batch, tokens, heads, kvHeads, headSize, type = 'f32' } = args
  checkQkv('projectQkv', args)
  const [m, n] = [batch * tokens, (heads + 2 * kvHeads) * headSize]
  const bytes = bytesIn(type)
  checkBuffers('projectQkv', {
    ...{ x: [x, m * hidden, bytes], weight: [weight, hidden * n, bytes] },
    ...(bias ? { bias: [bias, n, bytes] as const } : {}),
  })
  if (m * n === 0) return
  using qkv = runtime.buffer({ size: Math.ceil((m * n * bytesIn(type)) / 4) * 4 })
  const product = { a: x, b: weight, c: qkv, m, n, k: hidden, transposeB: transposed, type, ...(bias ? { bias } : {}) }
  await matmul(runtime, product, options)
  await split(runtime, { ...args, qkv }, options)
}

function checkQkv(what: string, args: QkvSizes) {
  const { table, q, kCache, vCache, batch, tokens, heads, kvHeads, headSize, past = 0, type = 'f32' } = args
  const { capacity = past + tokens, ring = false, rotary = headSize, interleaved = false } = args
  if (rotary % 2 !== 0 || rotary > headSize) {
    throw badArgument(`${what}: rotary must be even and at most headSize = ${headSize}, got ${rotary}`)
  }
  const most = ring ? tokens : past + tokens
  if (most > capacity) {
    throw badArgument(
      `${what}: ${ring ? 'tokens' : 'past + tokens'} must be at most capacity = ${capacity}, got ${most}${ring ? '' : '; pass ring: true to go round'}`,
    )
  }
  const [pairs, bytes] = [rotary / 2, bytesIn(type)]
  const held = batch * kvHeads * capacity * headSize
  checkBuffers(what, {
    q: [q, batch * heads * tokens * headSize, bytes],
    kCache: [kCache, held, bytes],
    vCache: [vCache, held, bytes],
    [`table for ${past + tokens} positions`]: [table, ropeTableSize(past + tokens, pairs), 8],
  })
  const sizes = { batch, tokens, heads, kv_heads: kvHeads, head_size: headSize, pairs, past, capacity }
  return { ...sizes, slot: capacity === 0 ? 0 : past % capacity, interleaved: Number(interleaved) }
}
