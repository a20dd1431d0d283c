import {
  type Builder,
  d,
  type Expr,
  f32,
  fn,
  input,
  type KernelDecl,
  kernel,
  output,
  override,
  u32,
  vec2f,
  vec4f,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { countOf, type FixedRow, fixedRow, quadsOf } from '../parts/fixed-row'
import { type Lanes, lanesOf } from '../parts/lanes'
import { workgroupMoments } from '../parts/moments'
import { REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import type { Also, Place } from '../parts/row'
import { named, type Storage } from '../parts/storage'
import { STORAGES } from './parts'

/**
 * All gradients of layernorm or rmsnorm in one pass over x and dy. A workgroup takes every `groups`-th row. Of a row it holds x and dy,
 * and gives dx as byInput of backward.ts does; of all its rows it sums what they add to the gradients of weight and bias, in registers
 * too, and leaves the sums in `scales` and `shifts`: [groups, cols], f32, whose columns are summed by a second kernel.
 *
 * With d = x − mean, n = d · rstd and g = dy · weight, the sums Σ d², Σ g and Σ g · d of a row are exchanged at once, since
 * Σ g · n = rstd · Σ g · d, and the mean with them: moments.ts says how. So a row waits once for all invocations.
 *
 * x, dy, dx: [rows, quads]; weight: [quads]; the width is a constant of the pipeline.
 *
 * What limits layernorm is registers: of rows of 8,192, x, dy and two sums are four arrays of 32 values, so that one workgroup runs on a
 * multiprocessor, and nobody reads while it exchanges. So a row is read into the registers of the one before, each as soon as that has been
 * written. On an H200, f32, in GB/s, x, dy and dx counted once, with both kernels (a copy has 4,190):
 *
 *     rows of      8,192   7,168   6,144   5,120   4,096   3,072   2,048   1,000     768
 *     layernorm    4,011   3,840   3,634   3,907   4,008   3,779   3,880   3,744   4,005
 *     rmsnorm      3,960       –   4,027   4,049   4,099   4,036   3,996   3,818   4,100
 *
 * The same in loops over arrays, with tests, had 3,400 of layernorm where rows are 8,192 wide, 2,400 at 4,096, 785 at 1,000. What made the
 * difference at 8,192: two exchanges instead of one 3,740; arrays whose indices are constants instead of variables 3,770 (with two
 * exchanges 3,485); those and weights read four at a time, as they are elsewhere, 2,940; tests of a width that is a param 3,530. Where a
 * multiprocessor has the wrong number of workgroups: 264 of them at 8,192 3,917, 132 at 5,120 3,118, 396 at 4,096 3,500. By 512 invocations 3,820,
 * by 128 with 16 vec4f each 2,610. Without any exchange 4,030 would be left of two, without the sums of columns 3,890.
 * Tried before: scalars instead of vec4f 0.93 of rmsnorm's speed and 0.58 of a copy; dy read again instead of held 0.66 of a copy; sums of
 * dy in workgroup memory 0.67; the next row in registers of its own 0.78.
 */

type None = Record<never, never>
type Quad = Expr<'f32'>

interface Source {
  at(i: Expr<'u32'>): Quad
}
interface Target {
  at(i: Expr<'u32'>): { set(value: Quad): void }
}
interface View
  extends Readonly<Record<'x' | 'weight' | 'dy', Source>>,
    Readonly<Record<'rows' | 'quads' | 'groups', Expr<'u32'>>> {
  readonly dx: Target
  readonly scales: Target
  readonly shifts: Target
  readonly eps: Expr<'f32'>
}

/** Invocations that take a row, and the quads that each of them holds at most. */
export const ROW_SHAPES = { narrow: [64, 4], middle: [128, 4], wide: [256, 8] } as const

const byRows = (kind: 'layer' | 'rms', storage: Storage, shape: keyof typeof ROW_SHAPES): KernelSource => {
  const centered = kind === 'layer'
  const [size, slots] = ROW_SHAPES[shape]
  const lanes = lanesOf(storage, 4)
  const partial = () => output(d.arrayOf(d.vec4f))
  return kernel(
    named(`${kind}norm_backward_rows_${slots * 4 * size}`, storage),
    {
      doc: `dx, and what every groups-th row adds to the gradients of weight${centered ? ' and bias' : ''}: [groups, quads]`,
      workgroupSize: [size],
      bindings: {
        x: input(lanes.array),
        weight: input(lanes.array),
        dy: input(lanes.array),
        dx: output(lanes.array),
        scales: partial(),
        ...(centered ? { shifts: partial() } : {}),
      },
      params: { rows: d.u32, groups: d.u32, eps: d.f32 },
      overrides: { quads: override(d.u32, size * slots) },
      workgroups: ({ groups }: { readonly groups: unknown }) => [groups],
      variants: REDUCE_VARIANTS,
      guards: 'off',
    } as unknown as KernelDecl<None, None, None>,
    (untyped, k) => {
      const { x, weight, dy, dx, scales, shifts, rows, quads, groups, eps } = untyped as unknown as View
      const share = k.let('share', f32(0.25).div(f32(quads)))
      const scale = quadsOf(k, 'scale_sums', slots)
      const shift = centered ? quadsOf(k, 'shift_sums', slots) : []
      const reads = {
        x: (i: Expr<'u32'>) => lanes.read(x.at(i)),
        g: (i: Expr<'u32'>) => lanes.read(dy.at(i)),
      }
      const first = k.let('first', k.workgroupIndex.mul(quads))
      const held = fixedRow(k, first, quads, slots, reads, lanes, { more: true })
      const w = { w: ({ c }: Place) => lanes.read(weight.at(c)) }
      const sumsOf = centered ? aboutMean(k, lanes, quads, w) : squaresOf(k, lanes, w)
      // of layernorm, elements are taken as their distance to the first one of the row, which of close numbers is exact
      const lane = (i: Expr<'u32'>) => lanes.first(reads.x(i))
      const head = centered ? k.var('head', lane(first)) : null
      k.range('row', k.workgroupIndex, rows, groups, (r) => {
        const start = k.let('start', r.mul(quads))
        const next = k.let('next', u32`min(${r} + ${groups}, ${rows} - 1) * ${quads}`)
        const [row, following] = [held.at(start), held.at(next)]
        const { mean, squares, along, total } = sumsOf(row, head)
        const rstd = k.let('rstd', fn.inverseSqrt(fn.fma(squares, share, eps)))
        const meanGn = k.let('mean_gn', along.mul(share).mul(rstd))
        const meanG = total ? k.let('mean_g', total.mul(share)) : null
        row.each(({ x, g, w }, { i, c }, slot) => {
          const normal = k.let('normal', (mean ? x.sub(mean) : x).mul(rstd))
          scale[slot]?.addAssign(g.mul(normal))
          shift[slot]?.addAssign(g)
          const own = g.mul(w).sub(normal.mul(meanGn))
          dx.at(i).set(lanes.stored((meanG ? own.sub(meanG) : own).mul(rstd)))
          following.fill(slot, c)
        }, w)
        head?.set(lane(next))
      })
      held.each((_, { i }, slot) => {
        scales.at(i).set(scale[slot] as Quad)
        if (centered) shifts.at(i).set(shift[slot] as Quad)
      })
    },
  )
}

type Held = FixedRow<'x' | 'g'>
type Weights = Also<'w'>
interface Sums {
  readonly mean: Expr<'f32'> | null
  readonly squares: Expr<'f32'>
  readonly along: Expr<'f32'>
  readonly total: Expr<'f32'> | null
}

/** Of rmsnorm: Σ x² and Σ g · x. */
const squaresOf =
  (k: Builder, lanes: Lanes, w: Weights) =>
  (row: Held): Sums => {
    const { squares, along } = k.var({ squares: lanes.of(0), along: lanes.of(0) })
    row.each(({ x, g, w }) => {
      squares.addAssign(x.mul(x))
      along.addAssign(g.mul(w).mul(x))
    }, w)
    // sums of vectors are sums of their lanes: the type of `workgroupReduce` names scalars only
    const both = vec2f(lanes.sum(squares), lanes.sum(along)) as unknown as Expr<'f32'>
    const sums = k.let('sums', workgroupReduce(k, 'sums_row', both, SUM)) as unknown as Expr<'vec2f'>
    return { mean: null, squares: sums.x, along: sums.y, total: null }
  }

/** Of layernorm: the mean, Σ (x − mean)², Σ g · (x − mean) and Σ g, of which x becomes its distance to `head`. */
function aboutMean(k: Builder, lanes: Lanes, quads: Expr<'u32'>, w: Weights) {
  const count = k.let('count', f32(countOf(k, quads)).mul(4))
  const exchanged = workgroupMoments(k, 'moments_row', count, f32(quads).mul(4))
  const own = k.let('own_share', f32(1).div(fn.max(count, 1)))
  return (row: Held, head: Expr<'f32'> | null): Sums => {
    const sum = k.var('sum', lanes.of(0))
    row.each(({ x }, _, slot) => {
      const far = k.let('far', x.sub(head as Expr<'f32'>))
      row.keep('x', slot, far)
      sum.addAssign(far)
    })
    const mine = k.let('own_mean', lanes.sum(sum).mul(own))
    const { squares, along, rest } = k.var({ squares: lanes.of(0), along: lanes.of(0), rest: lanes.of(0) })
    row.each(({ x, g, w }) => {
      const { far, q } = k.let({ far: x.sub(mine), q: g.mul(w) })
      squares.addAssign(far.mul(far))
      along.addAssign(q.mul(far))
      rest.addAssign(q)
    }, w)
    const moments = exchanged(vec4f(mine, lanes.sum(squares), lanes.sum(along), lanes.sum(rest)))
    return { mean: moments.x, squares: moments.y, along: moments.z, total: moments.w }
  }
}

export const gradientsByRows: readonly KernelSource[] = STORAGES.flatMap((storage) =>
  (['narrow', 'middle', 'wide'] as const).flatMap((shape) => [
    byRows('layer', storage, shape),
    byRows('rms', storage, shape),
  ]),
)
