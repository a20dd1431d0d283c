// Products with one row of x and with few, over weights in every format: y = x · Wᵀ, W: n × k. Bytes are those of W as it is
// packed, with its scales and zero points, and of x and y.

import { BLOCKS, type BlockName, blockMatmul, matmul, quantizedMatmul, unpackBlocks } from '@weft/kernels'
import type { Contest, Entry, Facts, Input, ReadOutput } from '../contest'
import { library } from '../entries'
import { SMALL } from '../small'
import { valuesAt } from '../values'

type Sizes = readonly [m: number, n: number, k: number]
type Type = 'f32' | 'f16'
type Inputs = Readonly<Record<string, Input>>
type Row = (row: number) => ArrayLike<number>

const SAMPLES = 24
const BYTES = { f32: 4, f16: 2, u32: 4 } as const

/** The largest error over some places of y, in parts of its bound. */
const checked =
  ([m, n, k]: Sizes, type: Type, x: Input, row: Row, packed: boolean) =>
  async (read: ReadOutput) => {
    let worst = 0
    for (let s = 0; s < SAMPLES; s++) {
      const [i, j] = [(s * 7) % m, s === 0 ? n - 1 : (s * 1237 + 11) % n]
      const [values, weights] = [valuesAt(x, i * k, k), row(j)]
      let [sum, size] = [0, 0]
      values.forEach((value, kk) => {
        const term = value * (weights[kk] as number)
        sum += term
        size += Math.abs(term)
      })
      const got = (await read('y', i * n + j, 1))[0]
      // errors add up like a walk of k steps, of which some times its width is enough: of sums in f32, and of weights that are
      // rounded to f16 where there are many rows
      const walk = 2 * 2 ** -24 * Math.sqrt(k) + (packed && m > 4 && type === 'f16' ? (4 * 2 ** -11) / Math.sqrt(k) : 0)
      const bound = (8 * 2 ** -24 + walk) * size + (type === 'f16' ? 2 ** -11 * Math.abs(sum) + 2 ** -24 : 0)
      worst = Math.max(worst, Math.abs((got as number) - sum) / bound)
    }
    return worst
  }

interface Weights {
  readonly name: string
  /** Whether integers with scales. */
  readonly packed?: boolean
  readonly inputs: (n: number, k: number) => Inputs
  readonly row: (inputs: Inputs, k: number) => Row
  readonly entry: (sizes: Sizes, type: Type) => Entry
  /** What peers need to know, where they can take part. */
  readonly facts?: (sizes: Sizes) => Facts
}

function contest({ name, packed = true, inputs, row, entry, facts }: Weights, type: Type, sizes: Sizes): Contest {
  const [m, n, k] = sizes
  const weights = inputs(n, k)
  const x: Input = { type, length: m * k, seed: 7 }
  const all = { ...weights, x }
  const bytes = Object.values(all).reduce((sum, input) => sum + input.length * BYTES[input.type], 0)
  return {
    name: `${name}, x ${type}: ${m} x ${n} x ${k}`,
    dtype: type,
    ...facts?.(sizes),
    work: { bytes: bytes + m * n * BYTES[type], operations: 2 * m * n * k },
    inputs: all,
    outputs: { y: { type, length: m * n } },
    check: checked(sizes, type, x, row(weights, k), packed),
    ...(type === 'f16' ? { features: ['shader-f16'] } : {}),
    entries: [entry(sizes, type)],
  }
}

/** W in the type of x, as matmul takes it. */
function plain(type: Type, transposed: boolean): Weights {
  return {
    name: transposed ? type : `${type}, W k x n`,
    packed: false,
    inputs: (n, k) => ({ w: { type, length: n * k, seed: 3 } }),
    row:
      ({ w }, k) =>
      (row) => {
        if (transposed) return valuesAt(w as Input, row * k, k)
        const n = (w as Input).length / k
        return Float64Array.from({ length: k }, (_, kk) => valuesAt(w as Input, kk * n + row, 1)[0] as number)
      },
    facts: ([m, n, k]) => ({
      kind: 'matmul',
      shape: { m, n, k },
      flags: transposed ? ['transposeB'] : [],
      names: { a: 'x', b: 'w', c: 'y' },
    }),
    entry: ([m, n, k]) =>
      library('weft', (runtime, { x, w, y }) =>
        matmul(runtime, { a: x!, b: w!, c: y!, m, n, k, transposeB: transposed, type }),
      ),
  }
}

