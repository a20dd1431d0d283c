import type { CompiledKernel } from '@weft/codegen'
import { sum_rows } from '../../generated/reduce'
import { artifact as applyArtifact } from '../../generated/scan/scan_apply'
import { artifact as blocksArtifact } from '../../generated/scan/scan_blocks'
import { artifact as offsetsArtifact } from '../../generated/scan/scan_offsets'
import { type BufferLike, checkBuffers, checkKeys, checkSizes, keysOf, type Runtime } from '../host'
import { SCAN_BLOCK, SCAN_TILE } from './plan'

export interface ScanArgs {
  /** n elements */
  readonly x: BufferLike
  /** n elements, written */
  readonly y: BufferLike
  readonly n: number
  /** y[i] leaves out x[i]. */
  readonly exclusive?: boolean
}

/** As `HostOptions`, for the two kernels of a scan by blocks, which is then taken for every n. */
export interface ScanOptions {
  readonly kernels?: { readonly blocks: CompiledKernel; readonly offsets: CompiledKernel }
}

const SCAN_KEYS = keysOf<ScanArgs>()('x y n exclusive')

/**
 * y[i] = x[0] + … + x[i], in f32, for any n: one dispatch up to 1,024 elements, three up to 1,048,576, and so on. From 2,049 elements on
 * the sums of tiles are scanned first, so that x is read twice and y written once.
 */
export async function scan(runtime: Runtime, args: ScanArgs, { kernels }: ScanOptions = {}): Promise<void> {
  checkKeys('scan', args, SCAN_KEYS)
  const { x, y, n, exclusive = false } = args
  checkSizes('scan', { n })
  checkBuffers('scan', { x: [x, n], y: [y, n] })
  if (n === 0) return
  if (kernels === undefined && n > SCAN_TILE) {
    await scanTiles(runtime, { x, y, n, exclusive })
    return
  }
  const count = Math.ceil(n / SCAN_BLOCK)
  using totals = runtime.buffer({ size: 4 * count })
  await runtime.run(kernels?.blocks ?? blocksArtifact, { x, y, totals, n, exclusive: Number(exclusive) })
  if (count === 1) return
  using offsets = runtime.buffer({ size: 4 * count })
  await scan(runtime, { x: totals, y: offsets, n: count, exclusive: true }, kernels ? { kernels } : {})
  await runtime.run(kernels?.offsets ?? offsetsArtifact, { offsets, y, n })
}

async function scanTiles(runtime: Runtime, { x, y, n, exclusive }: ScanArgs): Promise<void> {
  const tiles = Math.ceil(n / SCAN_TILE)
  using totals = runtime.buffer({ size: 4 * tiles })
  using offsets = runtime.buffer({ size: 4 * tiles })
  await runtime.run(sum_rows, { x, out: totals, rows: tiles, size: SCAN_TILE, n, scale: 1 })
  await scan(runtime, { x: totals, y: offsets, n: tiles, exclusive: true })
  await runtime.run(applyArtifact, { x, offsets, y, n, exclusive: Number(exclusive) })
}
