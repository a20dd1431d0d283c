import * as g from '../../generated/sampling'
import {
  argsOf,
  belowOne,
  checkFields,
  count,
  floatType,
  input,
  listOfArgs,
  maybe,
  notNegative,
  object,
  output,
  outputOver,
  size,
  u32,
  upToOne,
} from '../args'
import {
  type BufferLike,
  badArgument,
  bytesIn,
  checkBuffers,
  checkCall,
  chosen,
  type HostOptions,
  type Runtime,
} from '../host'
import { dropThreshold } from '../parts/random'
import { reduce } from '../reduce'
import { choiceParams, isFewToDraw, isFewToRank, SAMPLE_COLS, type SampleChoice, TOP_K_COLS, WHOLE } from './plan'

export type SamplingType = 'f32' | 'f16'

function checkMost(what: string, name: string, value: number, most: number): void {
  if (value > most) throw badArgument(`${what}: ${name} must be at most ${most}, got ${value}`)
}

export interface TopKArgs {
  /** [rows, cols] */
  readonly x: BufferLike
  /** Of the type of x: [rows, k]; written */
  readonly values: BufferLike
  /** u32: [rows, k]; written */
  readonly indices: BufferLike
  readonly rows: number
  readonly cols: number
  readonly k: number
  readonly type?: SamplingType
}

const TOP_K_ARGS = argsOf<TopKArgs>({
  x: input,
  values: output,
  indices: output,
  rows: size,
  cols: size,
  k: size,
  type: floatType,
})

/**
 * The k greatest of each row with their columns, greatest first, the first of equals first; NaN is the greatest.
 *
 * @throws RangeError before anything is recorded: k above cols, more than 2²⁴ columns, buffers that are too small
 */
export async function topK(runtime: Runtime, args: TopKArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'topK', args, TOP_K_ARGS, options)
  const { x, values, indices, rows, cols, k, type = 'f32' } = args
  checkMost('topK', 'cols', cols, TOP_K_COLS)
  if (k > cols) throw badArgument(`topK: k must be at most cols = ${cols}, got ${k}`)
  const bytes = bytesIn(type)
  checkBuffers('topK', { x: [x, rows * cols, bytes], values: [values, rows * k, bytes], indices: [indices, rows * k] })
  if (rows * k === 0) return
  if (isFewToRank(cols, k)) {
    const few = chosen(type === 'f16' ? g.top_k_few_f16 : g.top_k_few, options)
    await runtime.run(few, { x, values, indices, rows, cols, k })
    return
  }
  using found = runtime.buffer({ size: 4 * rows * k })
  const half = type === 'f16'
  await runtime.run(chosen(half ? g.top_k_select_f16 : g.top_k_select, options), { x, found, rows, cols, k })
  const order = chosen(half ? g.top_k_order_f16 : g.top_k_order, options)
  await runtime.run(order, { x, found, values, indices, rows, cols, k })
}

export interface SampleArgs {
  /** [rows, cols] */
  readonly logits: BufferLike
  /** u32: [rows]. What is drawn for a row depends on its logits, its seed and the step, and not on its place in the batch. */
  readonly seeds: BufferLike
  /** u32: [rows], the columns; written */
  readonly out: BufferLike
  readonly rows: number
  readonly cols: number
  /** The number of the draw, e.g. the position in the text; 0 when left out. */
  readonly step?: number
  /** u32: [rows, 4], from `sampleChoices`: temperature, topK and topP of each row, in place of those for all. */
  readonly choices?: BufferLike
  /** Divides the logits: 0 for the greatest one, without chance; 1 when left out. */
  readonly temperature?: number
  /** Only so many of the greatest logits; all when left out. Of equals at the end the first ones. */
  readonly topK?: number
  /** Of those only the greatest, until their probabilities are more than this; 1, the default, for all. */
  readonly topP?: number
  readonly type?: SamplingType
}

const CHOICE_ARGS = argsOf<SampleChoice>({ temperature: maybe(notNegative), topK: maybe(count), topP: maybe(upToOne) })
const CHOICES_ARGS = argsOf<{ readonly choices: readonly SampleChoice[] }>({ choices: listOfArgs(object(CHOICE_ARGS)) })

/**
 * What rows of a batch are drawn by, each as it wants, for `choices` of `sample`: four u32 for each. Written into the same buffer they
 * change what a recording draws.
 *
 * @throws RangeError a temperature that is negative or not finite, topK below 1, topP outside of [0, 1]
 */
export function sampleChoices(choices: readonly SampleChoice[]): Uint32Array {
  checkFields('sampleChoices', { choices }, CHOICES_ARGS)
  const words = new Uint32Array(4 * choices.length)
  const floats = new Float32Array(words.buffer)
  choices.forEach((choice, row) => {
    const { scale, reach, top_k, top_p } = choiceParams(choice)
    floats.set([scale, reach], 4 * row)
    words.set([Math.min(top_k, WHOLE), top_p], 4 * row + 2)
  })
  return words
}

