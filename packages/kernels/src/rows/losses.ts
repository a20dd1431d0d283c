import { type Builder, ceilDiv, d, type Expr, each, f32, fn, input, kernel, output, u32 } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { LOWEST } from '../parts/lowest'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { logarithm, normalizer, rowSum } from '../parts/row-sums'
import { named, read, type Storage, scalars, stored } from '../parts/storage'
import { streamedRow } from '../parts/streamed-row'
import { CROSS_TILE } from './plan'

const crossBindings = (storage: Storage) => ({
  x: input(scalars(storage)),
  target: input(d.arrayOf(d.u32)),
  loss: output(d.arrayOf(d.f32)),
  lse: output(d.arrayOf(d.f32)),
})

/**
 * loss[r] = ln Σ exp(x[r, ·]) − x[r, target[r]], the cross-entropy of a row of logits, relative to the maximum of the row. The
 * logarithm of the sum is kept in `lse` for the gradient. A target that is not below cols (as −1) is left out: its loss is 0. A row of −∞
 * has the least f32 as its lse, −3.4028235e38, and with a target the loss ∞.
 *
 * x: [rows, cols]; target: [rows]; loss, lse: [rows], f32.
 */
const crossEntropy = (storage: Storage): KernelSource =>
  kernel(
    named('cross_entropy', storage),
    {
      doc: 'loss[r] = ln Σ exp(x[r, ·]) - x[r, target[r]]; lse[r] = ln Σ exp(x[r, ·]); a target that is not below cols has loss 0',
      workgroupSize: [256],
      bindings: crossBindings(storage),
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
        const { shift, id } = k.let({ shift: logarithm(total), id: target.at(k.workgroupIndex) })
        // the maximum is taken away first: what is left of two large numbers would have few digits
        const value = k.when(id.lt(cols), () => shift.sub(read(x.at(start.add(id))).sub(top)), 0)
        loss.at(k.workgroupIndex).set(value)
        lse.at(k.workgroupIndex).set(top.add(shift))
      })
    },
  )

/** The same of few classes: for a workgroup there is too little to do in such a row, so an invocation takes it. */
const crossEntropyFew = (storage: Storage): KernelSource =>
  kernel(
    named('cross_entropy_few', storage),
    {
      doc: 'the same of rows of few classes, an invocation a row',
      workgroupSize: [64],
      bindings: crossBindings(storage),
      params: { rows: d.u32, cols: d.u32 },
      workgroups: ({ rows }) => [ceilDiv(rows, 64)],
    },
    ({ x, target, loss, lse, rows, cols }, k) => {
      const row = k.let('row', k.globalIndex)
      k.if(row.lt(rows), () => {
        const start = k.let('start', row.mul(cols))
        const valueAt = (i: Expr<'u32'>) => read(x.at(start.add(i)))
        const top = k.var('top', f32(LOWEST))
        k.range('i', 0, cols, (i) => top.set(fn.max(top, valueAt(i))))
        const total = k.var('total', f32(0))
        k.range('i', 0, cols, (i) => total.addAssign(fn.exp(valueAt(i).sub(top))))
        const { shift, id } = k.let({ shift: logarithm(total), id: target.at(row) })
        loss.at(row).set(k.when(id.lt(cols), () => shift.sub(valueAt(id).sub(top)), 0))
        lse.at(row).set(top.add(shift))
      })
    },
  )

/** Elements of an invocation where a kernel goes over all logits as over one array, as in elementwise. */
const SEVERAL = CROSS_TILE / 256

/**
 * dx[r, c] = scale · (exp(x[r, c] − lse[r]) − [c = target[r]]), the gradient of the sum of the losses times `scale`, straight from the
 * logits; 0 for a row that is left out. dx may be x.
 *
 * The logits are one array here, so that every workgroup writes whole cache lines, which rows of an odd width do not begin with: a workgroup
 * a row had 0.51 of copy bandwidth on an H200, 8,192 × 50,257 f32. Elements find their rows by a division, 0.68. `wide`: rows are as wide as
 * what a workgroup takes, or wider, so that it has elements of two rows at the most: it finds both by one division, and an element its own
 * by a comparison, 0.96; 0.79 in loops, and beside the other way in one kernel. Tried: 4 elements an invocation 0.88, 16 or `vec4f` 0.97,
 * both gradients computed and then one of them taken 0.94.
 */
