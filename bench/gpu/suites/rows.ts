// What memory limits: softmax, norms, losses and their gradients, elementwise, reductions, AdamW, scan and sort, each over
// at least 256 MB. Bytes count every array once, as read or as written, whatever a kernel reads again.

import * as kernels from '@weft/kernels'
import type { Contest, Input } from '../contest'
import { SMALL } from '../small'
import { valueAt, valuesAt } from '../values'
import { bandwidth, ends, f32, type Halves, halves, out, rowsOf, u32, worst } from './bandwidth'

const { ops } = kernels
const [ROWS, COLS] = SMALL ? [4, 8192] : [16_384, 8192]
const [TOKENS, VOCABULARY] = SMALL ? [4, 50_257] : [8192, 50_257]
const N = ROWS * COLS
const KEYS = SMALL ? 10_007 : 2 ** 25

const shape = { rows: ROWS, cols: COLS }
const one = { rows: 1, cols: COLS }
const [x, dy] = [f32(N, 1, 4), f32(N, 4)]
const [weight, bias] = [f32(COLS, 2), f32(COLS, 3)]
const row = (input: Input, r: number): Float64Array => valuesAt(input, r * COLS, COLS)

/** A reference is computed at the first check of its contest: every entry is checked against it. */
function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    known ??= { value: compute() }
    return known.value
  }
}

/** Of sums of 8,192 terms in a tree, with a few operations around them: what the parity cases derive, rounded up. */
const BOUND = 3e-5
/** A rounding to f16, and its subnormals. */
const HALF: readonly [bound: number, size: number] = [6e-4, 1e-4]
const boundOf = (dtype: Halves, size = 0): readonly [number, number] => (dtype === 'f16' ? HALF : [BOUND, size])

const softmax = (dtype: Halves): Contest => {
  const input = halves(x, dtype)
  const want = (r: number) => kernels.softmaxReference({ x: row(input, r), ...one })
  return bandwidth(`softmax ${dtype} ${ROWS} x ${COLS}`, {
    kind: 'softmax',
    dtype,
    shape,
    inputs: { x: input },
    outputs: { y: out(N, dtype) },
    check: rowsOf('y', ROWS, COLS, want, boundOf(dtype)),
    run: (runtime, { x, y }) => kernels.softmax(runtime, { x, y, ...shape, type: dtype }),
  })
}

const norm = (dtype: Halves, kind: 'layernorm' | 'rmsnorm'): Contest => {
  const [input, w, b] = [halves(x, dtype), halves(weight, dtype), halves(bias, dtype)]
  const [scale, shift] = [valuesAt(w, 0, COLS), valuesAt(b, 0, COLS)]
  const centered = kind === 'layernorm'
  const want = (r: number) =>
    kernels.normReference({
      x: row(input, r),
      weight: scale,
      ...(centered ? { bias: shift } : {}),
      ...{ items: 1, channels: COLS, places: 1, groups: 1, eps: 1e-5, centered },
    })
  return bandwidth(`${kind} ${dtype} ${ROWS} x ${COLS}`, {
    kind,
    dtype,
    shape,
    inputs: { x: input, weight: w, ...(centered ? { bias: b } : {}) },
    outputs: { y: out(N, dtype) },
    check: rowsOf('y', ROWS, COLS, want, boundOf(dtype, 1)),
    run: (runtime, { x, weight, bias, y }) =>
      centered
        ? kernels.layernorm(runtime, { x, weight, bias, y, ...shape, type: dtype })
        : kernels.rmsnorm(runtime, { x, weight, y, ...shape, type: dtype }),
  })
}

const softmaxBackward = (): Contest => {
  const y = f32(N, 5, 1)
  const want = (r: number) => kernels.softmaxBackwardReference({ y: row(y, r), dy: row(dy, r), ...one })
  return bandwidth(`softmax backward f32 ${ROWS} x ${COLS}`, {
    kind: 'softmax-backward',
    shape,
    inputs: { y, dy },
    outputs: { dx: out(N) },
    // Σ dy · y of random signs is as large as √cols
    check: rowsOf('dx', ROWS, COLS, want, [BOUND, 100]),
    run: (runtime, { y, dy, dx }) => kernels.softmaxBackward(runtime, { y, dy, dx, ...shape }),
  })
}

