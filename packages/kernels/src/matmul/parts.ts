import { type BufferLike, chosen, type Runtime } from '../host'
import { joinKernel } from './choose'
import type { MatmulOptions } from './host'
import { type Chunk, type Product, results } from './windows'

/** Sums over parts of k: [splits, batch, m, width] f32, of which the first n of each row count. */
export interface Parts {
  readonly partial: BufferLike
  readonly splits: number
  readonly width: number
}

/** A part of the result from the sums over parts of k, with all that follows a product. */
export async function joinParts(
  runtime: Runtime,
  product: Product,
  chunk: Chunk,
  parts: Parts,
  options: MatmulOptions,
): Promise<void> {
  const { c, bias, residual, params } = results(product, chunk, parts.partial)
  const sizes = { m: chunk.i[1], n: chunk.j[1], batch: chunk.z[1], alpha: product.alpha }
  const args = { ...parts, ...sizes, c, bias, residual, ...params }
  await runtime.run(chosen(joinKernel(product.type), options), args)
}