const KERNELS = {
  f32: { rows: g.sample_rows, each: g.sample_each_row },
  f16: { rows: g.sample_rows_f16, each: g.sample_each_row_f16 },
} as const
const FEW = {
  f32: { rows: g.sample_rows_few, each: g.sample_each_row_few },
  f16: { rows: g.sample_rows_few_f16, each: g.sample_each_row_few_f16 },
} as const
const SAMPLE_ARGS = argsOf<SampleArgs>({
  logits: input,
  seeds: input,
  out: output,
  rows: size,
  cols: size,
  step: maybe(u32),
  choices: maybe(input),
  temperature: maybe(notNegative),
  topK: maybe(count),
  topP: maybe(upToOne),
  type: floatType,
})

/**
 * Draws a column of each row from softmax(logits / temperature), the same one on every device (see the kernel, and `sampleReference`).
 * −∞ is never drawn where there is something else; a row with ∞ or NaN gives one of those.
 *
 * @throws RangeError before anything is recorded: no columns or more than 2¹⁸, a temperature that is negative or not finite, topK below
 *   1, topP outside of [0, 1], a step beyond u32, buffers that are too small
 */
export async function sample(runtime: Runtime, args: SampleArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'sample', args, SAMPLE_ARGS, options)
  const { logits, seeds, choices, out, rows, cols, step = 0, type = 'f32', ...choice } = args
  checkMost('sample', 'cols', cols, SAMPLE_COLS)
  if (cols === 0) throw badArgument('sample: cols must be at least 1, got 0: there is nothing to draw')
  const own = (['temperature', 'topK', 'topP'] as const).find((name) => choice[name] !== undefined)
  if (choices && own) throw badArgument(`sample: ${own} must be left out, since choices say it for each row`)
  checkBuffers('sample', {
    ...{ logits: [logits, rows * cols, bytesIn(type)], seeds: [seeds, rows], out: [out, rows] },
    ...(choices ? { choices: [choices, 4 * rows] } : {}),
  })
  if (rows === 0) return
  const kernels = (isFewToDraw(cols, runtime.info) ? FEW : KERNELS)[type]
  const given = { logits, seeds, out, rows, cols, step }
  if (choices) {
    await runtime.run(chosen(kernels.each, options), { ...given, choices })
    return
  }
  if (choice.temperature === 0) {
    const { kernels } = options
    await reduce(
      runtime,
      'argmax',
      { x: logits, shape: [rows, cols], axes: [1], out, type },
      kernels ? { kernels } : {},
    )
    return
  }
  const params = choiceParams(choice)
  await runtime.run(chosen(kernels.rows, options), { ...given, ...params, top_k: Math.min(params.top_k, cols) })
}

interface DropoutOptions {
  readonly n: number
  /** The probability of an element of being dropped, from 0 to below 1. */
  readonly p: number
  readonly seed: number
  /** E.g. the number of the layer and the step: another one gives another mask. 0 when left out. */
  readonly stream?: number
  readonly type?: SamplingType
}

export interface DropoutArgs extends DropoutOptions {
  /** [n] */
  readonly x: BufferLike
  /** [n], written; may be x */
  readonly y: BufferLike
}

export interface DropoutBackwardArgs extends DropoutOptions {
  /** [n] */
  readonly dy: BufferLike
  /** [n], written; may be dy */
  readonly dx: BufferLike
}

async function dropped(
  runtime: Runtime,
  what: string,
  [from, to]: readonly [name: string, name: string],
  { x, y, n, p, seed, stream = 0, type = 'f32' }: DropoutArgs,
  options: HostOptions,
): Promise<void> {
  checkBuffers(what, { [from]: [x, n, bytesIn(type)], [to]: [y, n, bytesIn(type)] })
  if (n === 0) return
  const params = { n, seed, stream, threshold: dropThreshold(p), scale: 1 / (1 - p) }
  await runtime.run(chosen(type === 'f16' ? g.dropout_f16 : g.dropout, options), { x, y, ...params })
}

const DROPOUT_ARGS = argsOf<DropoutArgs>({
  x: input,
  y: outputOver('x'),
  n: size,
  p: belowOne,
  seed: u32,
  stream: maybe(u32),
  type: floatType,
})

/** y[i] = x[i] / (1 − p), or 0 with probability p: by the random bits of (seed, stream, i), the same on every device. */
export async function dropout(runtime: Runtime, args: DropoutArgs, options: HostOptions = {}): Promise<void> {
  checkCall(runtime, 'dropout', args, DROPOUT_ARGS, options)
  await dropped(runtime, 'dropout', ['x', 'y'], args, options)
}

const DROPOUT_BACKWARD_ARGS = argsOf<DropoutBackwardArgs>({
  dy: input,
  dx: outputOver('dy'),
  n: size,
  p: belowOne,
  seed: u32,
  stream: maybe(u32),
  type: floatType,
})

/** dx of `dropout` with the same p, seed and stream, which make the mask again. */
export async function dropoutBackward(
  runtime: Runtime,
  args: DropoutBackwardArgs,
  options: HostOptions = {},
): Promise<void> {
  checkCall(runtime, 'dropoutBackward', args, DROPOUT_BACKWARD_ARGS, options)
  const { dy, dx, ...rest } = args
  await dropped(runtime, 'dropoutBackward', ['dy', 'dx'], { x: dy, y: dx, ...rest }, options)
}