function int8(): Weights {
  return {
    name: 'int8',
    inputs: (n, k) => ({
      w: { type: 'u32', length: (n * k) / 4, seed: 3 },
      scales: { type: 'f32', length: n, seed: 4 },
    }),
    row:
      ({ w, scales }, k) =>
      (row) => {
        const [words, [scale]] = [valuesAt(w as Input, (row * k) / 4, k / 4), valuesAt(scales as Input, row, 1)]
        return Float64Array.from({ length: k }, (_, i) => {
          const byte = ((words[i >> 2] as number) >>> (8 * (i % 4))) & 255
          return ((byte << 24) >> 24) * (scale as number)
        })
      },
    entry: ([m, n, k], type) =>
      library('weft', (runtime, { x, w, scales, y }) => {
        const weights = { format: 'int8', w: w!, scales: scales!, n, k } as const
        return quantizedMatmul(runtime, { weights, x: x!, y: y!, m, type })
      }),
  }
}

function int4(group: number, withZeros: boolean): Weights {
  return {
    name: `int4 in groups of ${group}${withZeros ? ' with zero points' : ''}`,
    inputs: (n, k) => ({
      w: { type: 'u32', length: (n * k) / 8, seed: 3 },
      scales: { type: 'f32', length: (n * k) / group, seed: 4 },
      ...(withZeros ? { zeros: { type: 'u32', length: n * Math.ceil(k / group / 8), seed: 5 } as const } : {}),
    }),
    row:
      ({ w, scales, zeros }, k) =>
      (row) => {
        const groups = k / group
        const lines = Math.ceil(groups / 8)
        const words = valuesAt(w as Input, (row * k) / 8, k / 8)
        const own = valuesAt(scales as Input, row * groups, groups)
        const points = zeros && valuesAt(zeros, row * lines, lines)
        return Float64Array.from({ length: k }, (_, i) => {
          const q = ((words[i >> 3] as number) >>> (8 * (i % 4) + (i % 8 < 4 ? 0 : 4))) & 15
          const g = Math.floor(i / group)
          const z = points ? ((points[g >> 3] as number) >>> (4 * (g % 8))) & 15 : 8
          return (q - z) * (own[g] as number)
        })
      },
    entry: ([m, n, k], type) =>
      library('weft', (runtime, { x, w, scales, zeros, y }) => {
        const common = { w: w!, scales: scales!, n, k, group }
        const weights = zeros
          ? ({ format: 'int4_zeros', ...common, zeros } as const)
          : ({ format: 'int4', ...common } as const)
        return quantizedMatmul(runtime, { weights, x: x!, y: y!, m, type })
      }),
  }
}

function blocks(format: BlockName): Weights {
  const { size, bytes } = BLOCKS[format]
  return {
    name: format.toUpperCase(),
    // without the two highest bits of an exponent every f16 that may stand in it is finite, and small
    inputs: (n, k) => ({
      w: { type: 'u32', length: Math.ceil(((n * k) / size) * bytes) / 4, seed: 3, mask: 0x9fff_9fff },
    }),
    row:
      ({ w }, k) =>
      (row) => {
        const length = (k / size) * bytes
        const first = Math.floor((row * length) / 4)
        const words = Uint32Array.from(valuesAt(w as Input, first, Math.ceil(length / 4) + 1))
        return unpackBlocks(format, new Uint8Array(words.buffer, row * length - 4 * first, length), k)
      },
    entry: ([m, n, k], type) =>
      library('weft', (runtime, { x, w, y }) =>
        blockMatmul(runtime, { weights: { format, w: w!, n, k }, x: x!, y: y!, m, type }),
      ),
  }
}

const LARGE: readonly [n: number, k: number] = SMALL ? [64, 512] : [32_768, 8_192]
const SQUARE: readonly [n: number, k: number] = SMALL ? [32, 256] : [4_096, 4_096]
/** A long matrix, whose time is that of reading it and nothing else. */
const LONG: readonly [n: number, k: number] = SMALL ? [128, 512] : [131_072, 8_192]
const many = SMALL ? [33] : [32, 512, 4_096]
const integers = [int8(), int4(32, false), int4(128, false), int4(128, true)]
const formats = [...integers, ...(Object.keys(BLOCKS) as BlockName[]).map(blocks)]
const few = SMALL ? 4 : 8

export const contests: readonly Contest[] = [
  ...[LARGE, SQUARE].flatMap((size) =>
    (['f32', 'f16'] as const).flatMap((type) =>
      [true, false].map((transposed) => contest(plain(type, transposed), type, [1, ...size])),
    ),
  ),
  ...formats.map((weights) => contest(weights, 'f16', [1, ...LARGE])),
  contest(int4(128, false), 'f16', [1, ...SQUARE]),
  contest(int4(128, false), 'f16', [1, ...LONG]),
  contest(int4(128, false), 'f32', [1, ...LARGE]),
  ...[plain('f16', true), int4(128, false), blocks('q4_k')].map((weights) => contest(weights, 'f16', [few, ...LARGE])),
  ...many.map((m) => contest(int4(128, false), 'f16', [m, ...SQUARE])),
  contest(blocks('q4_k'), 'f16', [many.at(-1) as number, ...SQUARE]),
]