const normBackward = (kind: 'layernorm' | 'rmsnorm'): Contest => {
  const centered = kind === 'layernorm'
  const scale = valuesAt(weight, 0, COLS)
  const place = { items: 1, channels: COLS, places: 1, groups: 1, eps: 1e-5, centered }
  const want = (r: number) =>
    kernels.normBackwardReference({ x: row(x, r), weight: scale, dy: row(dy, r), ...place }).dx
  const dweight = (c: number): number => {
    let sum = 0
    for (let r = 0; r < ROWS; r++) sum += momentsOf(r).normal(valueAt(x, r * COLS + c)) * valueAt(dy, r * COLS + c)
    return sum
  }
  const known = new Map<number, Moments>()
  const momentsOf = (r: number): Moments => {
    const found = known.get(r) ?? momentsIn(row(x, r), centered)
    known.set(r, found)
    return found
  }
  const byRows = rowsOf('dx', ROWS, COLS, want, [BOUND, 1])
  return bandwidth(`${kind} backward f32 ${ROWS} x ${COLS}`, {
    kind: `${kind}-backward`,
    shape,
    inputs: { x, weight, dy },
    outputs: { dx: out(N), dweight: out(COLS), ...(centered ? { dbias: out(COLS) } : {}) },
    check: async (read) => {
      const columns = SMALL ? [0, 4097, COLS - 1] : []
      let most = await byRows(read)
      for (const c of columns) most = Math.max(most, worst(await read('dweight', c, 1), [dweight(c)], BOUND, 100))
      return most
    },
    run: (runtime, { x, weight, dy, dx, dweight, dbias }) =>
      centered
        ? kernels.layernormBackward(runtime, { x, weight, dy, dx, dweight, dbias, ...shape })
        : kernels.rmsnormBackward(runtime, { x, weight, dy, dx, dweight, ...shape }),
  })
}

interface Moments {
  readonly normal: (x: number) => number
}
function momentsIn(values: Float64Array, centered: boolean): Moments {
  const mean = centered ? values.reduce((sum, v) => sum + v, 0) / values.length : 0
  const rstd = 1 / Math.sqrt(values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length + 1e-5)
  return { normal: (v) => (v - mean) * rstd }
}

const logits = f32(TOKENS * VOCABULARY, 6, 8)
const target: Input = { ...u32(TOKENS, 7), most: VOCABULARY }
const targets = (r: number): Uint32Array => Uint32Array.of(valueAt(target, r))
const crossRow = (r: number) => ({
  x: valuesAt(logits, r * VOCABULARY, VOCABULARY),
  target: targets(r),
  rows: 1,
  cols: VOCABULARY,
})

const crossEntropy = (): Contest =>
  bandwidth(`cross-entropy f32 ${TOKENS} x ${VOCABULARY}`, {
    kind: 'cross-entropy',
    shape: { rows: TOKENS, cols: VOCABULARY },
    inputs: { x: logits, target },
    outputs: { loss: out(TOKENS), lse: out(TOKENS) },
    check: rowsOf('loss', TOKENS, 1, (r) => kernels.crossEntropyReference(crossRow(r)).loss, [BOUND, 1]),
    run: (runtime, { x, target, loss, lse }) =>
      kernels.crossEntropy(runtime, { x, target, loss, lse, rows: TOKENS, cols: VOCABULARY }),
  })

