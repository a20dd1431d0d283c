import { checkKeys, keysOf } from '../args'
import { dropThreshold, randomBitsOf } from '../parts/random'
import { compareNumbers } from '../sort/reference'
import { POWER, partOf, type SampleChoice, temperatureParams, WEIGHT_SHIFT, WHOLE } from './plan'

export interface TopKReferenceArgs {
  /** [rows, cols] */
  readonly x: ArrayLike<number>
  readonly rows: number
  readonly cols: number
  readonly k: number
}

const TOP_KEYS = keysOf<TopKReferenceArgs>({ x: true, rows: true, cols: true, k: true })

/** The columns of a row, greatest first, the first of equals first. */
function ordered(x: ArrayLike<number>, start: number, cols: number): number[] {
  const columns = Array.from({ length: cols }, (_, i) => i)
  return columns.sort((a, b) => compareNumbers(x[start + b]!, x[start + a]!) || a - b)
}

/** The k greatest of each row and their columns, greatest first, the first of equals first; NaN is the greatest. */
export function topKReference(args: TopKReferenceArgs): { values: Float64Array; indices: Uint32Array } {
  checkKeys('topKReference', args, TOP_KEYS)
  const { x, rows, cols, k } = args
  const [values, indices] = [new Float64Array(rows * k), new Uint32Array(rows * k)]
  for (let row = 0; row < rows; row++) {
    const found = ordered(x, row * cols, cols).slice(0, k)
    indices.set(found, row * k)
    values.set(
      found.map((column) => x[row * cols + column]!),
      row * k,
    )
  }
  return { values, indices }
}

/** 2^(28 − distance / 2¹⁶) in integers, as on the device. */
export function weightOfDistance(distance: number): number {
  const t = distance % 65536
  const [c1, c2, c3, c4] = POWER
  const times = (c: number) => Math.floor((t * c) / 65536)
  const mantissa = 65535 - times(c1 - times(c2 - times(c3 - times(c4))))
  return Math.floor((mantissa * 2 ** WEIGHT_SHIFT) / 2 ** Math.min(Math.floor(distance / 65536), 31))
}

/** The integer weights of f32 logits, of which the greatest is `top`: their part of the sum is their probability. */
export function sampleWeights(logits: ArrayLike<number>, temperature: number): number[] {
  const { scale, reach } = temperatureParams(temperature)
  const values = Array.from(logits)
  const top = values.reduce((a, b) => (compareNumbers(b, a) > 0 ? b : a), -Infinity)
  return values.map((value) => {
    if (compareNumbers(value, top) === 0) return weightOfDistance(0)
    const gap = Math.fround(top - value)
    return gap < reach ? weightOfDistance(Math.trunc(Math.fround(gap * scale))) : 0
  })
}

export interface SampleReferenceArgs extends SampleChoice {
  /** [rows, cols], values of f32 or f16 */
  readonly logits: ArrayLike<number>
  /** [rows] */
  readonly seeds: ArrayLike<number>
  readonly rows: number
  readonly cols: number
  readonly step?: number
  /** Of each row, in place of temperature, topK and topP for all. */
  readonly choices?: readonly SampleChoice[]
}

const CHOICE_KEYS = keysOf<SampleChoice>({ temperature: true, topK: true, topP: true })
const SAMPLE_KEYS = keysOf<SampleReferenceArgs>({
  logits: true,
  seeds: true,
  rows: true,
  cols: true,
  step: true,
  choices: true,
  temperature: true,
  topK: true,
  topP: true,
})

/** The column of each row that `sample` draws: the same one, by sorting and by integers of any size. */
export function sampleReference(args: SampleReferenceArgs): Uint32Array {
  checkKeys('sampleReference', args, SAMPLE_KEYS)
  const { logits, seeds, rows, cols, step = 0, choices } = args
  for (const [i, choice] of (choices ?? []).entries()) checkKeys(`sampleReference: choices[${i}]`, choice, CHOICE_KEYS)
  return Uint32Array.from({ length: rows }, (_, row) => {
    const { temperature = 1, topK = cols, topP = 1 } = choices?.[row] ?? args
    const order = ordered(logits, row * cols, cols).slice(0, temperature === 0 ? 1 : topK)
    if (temperature === 0) return order[0]!
    const values = Array.from(order, (column) => logits[row * cols + column]!)
    const sums = runningSums(sampleWeights(values, temperature))
    const part = partOf(topP)
    const nucleus = part === WHOLE ? sums.length : passes(sums, part) + 1
    return order[passes(sums.slice(0, nucleus), randomBitsOf(seeds[row]!, [step, 0, 0]))]!
  })
}

function runningSums(weights: readonly number[]): bigint[] {
  let sum = 0n
  return weights.map((weight) => (sum += BigInt(weight)))
}

/** Where the sums pass so many 2⁻³² of the last one. */
function passes(sums: readonly bigint[], part: number): number {
  const target = (sums[sums.length - 1]! * BigInt(part)) >> 32n
  return sums.findIndex((sum) => sum > target)
}

export interface DropoutReferenceArgs {
  readonly seed: number
  readonly stream?: number
  /** The probability of being dropped, below 1. */
  readonly p: number
}

const DROPOUT_KEYS = keysOf<DropoutReferenceArgs>({ seed: true, stream: true, p: true })

/** x / (1 − p) or 0, in float64 with the factor of f32; of a gradient the same is its backward. */
export function dropoutReference(x: ArrayLike<number>, options: DropoutReferenceArgs): Float64Array {
  checkKeys('options of dropoutReference', options, DROPOUT_KEYS)
  const { seed, stream = 0, p } = options
  const threshold = dropThreshold(p)
  const scale = Math.fround(1 / (1 - p))
  return Float64Array.from(x, (value, i) => (randomBitsOf(seed, [stream, 0, i]) < threshold ? 0 : value * scale))
}