const crossEntropyBackward = (storage: Storage, wide: boolean): KernelSource =>
  kernel(
    named(`cross_entropy_backward${wide ? '_wide' : ''}`, storage),
    {
      doc: `dx[r, c] = scale · (exp(x[r, c] - lse[r]) - [c = target[r]]); 0 where the target is not below cols${wide ? `; cols ≥ ${CROSS_TILE}` : ''}`,
      workgroupSize: [256],
      bindings: {
        x: input(scalars(storage)),
        target: input(d.arrayOf(d.u32)),
        lse: input(d.arrayOf(d.f32)),
        dx: output(scalars(storage)),
      },
      params: { rows: d.u32, cols: d.u32, scale: d.f32 },
      workgroups: ({ rows, cols }) => [ceilDiv(rows.mul(cols), CROSS_TILE)],
      aliases: [['x', 'dx']],
    },
    ({ x, target, lse, dx, rows, cols, scale }, k) => {
      const n = k.let('n', rows.mul(cols))
      const start = k.let('start', k.workgroupIndex.mul(CROSS_TILE))
      const first = k.let('first', start.add(k.localIndex))
      const gradient = wide
        ? ofTwoRows(k, start, { target, lse, rows, cols, scale })
        : ofRows(k, { target, lse, cols, scale })
      const write = (i: Expr<'u32'>, value: Expr<'f32'>) => dx.at(i).set(stored(storage, gradient(i, value)))
      k.if(
        first.add((SEVERAL - 1) * 256).lt(n),
        () => {
          const places = each(SEVERAL).map((j) => k.let('i', first.add(j * 256)))
          const values = places.map((i) => k.let('value', read(x.at(i))))
          for (const [j, i] of places.entries()) write(i, values[j] as Expr<'f32'>)
        },
        () => k.range('i', first, n, 256, (i) => write(i, read(x.at(i)))),
      )
    },
  )

interface Losses {
  readonly target: { at(row: Expr<'u32'>): Expr<'u32'> }
  readonly lse: { at(row: Expr<'u32'>): Expr<'f32'> }
  readonly cols: Expr<'u32'>
  readonly scale: Expr<'f32'>
}
/** Of a logit, by its index and its value. */
type Gradient = (i: Expr<'u32'>, value: Expr<'f32'>) => Expr<'f32'>

const ofRows =
  (k: Builder, { target, lse, cols, scale }: Losses): Gradient =>
  (i, value) => {
    const row = k.let('row', i.div(cols))
    const id = k.let('id', target.at(row))
    const hit = fn.select(f32(0), f32(1), i.sub(row.mul(cols)).eq(id))
    const gradient = fn
      .exp(value.sub(lse.at(row)))
      .sub(hit)
      .mul(scale)
    return fn.select(f32(0), gradient, id.lt(cols))
  }

/** Of the row of element `start`, and of the next one. */
function ofTwoRows(
  k: Builder,
  start: Expr<'u32'>,
  { target, lse, rows, cols, scale }: Losses & { readonly rows: Expr<'u32'> },
): Gradient {
  const rowAt = (row: Expr<'u32'>) => {
    const id = k.let('id', target.at(row))
    const used = k.let('used', id.lt(cols))
    const hit = k.let('hit', fn.select(u32(0xffff_ffff), u32`${row} * ${cols} + ${id}`, used))
    return { used, hit, shift: k.let('shift', lse.at(row)) }
  }
  const row = k.let('row', start.div(cols))
  const [one, two] = [rowAt(row), rowAt(k.let('next', u32`min(${row} + 1, ${rows} - 1)`))]
  const edge = k.let('edge', u32`(${row} + 1) * ${cols}`)
  return (i, value) => {
    const behind = k.let('behind', i.ge(edge))
    const off = value.sub(fn.select(one.shift, two.shift, behind))
    // in a row that is left out exp gives 0, whatever is there, and nothing is hit
    const power = fn.exp(fn.select(f32(LOWEST), off, fn.select(one.used, two.used, behind)))
    return fn.fma(power, scale, fn.select(f32(0), scale.neg(), i.eq(one.hit).or(i.eq(two.hit))))
  }
}

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
  crossEntropyFew(storage),
  crossEntropyBackward(storage, false),
  crossEntropyBackward(storage, true),
  squaredError(storage),
])
