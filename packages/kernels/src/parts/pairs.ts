import { bitcast, d, type Expr, fn, func, u32, vec2f } from '@weft/dsl'

/**
 * f16 by words of two. A load of one f16 leaves half of what memory can have in flight unused, and words reach all of a buffer, whose size is a
 * multiple of four bytes, whatever number of f16 is in it. Nothing here needs a device with f16.
 *
 * TypeScript sees f32, as with `scalars`.
 */
type F32 = Expr<'f32'>

export const PAIR = d.u32 as unknown as typeof d.f32

/** The two as f32. */
export function halvesOf(word: F32): readonly [F32, F32] {
  const { x, y } = fn.unpack2x16float(word as unknown as Expr<'u32'>)
  return [x, y]
}

/** What is as far from 0 as this becomes ∞: half a step past the greatest f16. */
const INFINITE = 65_520

const infinity = (x: F32): Expr<'u32'> => bitcast(u32, x).shr(16).bitAnd(0x8000).bitOr(0x7c00)

/**
 * Two f32 as f16, rounded. WGSL leaves open what `pack2x16float` makes of values that f16 does not hold, ∞ among them, and SwiftShader makes NaN: those
 * are put together here, by a test that hardly ever holds.
 */
export const pairOf = func('pair(low, high)', [d.f32, d.f32], (low, high, k) => {
  const [first, second] = [fn.abs(low).ge(INFINITE), fn.abs(high).ge(INFINITE)]
  return k.when(
    first.or(second),
    () => {
      const rest = fn.pack2x16float(vec2f(fn.select(low, 0, first), fn.select(high, 0, second)))
      const below = fn.select(u32(0), infinity(low), first)
      return rest.bitOr(below).bitOr(fn.select(u32(0), infinity(high).shl(16), second))
    },
    fn.pack2x16float(vec2f(low, high)),
  )
})
