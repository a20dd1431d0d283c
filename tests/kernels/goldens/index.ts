import type { Check } from './check.js'
import { elementwise, gated } from './elementwise.js'
import { cumsum, embedding, embeddingBackward, gather, rope, sort } from './places.js'
import { attention, matmul, matmulEpilogue } from './products.js'
import { crossEntropy, logSoftmax, meanSquaredError, norm, reduce, softmax } from './rows.js'
import { adamw, clipByNorm, sgd } from './training.js'

/** What is compared, by the operations of scripts/goldens.py. */
export const checks: Readonly<Record<string, readonly Check[]>> = {
  adamw: [adamw],
  attention: [attention],
  clip_by_norm: [clipByNorm],
  cross_entropy: [crossEntropy],
  cumsum: [cumsum],
  elementwise: [elementwise],
  embedding: [embedding],
  embedding_backward: [embeddingBackward],
  gated: [gated],
  gather: [gather],
  groupnorm: [norm],
  layernorm: [norm],
  log_softmax: [logSoftmax],
  matmul: [matmul],
  matmul_epilogue: [matmulEpilogue],
  mean_squared_error: [meanSquaredError],
  reduce: [reduce],
  rmsnorm: [norm],
  rope: [rope],
  sgd: [sgd],
  softmax: [softmax],
  sort: [sort],
}

/** Results of the set, as `operation.result`, that no family here computes yet. */
export const notYet: readonly string[] = [
  'adaptive_avg_pool2d.y',
  'attention.dk',
  'attention.dq',
  'attention.dv',
  'avg_pool2d.y',
  'batch_norm.y',
  'conv1d.y',
  'conv2d.y',
  'conv_transpose2d.y',
  'grid_sample.y',
  'linear_int4.w',
  'linear_int4.y',
  'linear_int8.y',
  'max_pool2d.index',
  'max_pool2d.y',
  'pixel_shuffle.y',
  'quantize_per_tensor.q',
  'quantize_per_tensor.x',
  'upsample_bilinear.y',
  'upsample_nearest.y',
]
