import { blockKernels, blockLines, blockMatrices } from '@weft/kernels/source'
import { BLOCKS, type BlockName } from '../../packages/kernels/src/blocks/layout.js'
import { packBlocks, unpackBlocks } from '../../packages/kernels/src/blocks/pack.js'
import { normal } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { shipped } from './outputs.js'
import { type CaseWeights, weightCase } from './weights.js'

/** Blocks behind some others, which are bits that must not be read: they begin at no multiple of a word, let alone of 256. */
function blockWeights(format: BlockName, n: number, blocks: number, before: number): CaseWeights {
  const { size, bytes } = BLOCKS[format]
  const k = blocks * size
  const packed = packBlocks(format, normal(1, n * k))
  const offset = before * bytes
  const all = new Uint8Array(Math.ceil((offset + packed.length) / 4) * 4 + 4).fill(0xff)
  all.set(packed, offset)
  const values = unpackBlocks(format, packed, n * k)
  return { bindings: { w: new Uint32Array(all.buffer) }, params: { offset }, values, n, k }
}

const cases: readonly ParityCase[] = blockKernels.map((kernel) => {
  const format = kernel.name.replace(/^[a-z0-9]+_|_f16$/g, '') as BlockName
  const m = /matvec1/.test(kernel.name) ? 2 : /matvec4/.test(kernel.name) ? 7 : 5
  const n = kernel.name.startsWith('matmul') ? 66 : 3
  const before = kernel.name.endsWith('_f16') ? 0 : 3
  return weightCase(kernel, blockWeights(format, n, 2, before), m, before > 0 ? ' behind 3 blocks [case-S30]' : '')
})

/** Blocks of 144 and 176 bytes begin at multiples of 16, the others anywhere. */
const lines: readonly ParityCase[] = blockLines.map((kernel, i) => {
  const format = kernel.name.replace(/^[a-z0-9]+_|_lines(_f16)?$/g, '') as BlockName
  const [n, blocks, m] = [
    [5, 9, 1],
    [3, 2, 5],
  ][i % 2] as [number, number, number]
  return weightCase(kernel, blockWeights(format, n, blocks, 3), m, ' behind 3 blocks')
})

/** Products by subgroup matrices: of few rows with few and with many, of some, and of many. */
const matrices: readonly ParityCase[] = blockMatrices.map((kernel, i) => {
  const format = kernel.name.replace(/^matmul_|_matrices_.*$/g, '') as BlockName
  const [m, n] = [
    [5, 19],
    [16, 70],
    [33, 35],
    [66, 67],
  ][i % 4] as [number, number]
  return weightCase(kernel, blockWeights(format, n, 1, 3), m, ' behind 3 blocks')
})

export const blocksCases: readonly ParityCase[] = [...cases, ...lines, ...matrices].map(shipped)
