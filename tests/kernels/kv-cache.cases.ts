import { kvAppend, kvAppendHalf, kvAppendToHalf } from '@weft/kernels/source'
import { kvAppendReference } from '../../packages/kernels/src/kv-cache/reference.js'
import type { ParityCase } from '../parity/case.js'
import { f16s, fromF16 } from '../parity/data.js'
import { F16, F32 } from './given.js'
import { shipped } from './outputs.js'

const forms = [
  [kvAppend, F32, F32],
  [kvAppendHalf, F16, F16],
  [kvAppendToHalf, F32, F16],
] as const

function appendCase(
  form: (typeof forms)[number],
  sizes: readonly [number, number, number, number, number],
): ParityCase {
  const [kernel, from, to] = form
  const [heads, tokens, capacity, headSize, past] = sizes
  const n = heads * capacity * headSize
  const [k, v] = [from.given(1, heads * tokens * headSize), from.given(2, heads * tokens * headSize)]
  const [kCache, vCache] = [to.given(3, n), to.given(4, n)]
  const after = (x: number[], cache: typeof kCache) => {
    const numbers = to === F16 ? fromF16(f16s(...x)) : x
    const values = kvAppendReference({ x: numbers, cache: cache.numbers, heads, tokens, capacity, headSize, past })
    return to.data([...values, ...new Array<number>(cache.data.length - n).fill(Number.NaN)])
  }
  return {
    name: `${kernel.name}, ${tokens} tokens of ${heads} × ${headSize} after ${past}, capacity ${capacity}`,
    kernel,
    params: { heads, tokens, capacity, head_size: headSize, past },
    bindings: { k: k.data, v: v.data, k_cache: kCache.data, v_cache: vCache.data },
    expect: { k_cache: after(k.numbers, kCache), v_cache: after(v.numbers, vCache) },
    ...(from === to ? {} : { tolerance: to.near(0, 'rounding to f16 may go either way') }),
  }
}

const cases = forms.flatMap((form) => [
  appendCase(form, [1, 1, 1, 1, 0]),
  appendCase(form, [3, 5, 17, 7, 4]),
  appendCase(form, [2, 1, 9, 64, 8]),
  appendCase(form, [2, 4, 6, 5, 4]),
  appendCase(form, [2, 11, 4, 3, 5]),
])

export const kvCacheCases: readonly ParityCase[] = cases.map(shipped)