const crossEntropyBackward = (): Contest =>
  bandwidth(`cross-entropy backward f32 ${TOKENS} x ${VOCABULARY}`, {
    kind: 'cross-entropy-backward',
    shape: { rows: TOKENS, cols: VOCABULARY },
    // any numbers will do for the logarithms of the sums: the gradient takes them as they are
    inputs: { x: logits, target, lse: f32(TOKENS, 8) },
    outputs: { dx: out(TOKENS * VOCABULARY) },
    check: rowsOf(
      'dx',
      TOKENS,
      VOCABULARY,
      (r) => {
        const { x } = crossRow(r)
        const shift = valueAt(f32(TOKENS, 8), r)
        const [id] = targets(r)
        return x.map((v, c) => Math.exp(v - shift) - (c === id ? 1 : 0))
      },
      [BOUND, 1],
    ),
    run: (runtime, { x, target, lse, dx }) =>
      kernels.crossEntropyBackward(runtime, { x, target, lse, dx, rows: TOKENS, cols: VOCABULARY }),
  })

const elementwise = (dtype: Halves, kind: 'gelu' | 'add'): Contest => {
  const [a, b] = [halves(x, dtype), halves(dy, dtype)]
  const inputs = kind === 'add' ? { a, b } : { x: a }
  const gelu = (v: number): number => (v / 2) * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (v + 0.044715 * v ** 3)))
  const want = (i: number) => (kind === 'add' ? valueAt(a, i) + valueAt(b, i) : gelu(valueAt(a, i)))
  return bandwidth(`${kind} ${dtype} ${N}`, {
    kind,
    dtype,
    shape: { n: N },
    ...(kind === 'gelu' ? { flags: ['tanh'] as const } : {}),
    inputs,
    outputs: { y: out(N, dtype) },
    check: ends('y', N, want, boundOf(dtype, 1)),
    run: (runtime, { y, ...given }) =>
      kernels.runElementwise(runtime, kind === 'add' ? ops.add : ops.gelu, {
        inputs: Object.values(given),
        out: y,
        shape: [N],
        type: dtype,
      }),
  })
}

const sum = (dtype: Halves): Contest => {
  const input = halves(x, dtype)
  const total = once(() => {
    let sum = 0
    for (let i = 0; i < N; i++) sum += valueAt(input, i)
    return sum
  })
  return bandwidth(`sum ${dtype} ${N}`, {
    kind: 'sum',
    dtype,
    shape: { n: N },
    inputs: { x: input },
    outputs: { y: out(1) },
    // against the sum of magnitudes, of which each term is 2 on average
    check: async (read) => worst(await read('y', 0, 1), [total()], 1e-6, 2 * N),
    run: (runtime, { x, y }) => kernels.reduce(runtime, 'sum', { x, out: y, shape: [N], type: dtype }),
  })
}

const sumAlong = (axis: 'rows' | 'columns'): Contest => {
  const [from, step, count] = axis === 'rows' ? [COLS, 1, COLS] : [1, COLS, ROWS]
  const length = axis === 'rows' ? ROWS : COLS
  const want = (r: number) => {
    let total = 0
    for (let i = 0; i < count; i++) total += valueAt(x, r * from + i * step)
    return [total]
  }
  return bandwidth(`sum of ${axis} f32 ${ROWS} x ${COLS}`, {
    kind: `sum-${axis}`,
    shape,
    inputs: { x },
    outputs: { y: out(length) },
    check: rowsOf('y', length, 1, want, [1e-6, 2 * count]),
    run: (runtime, { x, y }) =>
      kernels.reduce(runtime, 'sum', { x, out: y, shape: [ROWS, COLS], axes: [axis === 'rows' ? 1 : 0] }),
  })
}

const adamw = (): Contest => {
  const [p, g, m, v] = [f32(N, 9), f32(N, 10), f32(N, 11, 0.1), f32(N, 12, 0)]
  const at = (i: number, steps: number): number => {
    const given = { p: [valueAt(p, i)], g: [valueAt(g, i)], m: [valueAt(m, i)], v: [valueAt(v, i)] }
    let state: { p: ArrayLike<number>; m: ArrayLike<number>; v: ArrayLike<number> } = given
    for (let s = 0; s < steps; s++) state = kernels.adamwReference({ ...given, ...state }, { lr: 1e-3, step: 10 })
    return state.p[0] as number
  }
  return bandwidth(`AdamW f32 ${N}`, {
    kind: 'adamw',
    shape: { n: N, step: 10 },
    inputs: { p, g, m, v },
    outputs: {},
    bytes: 7 * 4 * N,
    // a run is in place, and one more may lie behind it
    check: async (read) =>
      Math.min(
        await ends('p', N, (i) => at(i, 1), [1e-6, 1])(read),
        await ends('p', N, (i) => at(i, 2), [1e-6, 1])(read),
      ),
    run: (runtime, { p, g, m, v }) => kernels.adamw(runtime, { p, g, m, v, n: N, lr: 1e-3, step: 10 }),
  })
}

