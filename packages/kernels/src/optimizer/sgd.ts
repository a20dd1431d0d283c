import { ceilDiv, d, f32, fn, inout, input, kernel } from '@weft/dsl'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

/**
 * One step of gradient descent with momentum, in place, as PyTorch defines it:
 *
 *     b ← momentum · b + g + decay · p          p ← p − lr · b,  or p − lr · (g + momentum · b) with `nesterov`
 *
 * p, g: [n] in the storage of the kernel; b: [n] f32, zeros before the first step. `scale` multiplies the gradient first.
 */
const sgdOf = (storage: Storage) =>
  kernel(
    named('sgd', storage),
    {
      doc: 'one step of gradient descent with momentum, in place: b ← momentum b + g + decay p, p ← p - lr b',
      workgroupSize: [256],
      bindings: { p: inout(scalars(storage)), g: input(scalars(storage)), b: inout(d.arrayOf(d.f32)) },
      params: { n: d.u32, lr: d.f32, momentum: d.f32, decay: d.f32, scale: d.f32, nesterov: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 256)],
    },
    ({ p, g, b, n, lr, momentum, decay, scale, nesterov }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => {
        const value = k.let('value', read(p.at(i)))
        const gradient = k.let('gradient', fn.fma(decay, value, read(g.at(i)).mul(scale)))
        const moment = k.let('moment', fn.fma(momentum, b.at(i), gradient))
        b.at(i).set(moment)
        const step = fn.select(moment, fn.fma(momentum, moment, gradient), nesterov.ne(0))
        p.at(i).set(stored(storage, value.sub(lr.mul(step))))
      })
    },
  )

export const sgd = sgdOf('f32')
export const sgdHalf = sgdOf('f16')

/**
 * g ← g · min(1, most / (√squares + 1e-6)): a gradient cut to a global norm (Pascanu et al., 2013), with the sum of
 * squares of *all* gradients, which a reduction left on the device. As in PyTorch, an infinite norm makes finite gradients 0.
 *
 * g: [n] in the storage of the kernel, in place; squares: [1] f32.
 */
const clipOf = (storage: Storage) =>
  kernel(
    named('clip_by_norm', storage),
    {
      doc: 'g ← g · min(1, most / (√squares + 1e-6)), in place',
      workgroupSize: [256],
      bindings: { g: inout(scalars(storage)), squares: input(d.arrayOf(d.f32)) },
      params: { n: d.u32, most: d.f32 },
      workgroups: ({ n }) => [ceilDiv(n, 256)],
    },
    ({ g, squares, n, most }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => {
        const sum = k.let('sum', squares.at(0))
        const factor = fn.min(f32(1), most.div(fn.sqrt(sum).add(1e-6)))
        g.at(i).set(stored(storage, read(g.at(i)).mul(factor)))
      })
    },
  )

export const clipByNorm = clipOf('f32')
export const clipByNormHalf = clipOf('f16')
