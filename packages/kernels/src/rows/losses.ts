import { d, f32, fn, input, kernel, output, u32 } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { normalizer, rowSum, streamedRow } from '../parts/row'
import { named, read, type Storage, scalars, stored } from '../parts/storage'

/**
 * loss[r] = ln Σ exp(x[r, ·]) − x[r, target[r]], the cross-entropy of a row of logits, relative to the maximum of the row. The
 * logarithm of the sum is kept in `lse` for the gradient. A target that is not below cols (as −1) is left out: its loss is 0.
 *
 * x: [rows, cols]; target: [rows]; loss, lse: [rows], f32.
 */
const crossEntropy = (storage: Storage): KernelSource =>
  kernel(
    named('cross_entropy', storage),
    {
      doc: 'loss[r] = ln Σ exp(x[r, ·]) - x[r, target[r]]; lse[r] = ln Σ exp(x[r, ·]); a target that is not below cols has loss 0',
      workgroupSize: [256],
      bindings: {
        x: input(scalars(storage)),
        target: input(d.arrayOf(d.u32)),
        loss: output(d.arrayOf(d.f32)),
        lse: output(d.arrayOf(d.f32)),
      },
      params: { rows: d.u32, cols: d.u32 },
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
    },
    ({ x, target, loss, lse, cols }, k) => {
      const start = k.let('start', k.workgroupIndex.mul(cols))
      // one pass over the row is all there is: it need not be held
      const row = streamedRow(k, start, cols, { x: (i) => read(x.at(i)) })
      const { top, total } = normalizer(k, row, ({ x }) => x)
      k.if(k.localIndex.eq(0), () => {
        const { shift, id } = k.let({ shift: fn.log(total), id: target.at(k.workgroupIndex) })
        // the maximum is taken away first: what is left of two large numbers would have few digits
        const value = k.when(id.lt(cols), () => shift.sub(read(x.at(start.add(id))).sub(top)), 0)
        loss.at(k.workgroupIndex).set(value)
        lse.at(k.workgroupIndex).set(top.add(shift))
      })
    },
  )

/**
 * dx[r, c] = scale · (exp(x[r, c] − lse[r]) − [c = target[r]]), the gradient of the sum of the losses times `scale`, straight from the
 * logits; 0 for a row that is left out. dx may be x.
 */
const crossEntropyBackward = (storage: Storage): KernelSource =>
  kernel(
    named('cross_entropy_backward', storage),
    {
      doc: 'dx[r, c] = scale · (exp(x[r, c] - lse[r]) - [c = target[r]]); 0 where the target is not below cols',
      workgroupSize: [256],
      bindings: {
        x: input(scalars(storage)),
        target: input(d.arrayOf(d.u32)),
        lse: input(d.arrayOf(d.f32)),
        dx: output(scalars(storage)),
      },
      params: { rows: d.u32, cols: d.u32, scale: d.f32 },
      workgroups: ({ rows }) => [rows],
      aliases: [['x', 'dx']],
    },
    ({ x, target, lse, dx, cols, scale }, k) => {
      const start = k.let('start', k.workgroupIndex.mul(cols))
      const { id, shift } = k.let({ id: target.at(k.workgroupIndex), shift: lse.at(k.workgroupIndex) })
      const factor = k.let('factor', fn.select(f32(0), scale, id.lt(cols)))
      const row = streamedRow(k, start, cols, { x: (i) => read(x.at(i)) })
      row.each(({ x }, { i, c }) => {
        const hit = fn.select(f32(0), f32(1), c.eq(id))
        const weight = fn.exp(x.sub(shift))
        dx.at(i).set(stored(storage, weight.sub(hit).mul(factor)))
      })
    },
  )

/** Σ (x − y)² of each row, times `scale`: 1 / n for the mean squared error. Rows may be cut from one array, see reduce. */
const squaredError = (storage: Storage): KernelSource =>
  kernel(
    named('squared_error', storage),
    {
      doc: 'out[r] = scale · Σ (x - y)² over the elements r · size … of n',
      workgroupSize: [256],
      bindings: { x: input(scalars(storage)), y: input(scalars(storage)), out: output(d.arrayOf(d.f32)) },
      params: { rows: d.u32, size: d.u32, n: d.u32, scale: d.f32 },
      workgroups: ({ rows }) => [rows],
      variants: REDUCE_VARIANTS,
    },
    ({ x, y, out, size, n, scale }, k) => {
      const start = k.let('start', k.workgroupIndex.mul(size))
      const count = k.let('count', u32`min(${size}, ${n} - ${start})`)
      const row = streamedRow(k, start, count, { x: (i) => read(x.at(i)), y: (i) => read(y.at(i)) })
      const total = rowSum(k, 'total', row, ({ x, y }) => {
        const off = k.let('off', x.sub(y))
        return off.mul(off)
      })
      k.if(k.localIndex.eq(0), () => out.at(k.workgroupIndex).set(total.mul(scale)))
    },
  )

export const losses: readonly KernelSource[] = (['f32', 'f16'] as const).flatMap((storage) => [
  crossEntropy(storage),
  crossEntropyBackward(storage),
  squaredError(storage),
])
