import { ceilDiv, d, f32, fn, inout, input, kernel } from '@weft/dsl'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

/**
 * One step of AdamW (Loshchilov and Hutter, "Decoupled weight decay regularization", 2019), in place:
 *
 *     m ← β₁ m + (1 − β₁) g                first moment
 *     v ← β₂ v + (1 − β₂) g²               second moment
 *     p ← p − lr · decay · p − lr · (m / (1 − β₁ᵗ)) / (√(v / (1 − β₂ᵗ)) + eps)
 *
 * p, g: [n] parameters and gradients, in the storage of the kernel; m, v: [n], always f32, since (1 − β₂) g² of a small g is
 * nothing in f16. `rest1` and `rest2` are 1 − β₁ and 1 − β₂, `correction1` and `correction2` 1 − β₁ᵗ and 1 − β₂ᵗ of the step t ≥ 1: the
 * host has them in float64, where 1 − 0.999 keeps its digits. `scale` multiplies the gradient first: 1 / loss scale, or the factor of a clipped norm.
 */
const adamwOf = (storage: Storage) =>
  kernel(
    named('adamw', storage),
    {
      doc: 'one step of AdamW, in place: m ← β₁ m + (1 - β₁) g, v ← β₂ v + (1 - β₂) g², p ← p - lr (decay p + m̂ / (√v̂ + eps))',
      workgroupSize: [256],
      bindings: {
        p: inout(scalars(storage)),
        g: input(scalars(storage)),
        m: inout(d.arrayOf(d.f32)),
        v: inout(d.arrayOf(d.f32)),
      },
      params: {
        n: d.u32,
        lr: d.f32,
        beta1: d.f32,
        beta2: d.f32,
        rest1: d.f32,
        rest2: d.f32,
        eps: d.f32,
        decay: d.f32,
        correction1: d.f32,
        correction2: d.f32,
        scale: d.f32,
      },
      workgroups: ({ n }) => [ceilDiv(n, 256)],
    },
    ({ p, g, m, v, n, lr, beta1, beta2, rest1, rest2, eps, decay, correction1, correction2, scale }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => {
        const gradient = k.let('gradient', read(g.at(i)).mul(scale))
        const first = k.let('first', f32`${beta1} * ${m.at(i)} + ${rest1} * ${gradient}`)
        const second = k.let('second', f32`${beta2} * ${v.at(i)} + ${rest2} * ${gradient} * ${gradient}`)
        m.at(i).set(first)
        v.at(i).set(second)
        const value = k.let('value', read(p.at(i)))
        const step = f32`${first} / ${correction1} / (sqrt(${second} / ${correction2}) + ${eps})`
        p.at(i).set(stored(storage, value.sub(lr.mul(fn.fma(decay, value, step)))))
      })
    },
  )

export const adamw = adamwOf('f32')
export const adamwHalf = adamwOf('f16')
