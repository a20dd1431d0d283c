import * as kernels from '@weft/kernels'
import type { Runtime } from '@weft/runtime'
import { backwardProblem } from '../../packages/kernels/src/attention-backward/trial.js'
import { unfusedProblem } from '../../packages/kernels/src/attention-unfused/trial.js'
import { blocksProblem } from '../../packages/kernels/src/blocks/trial.js'
import { decodeProblem } from '../../packages/kernels/src/decode/trial.js'
import * as norms from '../../packages/kernels/src/norms/trial.js'
import { HELD_COLUMNS, SHORT_COLUMNS } from '../../packages/kernels/src/parts/span.js'
import { type Problem, solve } from '../../packages/kernels/src/problem.js'
import {
  dynamicProblem,
  type MatmulShape,
  paramsProblem,
  wordsProblem,
} from '../../packages/kernels/src/quant/trial.js'
import { reduceProblem } from '../../packages/kernels/src/reduce/trial.js'
import * as rows from '../../packages/kernels/src/rows/trial.js'
import { scanBy } from '../../packages/kernels/src/scan/host.js'
import { scanProblem } from '../../packages/kernels/src/scan/trial.js'
import { scanU32 } from '../../packages/kernels/src/sort/host.js'
import { scanU32Problem, sortProblem } from '../../packages/kernels/src/sort/trial.js'
import { tuningTo } from '../../packages/kernels/src/tuning/index.js'

type Options = kernels.HostOptions

/** A small problem for a host function, whose kernels need features. */
export interface Verified {
  readonly name: string
  readonly run: (runtime: Runtime, options: Options) => Promise<kernels.Trial>
  /** Too much for the interpreter to be computed by subgroup matrices in every run of the tests. */
  readonly heavy?: boolean
}

/** The largest error in parts of its bound. */
export const worst = ({ got, expected, bound }: kernels.Trial): number =>
  Array.from(expected).reduce((most, want, i) => {
    const distance = Math.abs((got[i] as number) - want)
    return Math.max(most, got[i] === want ? 0 : Number.isNaN(distance) ? Infinity : distance / bound(i))
  }, 0)

const of = <Args>(
  name: string,
  problem: () => Problem<Args>,
  f: (runtime: Runtime, args: Args, options: Options) => Promise<unknown>,
  heavy = false,
): Verified => ({
  name,
  run: (runtime, options) => solve(runtime, problem(), (args) => f(runtime, args, options)),
  ...(heavy ? { heavy } : {}),
})

const types = ['f32', 'f16'] as const
/** f16 is taken by fours where rows are multiples of four. */
const COLUMNS = {
  narrow: 77,
  wide: SHORT_COLUMNS + 13,
  'narrow by fours': 76,
  'fixed by fours': SHORT_COLUMNS + 12,
  'wide by fours': HELD_COLUMNS + 12,
} as const
const spans = Object.entries(COLUMNS)

const overRows = types.flatMap((type) => [
  ...spans.flatMap(([how, cols]) => [
    of(`softmax ${how} ${type}`, () => rows.softmaxProblem(cols, type), kernels.softmax),
    of(`logSoftmax ${how} ${type}`, () => rows.logSoftmaxProblem(cols, type), kernels.logSoftmax),
    of(`softmaxBackward ${how} ${type}`, () => rows.gradientProblem('softmax', cols, type), kernels.softmaxBackward),
    of(
      `logSoftmaxBackward ${how} ${type}`,
      () => rows.gradientProblem('logSoftmax', cols, type),
      kernels.logSoftmaxBackward,
    ),
    of(`rmsnorm ${how} ${type}`, () => norms.rmsnormProblem(cols, type), kernels.rmsnorm),
    of(`layernorm ${how} ${type}`, () => norms.layernormProblem(cols, type), kernels.layernorm),
    of(`residualRmsnorm ${how} ${type}`, () => norms.residualProblem(cols, type), kernels.residualRmsnorm),
  ]),
  ...[76, 77, 1036, 2060].map((cols) =>
    of(
      `layernormBackward ${cols} ${type}`,
      () => norms.rowGradientProblem<kernels.LayernormBackwardArgs>(cols, type, true),
      kernels.layernormBackward,
    ),
  ),
  ...[76, 77, 1036, 2060].map((cols) =>
    of(
      `rmsnormBackward ${cols} ${type}`,
      () => norms.rowGradientProblem<kernels.RowGradientArgs>(cols, type, false),
      kernels.rmsnormBackward,
    ),
  ),
  of(`groupnorm ${type}`, () => norms.groupnormProblem(type), kernels.groupnorm),
  of(`groupnormBackward ${type}`, () => norms.groupGradientProblem(type), kernels.groupnormBackward),
  of(`crossEntropy ${type}`, () => rows.crossEntropyProblem(type), kernels.crossEntropy),
  of(`meanSquaredError ${type}`, () => rows.squaredErrorProblem(type), kernels.meanSquaredError),
  ...(['sum', 'mean', 'sumSquares', 'min', 'max', 'variance', 'argmax', 'argmin'] as const).map((op) =>
    of(
      `reduce ${op} ${type}`,
      () => reduceProblem(op, type),
      (runtime, args, options) => kernels.reduce(runtime, op, args, options),
    ),
  ),
])

