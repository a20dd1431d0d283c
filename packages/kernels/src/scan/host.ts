import type { CompiledKernel } from '@weft/codegen'
import { sum_rows } from '../../generated/reduce'
import { artifact as applyArtifact } from '../../generated/scan/scan_apply'
import { artifact as blocksArtifact } from '../../generated/scan/scan_blocks'
import { artifact as offsetsArtifact } from '../../generated/scan/scan_offsets'
import {
  atHand,
  type BufferLike,
  checkBuffers,
  checkCall,
  checkSizes,
  chosen,
  keysOf,
  type Runtime,
  SEVERAL_OPTIONS,
  type SeveralOptions,
} from '../host'
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

const SCAN_KEYS = keysOf<ScanArgs>()('x y n exclusive')

/**
 * y[i] = x[0] + … + x[i], in f32, for any n: one dispatch up to 1,024 elements, three up to 1,048,576, and so on. From 2,049 elements on
 * the sums of tiles are scanned first, so that x is read twice and y written once.
 */
export async function scan(runtime: Runtime, args: ScanArgs, options: SeveralOptions = {}): Promise<void> {
  checkCall('scan', args, SCAN_KEYS, options, SEVERAL_OPTIONS)
  const { x, y, n } = args
  checkSizes('scan', { n })
  checkBuffers('scan', { x: [x, n], y: [y, n] })
  if (n === 0) return
  const byTiles = n > SCAN_TILE && [sum_rows, applyArtifact].every((kernel) => atHand(kernel, runtime, options))
  if (byTiles) await scanTiles(runtime, args, options)
  else
    await scanBlocks(runtime, args, {
      blocks: chosen(blocksArtifact, options),
      offsets: chosen(offsetsArtifact, options),
    })
}

/** The kernels of a scan by blocks: each block by itself, and what is before a block added to it. */
export interface BlockKernels {
  readonly blocks: CompiledKernel
  readonly offsets: CompiledKernel
}

/** Blocks, then their totals in the same way, which are added to what follows. */
export async function scanBlocks(runtime: Runtime, args: ScanArgs, kernels: BlockKernels): Promise<void> {
  const { x, y, n, exclusive = false } = args
  const count = Math.ceil(n / SCAN_BLOCK)
  using totals = runtime.buffer({ size: 4 * count })
  await runtime.run(kernels.blocks, { x, y, totals, n, exclusive: Number(exclusive) })
  if (count === 1) return
  using offsets = runtime.buffer({ size: 4 * count })
  await scanBlocks(runtime, { x: totals, y: offsets, n: count, exclusive: true }, kernels)
  await runtime.run(kernels.offsets, { offsets, y, n })
}

async function scanTiles(
  runtime: Runtime,
  { x, y, n, exclusive = false }: ScanArgs,
  options: SeveralOptions,
): Promise<void> {
  const tiles = Math.ceil(n / SCAN_TILE)
  using totals = runtime.buffer({ size: 4 * tiles })
  using offsets = runtime.buffer({ size: 4 * tiles })
  await runtime.run(chosen(sum_rows, options), { x, out: totals, rows: tiles, size: SCAN_TILE, n, scale: 1 })
  await scan(runtime, { x: totals, y: offsets, n: tiles, exclusive: true }, options)
  await runtime.run(chosen(applyArtifact, options), { x, offsets, y, n, exclusive: Number(exclusive) })
}
