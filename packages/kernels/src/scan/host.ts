import type { CompiledKernel } from '@weft/codegen'
import { sum_rows } from '../../generated/reduce'
import { artifact as applyArtifact } from '../../generated/scan/scan_apply'
import { artifact as blocksArtifact } from '../../generated/scan/scan_blocks'
import { artifact as offsetsArtifact } from '../../generated/scan/scan_offsets'
import { artifact as onceArtifact } from '../../generated/scan/scan_once'
import { artifact as tailArtifact } from '../../generated/scan/scan_tail'
import { argsOf, flag, input, maybe, output, size } from '../args'
import {
  atHand,
  type BufferLike,
  checkBuffers,
  checkCall,
  chosen,
  type Runtime,
  SEVERAL_OPTIONS,
  type SeveralOptions,
} from '../host'
import { rowsKernel } from '../reduce/host'
import { passes, proven, trialOf } from '../verify'
import { chooseScan, type ScanWay } from './choose'
import { SCAN_BLOCK, SCAN_ONCE_BLOCK, SCAN_ONCE_TILE, SCAN_SUMS, SCAN_TILE } from './plan'

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

/**
 * y[i] = x[0] + … + x[i], in f32, for any n: one dispatch up to 1,024 elements. From 2,049 elements on x is read once and y written once;
 * where `verify` finds that a device does not do that right, or its kernel is not at hand, x is read twice.
 */
export async function scan(runtime: Runtime, args: ScanArgs, options: SeveralOptions = {}): Promise<void> {
  checkCall(runtime, 'scan', args, SCAN_ARGS, options, SEVERAL_OPTIONS)
  const { x, y, n } = args
  checkBuffers('scan', { x: [x, n], y: [y, n] })
  if (n > 0) await scanBy(chooseScan(n), runtime, args, options)
}

/** In one way, for n ≥ 4, or in one that needs less where its kernels are not at hand, or wrong on this device. */
export async function scanBy(way: ScanWay, runtime: Runtime, args: ScanArgs, options: SeveralOptions): Promise<void> {
  const has = (...kernels: readonly CompiledKernel[]) => kernels.every((kernel) => atHand(kernel, runtime, options))
  const trial = (tile: number) =>
    trialOf(
      runtime,
      trials,
      ({ scanProblem }) => scanProblem(2 * tile + 77),
      (on, small, only) => scanBy(way, on, small, only),
    )
  const once = chosen(onceArtifact, options)
  if (
    way === 'once' &&
    has(onceArtifact, tailArtifact) &&
    (await passes(runtime, once, options, trial(SCAN_ONCE_TILE)))
  ) {
    const { x, y, n, exclusive = false } = args
    await scanQuads(runtime, once, { x, y, quads: Math.floor(n / 4), exclusive: Number(exclusive) })
    await scanTail(runtime, args, options)
  } else if (way !== 'blocks' && has(sum_rows, applyArtifact, tailArtifact))
    await scanTiles(
      runtime,
      await proven(runtime, chosen(applyArtifact, options), options, trial(SCAN_TILE)),
      args,
      options,
    )
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
  using totals = runtime.buffer({ size: 4 * count }, { zero: false })
  await runtime.run(kernels.blocks, { x, y, totals, n, exclusive: Number(exclusive) })
  if (count === 1) return
  using offsets = runtime.buffer({ size: 4 * count }, { zero: false })
  await scanBlocks(runtime, { x: totals, y: offsets, n: count, exclusive: true }, kernels)
  await runtime.run(kernels.offsets, { offsets, y, n })
}

/** Sums of tiles, then y; many sums are scanned in between. */
async function scanTiles(
  runtime: Runtime,
  apply: CompiledKernel,
  { x, y, n, exclusive = false }: ScanArgs,
  options: SeveralOptions,
): Promise<void> {
  const quads = Math.floor(n / 4)
  const tiles = Math.ceil((4 * quads) / SCAN_TILE)
  const sum = await rowsKernel(runtime, 'sum', 'f32', options)
  const flag = Number(exclusive)
  using sums = runtime.buffer({ size: 4 * tiles }, { zero: false })
  await runtime.run(sum, { x, out: sums, rows: tiles, size: SCAN_TILE, n: 4 * quads, scale: 1 })
  if (tiles <= SCAN_SUMS) await runtime.run(apply, { x, sums, y, quads, exclusive: flag, scanned: 0 })
  else {
    using before = runtime.buffer({ size: 4 * tiles }, { zero: false })
    await scan(runtime, { x: sums, y: before, n: tiles, exclusive: true }, options)
    await runtime.run(apply, { x, sums: before, y, quads, exclusive: flag, scanned: 1 })
  }
  await scanTail(runtime, { x, y, n, exclusive }, options)
}

/**
 * How often a workgroup looks for sums before it sums a tile itself: as long as tiles take. On an H200 any number from 3 to 10,000 does; a
 * device in software, which runs as many workgroups at a time as it has cores, takes twice the time with 100.
 */
const LOOKS = 16

export interface QuadsArgs {
  readonly x: BufferLike
  readonly y: BufferLike
  /** More than 0. */
  readonly quads: number
  readonly exclusive: number
}

/** In one pass, with sums of tiles and blocks in a buffer of its own, which is 0 as every new one: there are none yet. */
export async function scanQuads(runtime: Runtime, once: CompiledKernel, args: QuadsArgs): Promise<void> {
  const tiles = Math.ceil((4 * args.quads) / SCAN_ONCE_TILE)
  const blocks = Math.ceil(tiles / SCAN_ONCE_BLOCK)
  using sums = runtime.buffer({ size: 4 * (tiles + blocks) })
  await runtime.run(once, { ...args, sums, looks: LOOKS })
}

/** The elements behind the last quad. */
async function scanTail(
  runtime: Runtime,
  { x, y, n, exclusive = false }: ScanArgs,
  options: SeveralOptions,
): Promise<void> {
  const from = n - (n % 4)
  if (from < n) await runtime.run(chosen(tailArtifact, options), { x, y, from, n, exclusive: Number(exclusive) })
}
