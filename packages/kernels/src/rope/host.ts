import * as g from '../../generated/rope'
import { argsOf, flag, floatType, input, maybe, outputOver, size } from '../args'
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
import { ropeTableSize } from './table'

export interface RopeArgs {
  /** [batch, heads, tokens, headSize], or [batch, tokens, heads, headSize] with `tokensFirst` */
  readonly x: BufferLike
  /** Shaped like x, written; may be x itself. */
  readonly out: BufferLike
  /** Of `ropeTable`, for `past + tokens` positions or more. */
  readonly table: BufferLike
  readonly batch: number
  readonly heads: number
  readonly tokens: number
  readonly headSize: number
  readonly tokensFirst?: boolean
  /** Leading dimensions of a head that are rotated, an even number: all when left out. */
  readonly rotary?: number
  /** The position of the first token; 0 when left out. */
  readonly past?: number
  /** Pairs are (2i, 2i + 1), as in GPT-J; otherwise (i, i + rotary / 2), as in GPT-NeoX and LLaMA. */
  readonly interleaved?: boolean
  /** Of x and out. */
  readonly type?: 'f32' | 'f16'
}

const ROPE_ARGS = argsOf<RopeArgs>({
  x: input,
  out: outputOver('x'),
  table: input,
  batch: size,
  heads: size,
  tokens: size,
  headSize: size,
  tokensFirst: maybe(flag),
  rotary: maybe(size),
  past: maybe(size),
  interleaved: maybe(flag),
  type: floatType,
})

/**
 * Turns the pairs of each head by their position: rotary position embedding, in place where x is out.
 *
 * @throws RangeError before anything is recorded: sizes that are none, an odd `rotary` or one above `headSize`, a buffer that is
 *   too small, a table that has not all positions
 */
export const rope = (runtime: Runtime, args: RopeArgs, options: HostOptions = {}): Promise<void> =>
  rotate(runtime, 'rope', args, 1, options)

/** The gradient of `rope` by its input: x is the gradient of its output, and is turned back. */
export const ropeBackward = (runtime: Runtime, args: RopeArgs, options: HostOptions = {}): Promise<void> =>
  rotate(runtime, 'ropeBackward', args, -1, options)

async function rotate(
  runtime: Runtime,
  what: string,
  args: RopeArgs,
  direction: 1 | -1,
  options: HostOptions,
): Promise<void> {
  checkCall(runtime, what, args, ROPE_ARGS, options)
  const { x, out, table, batch, heads, tokens, headSize, type = 'f32' } = args
  const { tokensFirst = false, rotary = headSize, past = 0, interleaved = false } = args
  if (rotary % 2 !== 0 || rotary > headSize) {
    throw badArgument(`${what}: rotary must be even and at most headSize = ${headSize}, got ${rotary}`)
  }
  const [elements, bytes] = [batch * heads * tokens * headSize, bytesIn(type)]
  if (elements === 0) return
  const pairs = rotary / 2
  checkBuffers(what, {
    x: [x, elements, bytes],
    out: [out, elements, bytes],
    [`table for ${past + tokens} positions`]: [table, ropeTableSize(past + tokens, pairs), 8],
  })
  const axes = tokensFirst ? { outer: batch, inner: heads } : { outer: batch * heads, inner: 1 }
  const params = { ...axes, tokens, head_size: headSize, pairs, past, interleaved: Number(interleaved), direction }
  await runtime.run(chosen(type === 'f16' ? g.rope_f16 : g.rope, options), { x, table, out, ...params })
}
