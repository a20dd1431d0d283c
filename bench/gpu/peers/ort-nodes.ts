// Problems as nodes of an ONNX graph, by kind. Inputs and outputs have the names of the contest.

import type { Contest } from '../contest'
import { type Dims, dimsOf, hasFlag } from '../dims'
import type { Kind } from '../kinds'
import type { Node } from './onnx'

export interface Graph {
  readonly nodes: readonly Node[]
  /** Other dimensions than those of `dimsOf`, of the same number of elements. */
  readonly dims?: Dims
  readonly constants?: Readonly<Record<string, readonly number[]>>
}

type Rule = (contest: Contest) => Graph

const one = (op: string, inputs: string[], output: string, rest: Partial<Node> = {}): Graph => ({
  nodes: [{ op, inputs, outputs: [output], ...rest }],
})
const microsoft = { domain: 'com.microsoft' } as const
const eps = ({ shape }: Contest) => ({ epsilon: { float: shape?.eps ?? 1e-5 } })

const fold =
  (op: string, axis: number): Rule =>
  () => ({
    nodes: [{ op, inputs: ['x', 'axes'], outputs: ['y'], attributes: { keepdims: axis < 0 ? 1 : 0 } }],
    constants: { axes: [Math.max(0, axis)] },
  })

/** MatMul, or Gemm where an operand lies transposed. */
function matmul(contest: Contest): Graph {
  const [transA, transB] = [hasFlag(contest, 'transposeA') ? 1 : 0, hasFlag(contest, 'transposeB') ? 1 : 0]
  if (!transA && !transB) return one('MatMul', ['a', 'b'], 'c')
  if ((contest.shape?.batch ?? 1) > 1) throw new Error('it has no batched product of transposed operands')
  return one('Gemm', ['a', 'b'], 'c', { attributes: { transA, transB } })
}

/** MultiHeadAttention takes heads side by side; every head is given as a batch entry with a head of its own. */
function attention(contest: Contest): Graph {
  const { q = [], k = [] } = dimsOf(contest)
  const [batch = 1, heads = 1, queries = 1, headSize = 1] = q
  const [, kvHeads = 1, keys = 1] = k
  if (heads !== kvHeads) throw new Error('it has no grouped attention in this layout')
  const dims = { q: [batch * heads, queries, headSize], k: [batch * heads, keys, headSize] }
  const causal = hasFlag(contest, 'causal') ? { unidirectional: 1 } : {}
  return {
    ...one('MultiHeadAttention', ['q', 'k', 'v'], 'out', { attributes: { num_heads: 1, ...causal }, ...microsoft }),
    dims: { ...dims, v: dims.k, out: dims.q },
  }
}

export const ORT_GRAPHS: Partial<Readonly<Record<Kind, Rule>>> = {
  matmul,
  attention,
  softmax: () => one('Softmax', ['x'], 'y', { attributes: { axis: 1 } }),
  'log-softmax': () => one('LogSoftmax', ['x'], 'y', { attributes: { axis: 1 } }),
  layernorm: (contest) =>
    one('LayerNormalization', ['x', 'weight', 'bias'], 'y', { attributes: { axis: 1, ...eps(contest) } }),
  rmsnorm: (contest) =>
    one('SimplifiedLayerNormalization', ['x', 'weight'], 'y', { attributes: { axis: 1, ...eps(contest) } }),
  gelu: (contest) => one(hasFlag(contest, 'tanh') ? 'FastGelu' : 'Gelu', ['x'], 'y', microsoft),
  silu: () => one('QuickGelu', ['x'], 'y', { attributes: { alpha: { float: 1 } }, ...microsoft }),
  exp: () => one('Exp', ['x'], 'y'),
  add: () => one('Add', ['a', 'b'], 'y'),
  mul: () => one('Mul', ['a', 'b'], 'y'),
  sum: fold('ReduceSum', -1),
  'sum-rows': fold('ReduceSum', 1),
  'sum-columns': fold('ReduceSum', 0),
}