const inOrder = [
  ...(['any', 'all'] as const).map((op) =>
    of(
      `reduce ${op}`,
      () => reduceProblem(op, 'f32'),
      (runtime, args, options) => kernels.reduce(runtime, op, args, options),
    ),
  ),
  of(
    'scan by tiles',
    () => scanProblem(17_000),
    (...call) => scanBy('tiles', ...call),
  ),
  of(
    'scan in one pass',
    () => scanProblem(17_001),
    (...call) => scanBy('once', ...call),
  ),
  of('scan of u32 in one pass', scanU32Problem, (...call) => scanU32('once', ...call)),
  of('sortPairs', sortProblem, kernels.sortPairs),
]

const attention = [
  ...types.flatMap((type) =>
    [false, true].map((masked) =>
      of(
        `attentionBackward ${masked ? 'with lengths ' : ''}${type}`,
        () => backwardProblem(70, type, { masked }),
        kernels.attentionBackward,
      ),
    ),
  ),
  ...[64, 128].map((headSize) =>
    of(
      `attentionBackward ${headSize} f16`,
      () => backwardProblem(headSize, 'f16'),
      kernels.attentionBackward,
      headSize > 64,
    ),
  ),
  ...types.flatMap((type) =>
    [false, true].map((masked) =>
      of(
        `attentionUnfused ${masked ? 'with lengths ' : ''}${type}`,
        () => unfusedProblem(type, masked),
        kernels.attentionUnfused,
      ),
    ),
  ),
  ...(
    [
      ['f32', 'f32'],
      ['f32', 'f16'],
      ['f16', 'f16'],
    ] as const
  ).flatMap(([type, cache]) => [
    ...[64, 128].map((headSize) =>
      of(
        `attentionDecode ${headSize} ${type} ${cache}`,
        () => decodeProblem(headSize, type, cache),
        kernels.attentionDecode,
      ),
    ),
    // heads of other sizes are taken one by one
    ...[false, true].map((lengths) =>
      of(
        `attentionDecode 40 ${type} ${cache}${lengths ? ' with lengths' : ''}`,
        () => decodeProblem(40, type, cache, { lengths }),
        kernels.attentionDecode,
      ),
    ),
  ]),
]

/** One row and some by both ways of reading, and as many as go to each kernel of subgroup matrices but `long`, which is for 16,384 rows of weights. */
function shapes(
  byLines: boolean,
  byOthers: boolean,
): readonly (readonly [what: string, shape: MatmulShape, heavy: boolean])[] {
  const common = { n: 5, fewRows: 'lines', rounded: false } as const
  const few = [true, false].flatMap((lines) =>
    types.flatMap((type) =>
      [1, 3].map((m) => [`${m} ${lines ? 'by lines ' : ''}${type}`, { ...common, m, lines, type }, false] as const),
    ),
  )
  const many = [13, 37, 131].map(
    (m) => [`${m} f16`, { ...common, m, n: 3, lines: true, rounded: true, type: 'f16' }, m > 13] as const,
  )
  return [...few.filter(([, { lines }]) => (lines ? byLines : byOthers)), ...(byLines ? many : [])]
}

const heldRows = types.flatMap((type) => [1, 3].map((m) => [m, type] as const))
const held = tuningTo((name) => name.replace('_f16', '').endsWith('held'))

const quantized = [
  // a way of few rows that is taken for many weights, or where it was measured to be the fastest
  ...(['int8', 'int4', 'int4_zeros'] as const).flatMap((format) =>
    heldRows.map(([m, type]) =>
      of(
        `quantizedMatmul ${format} held ${m} ${type}`,
        () => wordsProblem(format, { m, n: 5, lines: true, fewRows: 'held', rounded: false, type }),
        (runtime, args, options) => kernels.quantizedMatmul(runtime, args, { ...options, tuning: held }),
      ),
    ),
  ),
  ...(['int8', 'uint8', 'int4', 'int4_zeros'] as const).flatMap((format) =>
    shapes(format !== 'uint8', true).map(([what, shape, heavy]) =>
      of(`quantizedMatmul ${format} ${what}`, () => wordsProblem(format, shape), kernels.quantizedMatmul, heavy),
    ),
  ),
  ...(Object.keys(kernels.BLOCKS) as kernels.BlockName[]).flatMap((format) =>
    heldRows.map(([m, type]) =>
      of(
        `blockMatmul ${format} held ${m} ${type}`,
        () => blocksProblem(format, { m, n: 5, lines: true, fewRows: 'held', rounded: false, type }),
        (runtime, args, options) => kernels.blockMatmul(runtime, args, { ...options, tuning: held }),
      ),
    ),
  ),
  ...(Object.keys(kernels.BLOCKS) as kernels.BlockName[]).flatMap((format) =>
    // blocks that are no multiple of 16 bytes are always read by lines
    shapes(true, kernels.BLOCKS[format].bytes % 16 === 0).map(([what, shape, heavy]) =>
      of(`blockMatmul ${format} ${what}`, () => blocksProblem(format, shape), kernels.blockMatmul, heavy),
    ),
  ),
  ...types.flatMap((type) => [
    of(`quantize ${type}`, () => paramsProblem(type), kernels.quantize),
    ...(['int8', 'int4', 'int4_zeros'] as const).map((format) =>
      of(`dynamicMatmul ${format} ${type}`, () => dynamicProblem(format, type), kernels.dynamicMatmul),
    ),
  ]),
]

export const verified: readonly Verified[] = [...overRows, ...inOrder, ...attention, ...quantized]
