import type { CompiledKernel } from '@weft/codegen'
import { sum_rows } from '../../generated/reduce'
import { artifact as applyArtifact } from '../../generated/scan/scan_apply'
import { artifact as blocksArtifact } from '../../generated/scan/scan_blocks'
import { artifact as offsetsArtifact } from '../../generated/scan/scan_offsets'
import { artifact as tailArtifact } from '../../generated/scan/scan_tail'
import { argsOf, flag, input, maybe, output, size } from '../args'
import {
  atHand,
  type BufferLike,
  checkBuffers,
  checkCall,
  chosen,
  keysOf,
  type Runtime,
  type SeveralOptions,
} from '../host'
import { rowsKernel } from '../reduce/host'
import { proven, trialOf } from '../verify'
import { chooseScan } from './choose'
import { SCAN_BLOCK, SCAN_SUMS, SCAN_TILE } from './plan'

const trials = () => import('./trial')

export interface ScanArgs {
  /** n elements */
  readonly x: BufferLike
  /** n elements, written */
  readonly y: BufferLike
  readonly n: number
  /** y[i] leaves out x[i]. */
  readonly exclusive?: boolean
}

const SCAN_ARGS = argsOf<ScanArgs>({ x: input, y: output, n: size, exclusive: maybe(flag) })
const SCAN_OPTIONS = keysOf<SeveralOptions>()('kernels verify')

/**
 * y[i] = x[0] + … + x[i], in f32, for any n: one dispatch up to 1,024 elements. From 2,049 elements on tiles are summed first, so that
 * x is read twice and y written once.
 */
export async function scan(runtime: Runtime, args: ScanArgs, options: SeveralOptions = {}): Promise<void> {
  checkCall('scan', args, SCAN_ARGS, options, SCAN_OPTIONS)
  const { x, y, n } = args
  checkBuffers('scan', { x: [x, n], y: [y, n] })
  if (n === 0) return
  const has = (...kernels: readonly CompiledKernel[]) => kernels.every((kernel) => atHand(kernel, runtime, options))
  if (chooseScan(n) === 'tiles' && has(sum_rows, applyArtifact, tailArtifact)) await scanTiles(runtime, args, options)
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

/** Sums of tiles, then y; many sums are scanned in between. */
async function scanTiles(
  runtime: Runtime,
  { x, y, n, exclusive = false }: ScanArgs,
  options: SeveralOptions,
): Promise<void> {
  const quads = Math.floor(n / 4)
  const tiles = Math.ceil((4 * quads) / SCAN_TILE)
  const trial = trialOf(runtime, trials, ({ scanProblem }) => scanProblem(2 * SCAN_TILE + 77), scan)
  const apply = await proven(runtime, chosen(applyArtifact, options), options, trial)
  const sum = await rowsKernel(runtime, 'sum', 'f32', options)
  const flag = Number(exclusive)
  using sums = runtime.buffer({ size: 4 * tiles })
  await runtime.run(sum, { x, out: sums, rows: tiles, size: SCAN_TILE, n: 4 * quads, scale: 1 })
  if (tiles <= SCAN_SUMS) await runtime.run(apply, { x, sums, y, quads, exclusive: flag, scanned: 0 })
  else {
    using before = runtime.buffer({ size: 4 * tiles })
    await scan(runtime, { x: sums, y: before, n: tiles, exclusive: true }, options)
    await runtime.run(apply, { x, sums: before, y, quads, exclusive: flag, scanned: 1 })
  }
  if (4 * quads < n) await runtime.run(chosen(tailArtifact, options), { x, y, from: 4 * quads, n, exclusive: flag })
}
