import type { KernelSource } from '@weft/dsl/ir'
import {
  blockKernels,
  blockLines,
  blockMatrices,
  blockOneRow,
  blockQuantizers,
  blockTwoRows,
} from '@weft/kernels/source'
import { BLOCKS, type BlockName } from '../../packages/kernels/src/blocks/layout.js'
import { blocksOf, packBlocks, unpackBlocks } from '../../packages/kernels/src/blocks/pack.js'
import { integers, normal, uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { poisoned } from './inputs.js'
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

/** More columns than a workgroup has at once, and rows for more than one. */
const held: readonly ParityCase[] = [...blockOneRow, ...blockTwoRows].map((kernel, i) => {
  const format = kernel.name.replace(/^matvec\d_|_held(_f16)?$/g, '') as BlockName
  const two = kernel.name.startsWith('matvec2')
  const [n, k, rows] = [
    [5, 4352, 32],
    [19, 256, 8],
  ][i % 2] as [number, number, number]
  const weights = blockWeights(format, n, k / BLOCKS[format].size, 3)
  const m = two ? 2 + (i % 2) : 1 + (i % 2)
  return weightCase(kernel, { ...weights, params: { ...weights.params, rows } }, m, ' behind 3 blocks')
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

const SIZE = 32
/** The f32 that is so many steps above x in size. */
const beside = (x: number, steps: number): number => {
  const bits = new Uint32Array(Float32Array.of(x).buffer)
  bits[0] = (bits[0] as number) + steps
  return new Float32Array(bits.buffer)[0] as number
}

/**
 * Blocks of values that lie on the halves between two integers of their scale, or one f32 beside them, where the rounding of a quotient or a
 * product that is off by one shows. The greatest size, of either sign, at either end; one to powers of two, one to anything.
 */
function betweenIntegers(format: BlockName, seed: number): number[] {
  const steps = format === 'q8_0' ? 127 : 8
  const [size] = uniform(seed, 1, 1, 2) as unknown as [number]
  const most = seed % 4 === 0 ? steps : Math.fround(size * steps * 2 ** ((seed % 17) - 8))
  const d = Math.fround(most / steps)
  const q = integers(seed, SIZE, 2 * steps)
  const values = Array.from(q, (v, i) => {
    const value = Math.fround((v - steps + 0.5) * d)
    return Math.abs(value) >= most ? 0 : beside(value, i % 2 === 0 ? 0 : (i % 5) - 2)
  })
  values[seed % 2 === 0 ? 0 : SIZE - 1] = seed % 3 === 0 ? -most : most
  values[16] = seed % 3 === 0 ? most : -most
  return values
}

/** What is 0, of one value, beyond and far below what a scale in f16 can be, and where the scale is a subnormal f16. */
const edges = (half: boolean): number[][] => [
  new Array<number>(SIZE).fill(0),
  new Array<number>(SIZE).fill(-0),
  [...new Array<number>(SIZE - 1).fill(0), -3],
  ...[2 ** -110, 2 ** -24, 2 ** -18, 1e-3, ...(half ? [6e4] : [8e6, 3e38])].map((factor, i) =>
    [...uniform(i, SIZE, -1, 1)].map((v) => Math.fround(v * factor)),
  ),
]

function quantizeCase(
  kernel: KernelSource,
  values: readonly number[],
  first: number,
  tag = '',
  as = values,
): ParityCase {
  const half = kernel.name.endsWith('_f16')
  const format = kernel.name.replace(/^quantize_|_f16$/g, '') as 'q8_0' | 'q4_0'
  const x = poisoned(values, half)
  const packed = blocksOf(format, as === values ? x.numbers : as)
  const words = first + Math.ceil(packed.length / 4) + 2
  const empty = new Uint8Array(4 * words).fill(0xa5)
  const expected = empty.slice()
  expected.set(packed, 4 * first)
  return {
    name: `${kernel.name}, ${values.length / SIZE} blocks at word ${first}${tag}`,
    kernel,
    params: { blocks: values.length / SIZE, first },
    bindings: { x: x.data, w: new Uint32Array(empty.buffer) },
    expect: { w: new Uint32Array(expected.buffer) },
  }
}

const quantizers: readonly ParityCase[] = blockQuantizers.flatMap((kernel) => {
  const format = kernel.name.replace(/^quantize_|_f16$/g, '') as BlockName
  return [
    quantizeCase(
      kernel,
      Array.from({ length: 67 }, (_, i) => betweenIntegers(format, i)).flat(),
      0,
      ', values between two integers',
    ),
    quantizeCase(kernel, edges(kernel.name.endsWith('_f16')).flat(), 3, ' of zeros, of the greatest and of the least'),
    quantizeCase(kernel, [...normal(5, SIZE)], 0),
    quantizeCase(kernel, [...normal(6, 2 * SIZE)], 1),
    quantizeCase(kernel, [], 1, ', none'),
    // whose scale would not be a normal f32, and is 0 in f16
    quantizeCase(
      kernel,
      new Array<number>(SIZE).fill(2 ** -120),
      0,
      ' of nearly nothing',
      new Array<number>(SIZE).fill(0),
    ),
  ]
})

export const blocksCases: readonly ParityCase[] = [...cases, ...lines, ...held, ...matrices, ...quantizers].map(shipped)
