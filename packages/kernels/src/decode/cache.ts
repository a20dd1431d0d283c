import { type Builder, d, type Expr, fn, vec4f } from '@weft/dsl'
import type { Storage } from '../parts/storage'

/**
 * Rows of a cache, read 16 bytes at a time: as vec4f, or as eight f16 in a vec4u, whose halves are unpacked without the feature
 * `shader-f16`. TypeScript sees vec4f with either.
 */
export const chunksType = (storage: Storage) => d.arrayOf((storage === 'f16' ? d.vec4u : d.vec4f) as typeof d.vec4f)

/** Elements of a chunk. */
export const chunkSize = (storage: Storage): number => (storage === 'f16' ? 8 : 4)

/** The one quad, or the two, of a chunk as it was read. */
export function quadsOf(k: Builder, name: string, chunk: Expr<'vec4f'>, storage: Storage): readonly Expr<'vec4f'>[] {
  if (storage === 'f32') return [chunk]
  const bits = chunk as unknown as Expr<'vec4u'>
  const quad = (low: Expr<'u32'>, high: Expr<'u32'>) => vec4f(fn.unpack2x16float(low), fn.unpack2x16float(high))
  return [k.let(`${name}_low`, quad(bits.x, bits.y)), k.let(`${name}_high`, quad(bits.z, bits.w))]
}
