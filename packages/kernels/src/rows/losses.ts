import { ceilDiv, d, type Expr, f32, fn, input, kernel, output, u32 } from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { REDUCE_VARIANTS } from '../parts/reduce'
import { LOWEST, normalizer, rowSum, streamedRow } from '../parts/row'
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

/** The same of few classes: for a workgroup there is too little to do in such a row, so an invocation takes it. */
const crossEntropyFew = (storage: Storage): KernelSource =>
  kernel(
    named('cross_entropy_few', storage),
    {
      doc: 'the same of rows of few classes, an invocation a row',
      workgroupSize: [64],
      bindings: {
        x: input(scalars(storage)),
        target: input(d.arrayOf(d.u32)),
        loss: output(d.arrayOf(d.f32)),
        lse: output(d.arrayOf(d.f32)),
      },
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
        const { shift, id } = k.let({ shift: fn.log(total), id: target.at(row) })
        loss.at(row).set(k.when(id.lt(cols), () => shift.sub(valueAt(id).sub(top)), 0))
        lse.at(row).set(top.add(shift))
      })
    },
  )

/** Elements of an invocation where a kernel goes over all logits as over one array, as in elementwise. */
const SEVERAL = 8
const TILE = 256 * SEVERAL

/**
 * dx[r, c] = scale · (exp(x[r, c] − lse[r]) − [c = target[r]]), the gradient of the sum of the losses times `scale`, straight from the
 * logits; 0 for a row that is left out. dx may be x.
 *
 * The logits are one array here, so that every workgroup writes whole cache lines, which rows of an odd width do not begin with. Its
 * elements lie in two rows at most where rows are not narrower than what a workgroup takes: it finds both by one division, and an
 * element finds its own by a comparison. On an H200, 4,096 × 50,257 f32, of copy bandwidth: 0.97, and 0.67 with a division for each element, as
 * narrower rows have it; 4 elements an invocation 0.88, 16 or `vec4f` 0.97, both gradients computed and then one of them taken 0.94; a
 * workgroup a row 0.51.
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
      workgroups: ({ rows, cols }) => [ceilDiv(rows.mul(cols), TILE)],
      aliases: [['x', 'dx']],
    },
    ({ x, target, lse, dx, rows, cols, scale }, k) => {
      const n = k.let('n', rows.mul(cols))
      const start = k.let('start', k.workgroupIndex.mul(TILE))
      const first = k.let('first', start.add(k.localIndex))
      /** What there is to know of a row; its hit is the index of the target, or of no element. */
      const rowAt = (row: Expr<'u32'>) => {
        const id = k.let('id', target.at(row))
        const used = k.let('used', id.lt(cols))
        const hit = k.let('hit', fn.select(u32(0xffff_ffff), u32`${row} * ${cols} + ${id}`, used))
        return { used, hit, shift: k.let('shift', lse.at(row)) }
      }
      const rowOf = (i: Expr<'u32'>) => rowAt(k.let('row', i.div(cols)))
      const write = (i: Expr<'u32'>, value: Expr<'f32'>, { used, hit, shift }: ReturnType<typeof rowAt>): void => {
        const gradient = fn
          .exp(value.sub(shift))
          .sub(fn.select(f32(0), f32(1), i.eq(hit)))
          .mul(scale)
        dx.at(i).set(stored(storage, fn.select(f32(0), gradient, used)))
      }
      const several = (of: (i: Expr<'u32'>) => ReturnType<typeof rowAt>): void => {
        const held = k.var('x_held', d.arrayOf(d.f32, SEVERAL))
        const place = (j: Expr<'u32'>) => k.let('i', first.add(j.mul(256)))
        k.range('j', 0, SEVERAL, (j) => held.at(j).set(read(x.at(place(j)))))
        k.range('j', 0, SEVERAL, (j) => {
          const i = place(j)
          write(i, held.at(j), of(i))
        })
      }
      k.if(
        first.add((SEVERAL - 1) * 256).lt(n),
        () =>
          k.if(
            cols.ge(TILE),
            () => {
              const row = k.let('row', start.div(cols))
              const [one, two] = [rowAt(row), rowAt(k.let('next', u32`min(${row} + 1, ${rows} - 1)`))]
              const edge = k.let('edge', u32`(${row} + 1) * ${cols}`)
              several((i) => {
                const behind = k.let('behind', i.ge(edge))
                return {
                  used: fn.select(one.used, two.used, behind),
                  hit: fn.select(one.hit, two.hit, behind),
                  shift: fn.select(one.shift, two.shift, behind),
                }
              })
            },
            () => several(rowOf),
          ),
        () => k.range('i', first, n, 256, (i) => write(i, read(x.at(i)), rowOf(i))),
      )
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
  crossEntropyFew(storage),
  crossEntropyBackward(storage),
  squaredError(storage),
])
