// Attention: over whole sequences, its gradients, and one query over a long cache.

import { attention, attentionBackward, attentionDecode } from '@weft/kernels'
import type { Contest, Input, ReadOutput } from '../contest'
import { library } from '../entries'
import { SMALL } from '../small'
import { gradientRows, outputRow, type Sizes } from './attention-rows'

type Type = 'f32' | 'f16'

const HEADS = SMALL ? 2 : 16
const TOKENS = SMALL ? 80 : 4096
const HEAD_SIZE = SMALL ? 64 : 128

/** f16: weights and results have 11 bits, values are at most 1. f32: sums of so many terms. */
const BOUND = { f16: 2 ** -10, f32: 2e-5 } as const

/** The largest difference from rows in float64, each made when it is first asked for, in parts of a bound. */
function checked<K extends string>(
  width: number,
  bound: (want: Float64Array) => number,
  rows: readonly { readonly key: K; readonly row: number; readonly want: () => Float64Array }[],
) {
  const known = new Map<number, Float64Array>()
  return async (read: ReadOutput): Promise<number> => {
    let worst = 0
    for (const [n, { key, row, want }] of rows.entries()) {
      const expected = known.get(n) ?? want()
      known.set(n, expected)
      const got = await read(key, row * width, width)
      for (const [c, x] of expected.entries()) {
        const error = Math.abs((got[c] as number) - x) / bound(expected)
        // NaN is worse than everything
        if (!(error <= worst)) worst = error
      }
    }
    return Number.isNaN(worst) ? Number.POSITIVE_INFINITY : worst
  }
}

const tokens = (causal: boolean): Sizes => ({
  ...{ batch: 1, heads: HEADS, kvHeads: HEADS, queries: TOKENS, keys: TOKENS },
  ...{ headSize: HEAD_SIZE, causal },
})

/** Scores of some spread: queries are four times as large. */
const inputsOf = (type: Type, names: readonly string[], length: number): Record<string, Input> =>
  Object.fromEntries(names.map((name, n) => [name, { type, length, seed: n + 1, scale: name === 'q' ? 4 : 1 }]))

const facts = (type: Type, { causal, ...shape }: Sizes) => {
  const { batch, heads, kvHeads, queries, keys, headSize } = shape
  return {
    ...{ dtype: type, shape: { batch, heads, kvHeads, queries, keys, headSize } },
    ...(causal ? { flags: ['causal'] as const } : {}),
  }
}

function forward(type: Type, causal: boolean): Contest {
  const sizes = tokens(causal)
  const length = HEADS * TOKENS * HEAD_SIZE
  const inputs = inputsOf(type, ['q', 'k', 'v'], length) as Record<'q' | 'k' | 'v', Input>
  const samples = [
    [0, 0],
    [1, TOKENS - 1],
    [HEADS - 1, Math.floor(TOKENS * 0.6)],
  ] as const
  return {
    name: `forward ${type}, ${HEADS} x ${TOKENS} x ${HEAD_SIZE} ${causal ? 'causal' : 'full'}`,
    kind: 'attention',
    ...facts(type, sizes),
    // of causal attention half of the products
    work: { operations: (causal ? 2 : 4) * HEADS * TOKENS ** 2 * HEAD_SIZE },
    inputs,
    outputs: { out: { type, length } },
    check: checked(
      HEAD_SIZE,
      () => BOUND[type],
      samples.map(([h, i]) => ({ key: 'out', row: h * TOKENS + i, want: () => outputRow(inputs, sizes, h, i) })),
    ),
    entries: [
      library('weft', (runtime, b) => attention(runtime, { q: b.q!, k: b.k!, v: b.v!, out: b.out!, ...sizes, type })),
    ],
  }
}