const scan = (): Contest => {
  const n = N / 2
  const input = f32(n, 13)
  const wanted = once(() => {
    const [near, far] = [new Float64Array(1000), new Float64Array(1000)]
    for (let i = 0, total = 0; i < n; i++) {
      total += valueAt(input, i)
      if (i < 1000) near[i] = total
      if (i >= n - 1000) far[i - n + 1000] = total
    }
    return { near, far }
  })
  return bandwidth(`scan f32 ${n}`, {
    kind: 'scan',
    shape: { n },
    inputs: { x: input },
    outputs: { y: out(n) },
    // against the sum of magnitudes up to there
    check: async (read) => {
      const { near, far } = wanted()
      const errors = Array.from(await read('y', 0, 1000), (got, i) =>
        worst([got], [near[i] as number], 1e-5, (i + 1) / 2),
      )
      return Math.max(...errors, worst(await read('y', n - 1000, 1000), far, 1e-5, (n - 1000) / 2))
    },
    run: (runtime, { x, y }) => kernels.scan(runtime, { x, y, n }),
  })
}

/** Places of a sorted array that are checked, 1,000 elements from each on. */
const WINDOWS = Array.from({ length: 9 }, (_, i) => Math.floor((i * (KEYS - 1000)) / 8))

const sortPairs = (): Contest => {
  const [keys, values] = [u32(KEYS, 14), u32(KEYS, 15)]
  const wanted = once(() => {
    const sorted = Uint32Array.from({ length: KEYS }, (_, i) => valueAt(keys, i)).sort()
    // of the keys that are looked at: which values go with them
    const pairs = new Map<number, Set<number>>()
    for (const at of WINDOWS) for (const key of sorted.subarray(at, at + 1000)) pairs.set(key, new Set())
    for (let i = 0; i < KEYS; i++) pairs.get(valueAt(keys, i))?.add(valueAt(values, i))
    return { sorted, pairs }
  })
  return bandwidth(`sort u32 pairs ${KEYS}`, {
    kind: 'sort-pairs',
    shape: { n: KEYS },
    inputs: { keys, values },
    outputs: { sortedKeys: out(KEYS, 'u32'), sortedValues: out(KEYS, 'u32') },
    items: KEYS,
    check: async (read) => {
      const { sorted, pairs } = wanted()
      for (const at of WINDOWS) {
        const [got, with_] = [await read('sortedKeys', at, 1000), await read('sortedValues', at, 1000)]
        for (let i = 0; i < 1000; i++) {
          const key = got[i] as number
          if (key !== sorted[at + i] || !pairs.get(key)?.has(with_[i] as number)) return 2
        }
      }
      return 0
    },
    run: (runtime, { keys, values, sortedKeys, sortedValues }) =>
      kernels.sortPairs(runtime, { keys, values, sortedKeys, sortedValues, n: KEYS }),
  })
}

export const contests: readonly Contest[] = [
  softmax('f32'),
  norm('f32', 'layernorm'),
  norm('f32', 'rmsnorm'),
  crossEntropy(),
  softmaxBackward(),
  normBackward('layernorm'),
  normBackward('rmsnorm'),
  crossEntropyBackward(),
  elementwise('f32', 'gelu'),
  elementwise('f32', 'add'),
  sum('f32'),
  sumAlong('rows'),
  sumAlong('columns'),
  adamw(),
  scan(),
  sortPairs(),
  softmax('f16'),
  norm('f16', 'layernorm'),
  norm('f16', 'rmsnorm'),
  elementwise('f16', 'gelu'),
  elementwise('f16', 'add'),
  sum('f16'),
]
