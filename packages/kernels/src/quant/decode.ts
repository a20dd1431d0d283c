import { type Builder, type Expr, f32, fn, vec2f, vec4f } from '@weft/dsl'

/**
 * Small integers in a word as f32, two at a time: an integer q in the low bits of the f16 1024 = 0x6400 makes 1024 + q, which one
 * instruction unpacks to f32, and what is subtracted after it is exact. A conversion of an integer takes as long as four of these steps.
 */

type U32 = Expr<'u32'>
type Quad = Expr<'vec4f'>

const THOUSAND = 0x6400_6400

/** a[0], b[0], a[1], b[1] */
const interleaved = (a: Expr<'vec2f'>, b: Expr<'vec2f'>): Quad => vec4f(a.x, b.x, a.y, b.y)

/** The low nibbles of the four bytes of a word, and the high ones, each less z. */
export function nibbleQuads(k: Builder, word: U32, z: Expr<'f32'> | number): readonly [Quad, Quad] {
  const upper = k.let('upper', word.shr(8))
  const low = (of: U32) => fn.unpack2x16float(of.bitAnd(0x000f_000f).bitOr(THOUSAND)).sub(vec2f(less(1024, z)))
  // in bits 4 … 7 it is 1024 + 16 q
  const high = (of: U32) =>
    fn.fma(fn.unpack2x16float(of.bitAnd(0x00f0_00f0).bitOr(THOUSAND)), vec2f(1 / 16), vec2f(less(64, z)).neg())
  return [interleaved(low(word), low(upper)), interleaved(high(word), high(upper))]
}

/** The four bytes of a word as unsigned integers, each less z. */
export function byteQuad(word: U32, z: number): Quad {
  const two = (of: U32) => fn.unpack2x16float(of.bitAnd(0x00ff_00ff).bitOr(THOUSAND)).sub(1024 + z)
  return interleaved(two(word), two(word.shr(8)))
}

const less = (base: number, z: Expr<'f32'> | number): Expr<'f32'> =>
  typeof z === 'number' ? f32(base + z) : z.add(base)