function backward(type: Type, causal: boolean): Contest {
  const sizes = tokens(causal)
  const length = HEADS * TOKENS * HEAD_SIZE
  const inputs = inputsOf(type, ['q', 'k', 'v', 'dout'], length) as Record<'q' | 'k' | 'v' | 'dout', Input>
  const [h, at] = [HEADS - 1, Math.floor(TOKENS * 0.97)]
  let rows: ReturnType<typeof gradientRows> | undefined
  const want = (key: 'dq' | 'dk' | 'dv') => (): Float64Array => {
    rows ??= gradientRows(inputs, sizes, h, at)
    return rows[key]
  }
  const largest = (row: Float64Array): number => row.reduce((most, x) => Math.max(most, Math.abs(x)), 0)
  return {
    name: `backward ${type}, ${HEADS} x ${TOKENS} x ${HEAD_SIZE} ${causal ? 'causal' : 'full'}`,
    kind: 'attention-backward',
    ...facts(type, sizes),
    // five products; what is computed twice does not count
    work: { operations: (causal ? 5 : 10) * HEADS * TOKENS ** 2 * HEAD_SIZE },
    inputs,
    outputs: Object.fromEntries(['dq', 'dk', 'dv'].map((name) => [name, { type, length }])),
    check: checked(
      HEAD_SIZE,
      // gradients of thousands of rounded weights: a few of 11 bits
      (row) => largest(row) * (type === 'f16' ? 2 ** -8 : 2 ** -14),
      (['dq', 'dk', 'dv'] as const).map((key) => ({ key, row: h * TOKENS + at, want: want(key) })),
    ),
    entries: [
      library(
        'weft',
        (runtime, b) =>
          attentionBackward(runtime, {
            ...{ q: b.q!, k: b.k!, v: b.v!, out: b.out!, lse: b.lse!, dout: b.dout! },
            ...{ dq: b.dq!, dk: b.dk!, dv: b.dv!, ...sizes, type },
          }),
        {
          scratch: { out: length * (type === 'f16' ? 2 : 4), lse: 4 * HEADS * TOKENS },
          before: (runtime, b) =>
            attention(runtime, { q: b.q!, k: b.k!, v: b.v!, out: b.out!, lse: b.lse!, ...sizes, type }),
        },
      ),
    ],
  }
}

function decode(type: Type, cacheType: Type, batch: number, keys: number): Contest {
  const [heads, kvHeads] = [32, 8]
  const sizes = { batch, heads, kvHeads, queries: 1, keys, headSize: HEAD_SIZE, causal: false }
  const length = batch * kvHeads * keys * HEAD_SIZE
  const inputs = {
    ...inputsOf(type, ['q'], batch * heads * HEAD_SIZE),
    ...inputsOf(cacheType, ['k', 'v'], length),
  } as Record<'q' | 'k' | 'v', Input>
  return {
    name: `decode ${type}, cache ${cacheType}, ${batch} x ${heads}/${kvHeads} x ${keys} x ${HEAD_SIZE}`,
    ...(type === cacheType ? { kind: 'attention' as const, ...facts(type, sizes) } : {}),
    work: { bytes: 2 * length * (cacheType === 'f16' ? 2 : 4) },
    inputs,
    outputs: { out: { type, length: batch * heads * HEAD_SIZE } },
    check: checked(
      HEAD_SIZE,
      () => BOUND[type],
      [0, batch * heads - 1].map((h) => ({ key: 'out', row: h, want: () => outputRow(inputs, sizes, h, 0) })),
    ),
    entries: [
      library('weft', (runtime, b) =>
        attentionDecode(runtime, {
          ...{ q: b.q!, k: b.k!, v: b.v!, out: b.out!, type, cacheType },
          ...{ batch, heads, kvHeads, keys, headSize: HEAD_SIZE },
        }),
      ),
    ],
  }
}

const [SHORT, LONG] = SMALL ? [300, 500] : [16_384, 131_072]

export const contests: readonly Contest[] = [
  forward('f16', false),
  forward('f16', true),
  backward('f16', false),
  backward('f16', true),
  forward('f32', false),
  forward('f32', true),
  decode('f32', 'f32', SMALL ? 1 : 8, SHORT),
  decode('f16', 'f16', SMALL ? 1 : 8, SHORT),
  decode('f32', 'f32', 1, LONG),
  decode('f16', 'f16', 1, LONG),
]
