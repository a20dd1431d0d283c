import { type AttentionReferenceArgs, attentionRows, checkAttentionKeys } from '../attention/reference'
import { expectLength } from '../expect-length'

export interface AttentionBackwardReferenceArgs extends AttentionReferenceArgs {
  /** `[batch, heads, queries, headSize]`: the gradient of the output */
  readonly dout: ArrayLike<number>
}

/**
 * The gradients of `attentionReference` in float64, row by row of the softmax: with weights w and the gradients g of the weights,
 *
 *     g_j = kept_j · dout · v_j      ds_j = w_j (g_j − Σ w g) · slope_j
 *     dq = scale Σ ds_j k_j      dk_j += scale ds_j q      dv_j += w_j kept_j dout      dbias_j += w_j (g_j − Σ w g)
 *
 * @returns dq like q, dk and dv like k and v, dbias like the data of the bias, which is empty where there is none
 */
export function attentionBackwardReference(args: AttentionBackwardReferenceArgs): {
  readonly dq: Float64Array
  readonly dk: Float64Array
  readonly dv: Float64Array
  readonly dbias: Float64Array
} {
  checkAttentionKeys('attentionBackwardReference', args, ['dout'])
  const { q, k, v, dout, bias, heads, queries, headSize, capacity = args.keys, scale = headSize ** -0.5 } = args
  expectLength('dout', dout, q.length)
  const [dq, dk, dv] = [new Float64Array(q.length), new Float64Array(k.length), new Float64Array(v.length)]
  const dbias = new Float64Array(bias?.data.length ?? 0)
  for (const { h, kvHead, i, weights, kept, slope } of attentionRows(args)) {
    const at = (h * queries + i) * headSize
    const keyAt = (j: number): number => (kvHead * capacity + j) * headSize
    const gradient = weights.map((weight, j) => {
      if (weight === 0) return 0
      let sum = 0
      for (let c = 0; c < headSize; c++) sum += dout[at + c]! * v[keyAt(j) + c]!
      return kept[j]! * sum
    })
    const mean = gradient.reduce((sum, g, j) => sum + weights[j]! * g, 0)
    weights.forEach((weight, j) => {
      if (weight === 0) return
      const shift = weight * (gradient[j]! - mean)
      if (bias) {
        const [b, head, query, key] = bias.strides ?? [0, 0, args.keys, 1]
        dbias[Math.floor(h / heads) * b + (h % heads) * head + i * query + j * key]! += shift
      }
      const ds = shift * slope[j]! * scale
      for (let c = 0; c < headSize; c++) {
        dq[at + c]! += ds * k[keyAt(j) + c]!
        dk[keyAt(j) + c]! += ds * q[at + c]!
        dv[keyAt(j) + c]! += weight * kept[j]! * dout[at + c]!
      }
    })
  }
  return { dq, dk, dv, dbias }
}
