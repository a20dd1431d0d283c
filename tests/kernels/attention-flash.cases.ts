import { attention, flashAttention } from '@weft/kernels/source'
import { attentionReference } from '../../packages/kernels/src/attention/reference.js'
import { uniform } from '../../packages/kernels/src/testing/index.js'
import type { ParityCase } from '../parity/case.js'
import { expError, gamma } from './bounds.js'
import { emptyOutput, filled, near } from './outputs.js'

interface Heads {
  readonly batch: number
  readonly heads: number
  readonly kvHeads: number
  readonly queries: number
  readonly keys: number
  readonly headSize: number
  readonly causal: boolean
}

function attentionCase(sizes: Heads): ParityCase {
  const { batch, heads, kvHeads, queries, keys, headSize, causal } = sizes
  const q = uniform(1, batch * heads * queries * headSize, -1, 1)
  const k = uniform(2, batch * kvHeads * keys * headSize, -1, 1)
  const v = uniform(3, batch * kvHeads * keys * headSize, -1, 1)
  const scale = 1 / Math.sqrt(headSize)
  const score = gamma(headSize + 4) * headSize * scale
  return {
    name: `attention, head ${headSize}, ${heads}/${kvHeads} heads × ${batch}, ${queries} of ${keys}${causal ? ', causal' : ''}`,
    kernel: headSize === 64 ? attention : flashAttention('attention', headSize),
    params: { batch, heads, kv_heads: kvHeads, queries, keys, causal: Number(causal), scale },
    bindings: { q, k, v, out: emptyOutput(q.length) },
    expect: { out: filled(attentionReference({ q, k, v, ...sizes }).out) },
    tolerance: near(
      2 * (score + expError(2 * Math.sqrt(headSize)) + gamma(keys + Math.ceil(keys / 8) + 8)),
      'scores off by their dot products, weights by that and exp, both sums over the keys; |v| ≤ 1',
    ),
  }
}

const heads = (headSize: number, queries: number, keys: number, causal: boolean, h = 4, kv = 2, batch = 1): Heads => ({
  batch,
  heads: h,
  kvHeads: kv,
  queries,
  keys,
  headSize,
  causal,
})

export const attentionFlashCases: readonly ParityCase[] = [
  ...[
    heads(64, 1, 1, true),
    heads(64, 65, 65, true),
    heads(64, 5, 17, false),
    heads(64, 3, 70, true, 2, 2, 2),
    heads(64, 1, 65, true, 4, 1),
  ].map(attentionCase),
  // The number of keys below the number of queries: the first rows see none, and are zeros.
  attentionCase(heads(64, 9, 4, true)),
  ...[1, 3, 5, 16, 40, 72, 80, 96, 128, 256].map((headSize) =>
    attentionCase(heads(headSize, 5, 17, headSize % 2 === 0)),
  ),
]
