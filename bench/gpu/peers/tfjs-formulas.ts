// Problems in the operations of tfjs, by kind.

import type { Tensor, Tensor2D } from '@tensorflow/tfjs-core'
import type { Contest } from '../contest'
import { dimsOf, hasFlag } from '../dims'
import type { Kind } from '../kinds'

type Tf = typeof import('@tensorflow/tfjs-core')
type Tensors = Readonly<Record<string, Tensor>>
type Formula = (tf: Tf, x: Tensors, contest: Contest) => Tensor

const get = (tensors: Tensors, name: string): Tensor => tensors[name] as Tensor
const eps = ({ shape }: Contest): number => shape?.eps ?? 1e-5

const attention: Formula = (tf, x, contest) => {
  const { queries = 1, keys = 1, headSize = 1 } = contest.shape ?? {}
  const { q = [], k = [] } = dimsOf(contest)
  if (q[1] !== k[1]) throw new Error('it has no grouped attention')
  const scores = tf.mul(tf.matMul(get(x, 'q'), get(x, 'k'), false, true), 1 / Math.sqrt(headSize))
  if (!hasFlag(contest, 'causal')) return tf.matMul(tf.softmax(scores), get(x, 'v'))
  const row = tf.add(tf.reshape(tf.range(0, queries), [queries, 1]), keys - queries)
  const seen = tf.lessEqual(tf.reshape(tf.range(0, keys), [1, keys]), row)
  return tf.matMul(tf.softmax(tf.where(seen, scores, Number.NEGATIVE_INFINITY)), get(x, 'v'))
}

const layernorm: Formula = (tf, x, contest) => {
  const { mean, variance } = tf.moments(get(x, 'x'), 1, true)
  const scale = tf.rsqrt(tf.add(variance, eps(contest)))
  return tf.add(tf.mul(tf.mul(tf.sub(get(x, 'x'), mean), scale), get(x, 'weight')), get(x, 'bias'))
}

const gelu: Formula = (tf, x, contest) => {
  const a = get(x, 'x')
  const inner = hasFlag(contest, 'tanh')
    ? tf.tanh(tf.mul(tf.add(a, tf.mul(tf.mul(a, tf.square(a)), 0.044715)), Math.sqrt(2 / Math.PI)))
    : tf.erf(tf.mul(a, Math.SQRT1_2))
  return tf.mul(tf.mul(a, 0.5), tf.add(inner, 1))
}

export const TFJS_FORMULAS: Partial<Readonly<Record<Kind, Formula>>> = {
  matmul: (tf, x, contest) =>
    tf.matMul(get(x, 'a'), get(x, 'b'), hasFlag(contest, 'transposeA'), hasFlag(contest, 'transposeB')),
  attention,
  softmax: (tf, x) => tf.softmax(get(x, 'x')),
  'log-softmax': (tf, x) => tf.logSoftmax(get(x, 'x')),
  'softmax-backward': (tf, x) => {
    const product = tf.mul(get(x, 'y'), get(x, 'dy'))
    return tf.sub(product, tf.mul(get(x, 'y'), tf.sum(product, 1, true)))
  },
  layernorm,
  rmsnorm: (tf, x, contest) => {
    const scale = tf.rsqrt(tf.add(tf.mean(tf.square(get(x, 'x')), 1, true), eps(contest)))
    return tf.mul(tf.mul(get(x, 'x'), scale), get(x, 'weight'))
  },
  gelu,
  silu: (tf, x) => tf.mul(get(x, 'x'), tf.sigmoid(get(x, 'x'))),
  exp: (tf, x) => tf.exp(get(x, 'x')),
  add: (tf, x) => tf.add(get(x, 'a'), get(x, 'b')),
  mul: (tf, x) => tf.mul(get(x, 'a'), get(x, 'b')),
  sum: (tf, x) => tf.sum(get(x, 'x')),
  max: (tf, x) => tf.max(get(x, 'x')),
  'sum-rows': (tf, x) => tf.sum(get(x, 'x') as Tensor2D, 1),
  'sum-columns': (tf, x) => tf.sum(get(x, 'x') as Tensor2D, 0),
  scan: (tf, x) => tf.cumsum(get(x, 'x')),
}
