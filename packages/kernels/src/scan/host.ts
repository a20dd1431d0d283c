import type { CompiledKernel } from '@weft/codegen'
import { sum_rows } from '../../generated/reduce'
import { artifact as applyArtifact } from '../../generated/scan/scan_apply'
import { artifact as blocksArtifact } from '../../generated/scan/scan_blocks'
import { artifact as offsetsArtifact } from '../../generated/scan/scan_offsets'
import { artifact as stepArtifact } from '../../generated/scan/scan_step'
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
import { SCAN_BLOCK, SCAN_STEP_TILE, SCAN_TILE } from './plan'

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

export interface ScanOptions extends SeveralOptions {
  /** Elements of a chunk, in place of those that fit the usual last-level cache: any n > 3 is then taken by chunks. */
  readonly chunk?: number
}

const SCAN_ARGS = argsOf<ScanArgs>({ x: input, y: output, n: size, exclusive: maybe(flag) })
const SCAN_OPTIONS = keysOf<ScanOptions>()('kernels verify chunk')

/**
 * y[i] = x[0] + … + x[i], in f32, for any n: one dispatch up to 1,024 elements. From 2,049 elements on the sums of tiles are scanned
 * first, so that x is read twice and y written once, and from 4,194,305 on by chunks, so that the second reading of x finds it in a
 * cache.
 */
export async function scan(runtime: Runtime, args: ScanArgs, options: ScanOptions = {}): Promise<void> {
  checkCall('scan', args, SCAN_ARGS, options, SCAN_OPTIONS)
  const { chunk, ...several } = options
  const { x, y, n } = args
  if (chunk !== undefined) size.check('options of scan', 'chunk', chunk)
  checkBuffers('scan', { x: [x, n], y: [y, n] })
  if (n === 0) return
  const choice = chooseScan(n, chunk)
  const has = (...kernels: readonly CompiledKernel[]) => kernels.every((kernel) => atHand(kernel, runtime, several))
  if (choice.way === 'chunks' && has(stepArtifact, tailArtifact)) await scanChunks(runtime, args, choice.tiles, several)
  else if (choice.way !== 'blocks' && has(sum_rows, applyArtifact)) await scanTiles(runtime, args, several)
  else
    await scanBlocks(runtime, args, {
      blocks: chosen(blocksArtifact, several),
      offsets: chosen(offsetsArtifact, several),
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
  const trial = trialOf(runtime, trials, ({ scanProblem }) => scanProblem(SCAN_TILE + 77), scan)
  const apply = await proven(runtime, chosen(applyArtifact, options), options, trial)
  const sum = await rowsKernel(runtime, 'sum', 'f32', options)
  await runtime.run(sum, { x, out: totals, rows: tiles, size: SCAN_TILE, n, scale: 1 })
  await scan(runtime, { x: totals, y: offsets, n: tiles, exclusive: true }, options)
  await runtime.run(apply, { x, offsets, y, n, exclusive: Number(exclusive) })
}

/** Step c sums the tiles of chunk c and writes y of chunk c − 1: one step more than there are chunks. */
async function scanChunks(
  runtime: Runtime,
  { x, y, n, exclusive = false }: ScanArgs,
  tilesOfChunk: number,
  options: SeveralOptions,
): Promise<void> {
  const trial = trialOf(
    runtime,
    trials,
    ({ scanProblem }) => scanProblem(2 * SCAN_STEP_TILE + 77),
    (_, small, only) => scan(runtime, small, { ...only, chunk: SCAN_STEP_TILE }),
  )
  const step = await proven(runtime, chosen(stepArtifact, options), options, trial)
  const tail = chosen(tailArtifact, options)
  const quads = Math.floor(n / 4)
  const tiles = Math.ceil((4 * quads) / SCAN_STEP_TILE)
  const chunks = Math.ceil(tiles / tilesOfChunk)
  const tilesIn = (c: number) => Math.max(0, Math.min(tiles - c * tilesOfChunk, tilesOfChunk))
  using sums = runtime.buffer({ size: 4 * tiles })
  using carries = runtime.buffer({ size: 4 * chunks })
  const fixed = { x, y, sums, carries, quads, exclusive: Number(exclusive) }
  await runtime.run(step, { ...fixed, first: 0, applied: 0, reduced: tilesIn(0), chunk: 0 })
  for (let chunk = 0; chunk < chunks; chunk++) {
    const part = { first: chunk * tilesOfChunk, applied: tilesIn(chunk), reduced: tilesIn(chunk + 1) }
    await runtime.run(step, { ...fixed, ...part, chunk })
  }
  if (4 * quads < n) await runtime.run(tail, { x, y, from: 4 * quads, n, exclusive: Number(exclusive) })
}
