import { ceilDiv, d, type Expr, each, f32, fn, inout, input, kernel, u32 } from '@weft/dsl'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

type F32 = Expr<'f32'>

/** Elements of an invocation: with one of them, 0.88 of copy bandwidth on an H200. */
const SEVERAL = 2

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
      workgroups: ({ n }) => [ceilDiv(n, 256 * SEVERAL)],
    },
    ({ p, g, m, v, n, lr, beta1, beta2, rest1, rest2, eps, decay, correction1, correction2, scale }, k) => {
      const first = k.let('first', u32`${k.workgroupIndex} * ${256 * SEVERAL} + ${k.localIndex}`)
      const load = (i: Expr<'u32'>, name: string) =>
        k.let({
          [`p${name}`]: read(p.at(i)),
          [`g${name}`]: read(g.at(i)),
          [`m${name}`]: m.at(i),
          [`v${name}`]: v.at(i),
        })
      const step = (i: Expr<'u32'>, given: Readonly<Record<string, Expr<'f32'>>>): void => {
        const [value, slope, mean, size] = Object.values(given) as [F32, F32, F32, F32]
        const gradient = k.let('gradient', slope.mul(scale))
        const one = k.let('one', f32`${beta1} * ${mean} + ${rest1} * ${gradient}`)
        const two = k.let('two', f32`${beta2} * ${size} + ${rest2} * ${gradient} * ${gradient}`)
        m.at(i).set(one)
        v.at(i).set(two)
        const move = f32`${one} / ${correction1} / (sqrt(${two} / ${correction2}) + ${eps})`
        p.at(i).set(stored(storage, value.sub(lr.mul(fn.fma(decay, value, move)))))
      }
      k.if(
        first.add((SEVERAL - 1) * 256).lt(n),
        () => {
          const places = each(SEVERAL).map((j) => first.add(j * 256))
          // all reads before the first write, so that they are in flight together
          const given = places.map((i, j) => load(i, String(j)))
          for (const [j, i] of places.entries()) step(i, given[j] as Readonly<Record<string, F32>>)
        },
        () => k.range('i', first, n, 256, (i) => step(i, load(i, ''))),
      )
    },
  )

export const adamw = adamwOf('f32')
export const adamwHalf = adamwOf('f16')
