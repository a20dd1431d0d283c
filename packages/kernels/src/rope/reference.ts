import { checkKeys, keysOf } from '../args'
import { badArgument } from '../errors'
import { expectLength } from '../expect-length'
import { ropeFrequencies } from './table'

export interface RopeReferenceArgs {
  /** `[outer, tokens, inner, headSize]`: the axes before and after the tokens are joined */
  readonly x: ArrayLike<number>
  readonly outer: number
  readonly tokens: number
  readonly inner: number
  readonly headSize: number
  /** leading dimensions that are rotated, all of them when left out; an even number */
  readonly rotary?: number
  /** the position of the first token; 0 when left out */
  readonly past?: number
  /** pairs are (2i, 2i + 1); otherwise (i, i + rotary / 2) */
  readonly interleaved?: boolean
  readonly base?: number
  /** radians for each position, for every pair; base^(−2i / rotary) when left out */
  readonly frequencies?: ArrayLike<number>
}

const KEYS = keysOf<RopeReferenceArgs>({
  x: true,
  outer: true,
  tokens: true,
  inner: true,
  headSize: true,
  rotary: true,
  past: true,
  interleaved: true,
  base: true,
  frequencies: true,
})

/**
 * Rotary position embedding in float64 (Su et al., "RoFormer", 2021): pair i of a token at position p is turned by p · θᵢ. The
 * dimensions from `rotary` on are copied.
 */
export function ropeReference(args: RopeReferenceArgs): Float64Array {
  checkKeys('ropeReference', args, KEYS)
  return rotate(args, 1)
}

/** Its gradient: rotations are orthogonal, so that dx is dy (given as `x`) turned back. */
export function ropeBackwardReference(args: RopeReferenceArgs): Float64Array {
  checkKeys('ropeBackwardReference', args, KEYS)
  return rotate(args, -1)
}

function rotate(args: RopeReferenceArgs, direction: 1 | -1): Float64Array {
  const { x, outer, tokens, inner, headSize, rotary = headSize, past = 0, interleaved = false } = args
  expectLength('x', x, outer * tokens * inner * headSize)
  if (rotary % 2 !== 0 || rotary > headSize) {
    throw badArgument(`rotary: expected an even number up to headSize = ${headSize}, got ${rotary}`)
  }
  const frequencies = args.frequencies ?? ropeFrequencies(rotary, args.base)
  const pairs = rotary / 2
  expectLength('frequencies', frequencies, pairs)
  const out = Float64Array.from(x)
  for (let row = 0; row < outer * tokens * inner; row++) {
    const position = past + (Math.floor(row / inner) % tokens)
    for (let i = 0; i < pairs; i++) {
      const [a, b] = interleaved ? [2 * i, 2 * i + 1] : [i, i + pairs]
      const [re, im] = [x[row * headSize + a]!, x[row * headSize + b]!]
      const angle = direction * position * frequencies[i]!
      out[row * headSize + a] = re * Math.cos(angle) - im * Math.sin(angle)
      out[row * headSize + b] = re * Math.sin(angle) + im * Math.cos(angle)
    }
  }
  return out
}

export interface RopeQkvReferenceArgs
  extends Pick<RopeReferenceArgs, 'tokens' | 'headSize' | 'rotary' | 'past' | 'interleaved' | 'base'> {
  /** `[batch, tokens, heads + 2 · kvHeads, headSize]` */
  readonly qkv: ArrayLike<number>
  readonly batch: number
  readonly heads: number
  readonly kvHeads: number
}

const QKV_KEYS = keysOf<RopeQkvReferenceArgs>({
  qkv: true,
  batch: true,
  heads: true,
  kvHeads: true,
  tokens: true,
  headSize: true,
  rotary: true,
  past: true,
  interleaved: true,
  base: true,
})

/**
 * A joint projection split into heads, with queries and keys turned by their position.
 *
 * @returns q: `[batch, heads, tokens, headSize]`, k and v: `[batch, kvHeads, tokens, headSize]`
 */
export function ropeQkvReference(args: RopeQkvReferenceArgs): Readonly<Record<'q' | 'k' | 'v', Float64Array>> {
  checkKeys('ropeQkvReference', args, QKV_KEYS)
  const { qkv, batch, heads, kvHeads, tokens, headSize, ...turn } = args
  const all = heads + 2 * kvHeads
  expectLength('qkv', qkv, batch * tokens * all * headSize)
  const part = (firstHead: number, count: number): Float64Array =>
    Float64Array.from({ length: batch * count * tokens * headSize }, (_, i) => {
      const [c, row] = [i % headSize, Math.floor(i / headSize)]
      const [t, head] = [row % tokens, Math.floor(row / tokens)]
      const token = Math.floor(head / count) * tokens + t
      return qkv[(token * all + firstHead + (head % count)) * headSize + c]!
    })
  const turned = (x: Float64Array, count: number): Float64Array =>
    ropeReference({ x, outer: batch * count, tokens, inner: 1, headSize, ...turn })
  return {
    q: turned(part(0, heads), heads),
    k: turned(part(heads, kvHeads), kvHeads),
    v: part(heads + kvHeads, kvHeads),
  }
}
