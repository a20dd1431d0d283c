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
  u32,
  vec2f,
  vec3f,
} from '@weft/dsl'
import type { KernelSource } from '@weft/dsl/ir'
import { lanesOf } from '../parts/lanes'
import { REDUCE_VARIANTS, SUM, workgroupReduce } from '../parts/reduce'
import { type Form, heldRow, QUADS, slotsOf } from '../parts/row'
import { named, type Storage } from '../parts/storage'
import { STORAGES } from './parts'

/**
 * All gradients of layernorm or rmsnorm in one pass over x and dy. A workgroup takes every `groups`-th row. Of a row it holds x and dy,
 * and gives dx as byInput of backward.ts does; of all its rows it sums what they add to the gradients of weight and bias, in registers
 * too, and leaves the sums in `scales` and `shifts`: [groups, cols], f32, whose columns are summed by a second kernel.
 *
 * With d = x − mean, n = d · rstd and g = dy · weight, the three sums Σ d², Σ g and Σ g · d of a row are exchanged at once, since
 * Σ g · n = rstd · Σ g · d: one wait less for all invocations, and rmsnorm waits but once a row.
 *
 * Rows of up to 2,048 vec4f. x, dy, dx: [rows, quads]; weight: [quads].
 *
 * What limits layernorm is registers: x, dy and two sums are four arrays of 32 values, so that one workgroup runs where rmsnorm has two, and
 * nobody reads while it exchanges. So a row is read into the registers of the one before, each as soon as that has been written. On an H200,
 * 16,384 × 8,192 f32, x, dy and dx counted once, of copy bandwidth: rmsnorm 0.92, layernorm 0.81. By hand, in WGSL that is written out,
 * layernorm has 0.89, and 0.87 with rows read when their turn comes; 0.96 without the exchanges, 0.93 without the sums of columns; 132
 * workgroups 0.89, 264 of them 0.88, with twice as many sums for the second kernel. These loops written out by the compiler have 0.63.
 * Tried: scalars instead of vec4f 0.93 of rmsnorm and 0.58; dy read again instead of held 0.66; sums of dy in workgroup memory 0.67;
 * 512 invocations 0.75, and 0.70 reading ahead; three exchanges instead of two 0.79; the next row in registers of its own 0.78. Tests
 * whether elements lie in the row cost registers too (0.77): rows of 8,192 have a kernel without.
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

/** Of layernorm: each of the two exchanges of a row waits for all, and so for what the other one has read. */
const APART = { apart: true }

/** Sums over the workgroup, exchanged together: two or three. */
function exchanged(k: Builder, sums: readonly Expr<'f32'>[]): readonly Expr<'f32'>[] {
  const [a, b, c] = sums as [Expr<'f32'>, Expr<'f32'>, Expr<'f32'>?]
  const all = c ? vec3f(a, b, c) : vec2f(a, b)
  // sums of vectors are sums of their lanes: the type of `workgroupReduce` names scalars only
  const total = k.let(
    'sums',
    workgroupReduce(k, 'sums_row', all as unknown as Expr<'f32'>, SUM, c ? APART : {}),
  ) as unknown as Expr<'vec3f'>
  return c ? [total.x, total.y, total.z] : [total.x, total.y]
}

const byRows = (kind: 'layer' | 'rms', storage: Storage, whole = false): KernelSource => {
  const centered = kind === 'layer'
  const lanes = lanesOf(storage, 4)
  const partial = () => output(d.arrayOf(d.vec4f))
  return kernel(
    named(`${kind}norm_backward_rows${whole ? '_8192' : ''}`, storage),
    {
      doc: `dx, and what every groups-th row adds to the gradients of weight${centered ? ' and bias' : ''}: [groups, quads]`,
      workgroupSize: [256],
      bindings: {
        x: input(lanes.array),
        weight: input(lanes.array),
        dy: input(lanes.array),
        dx: output(lanes.array),
        scales: partial(),
        ...(centered ? { shifts: partial() } : {}),
      },
      params: { rows: d.u32, quads: d.u32, groups: d.u32, eps: d.f32 },
      workgroups: ({ groups }: { readonly groups: unknown }) => [groups],
      variants: REDUCE_VARIANTS,
      // rows of full width have no tests
      guards: whole ? 'off' : 'required',
    } as unknown as KernelDecl<None, None, None>,
    (untyped, k) => {
      const { x, weight, dy, dx, scales, shifts, rows, quads: width, groups, eps } = untyped as unknown as View
      const inverse = k.let('inverse', f32(0.25).div(f32(width)))
      const form: Form = { ...QUADS, whole }
      const scale = slotsOf(k, 'scale_sums', width, form)
      const shift = centered ? slotsOf(k, 'shift_sums', width, form) : null
      const reads = {
        x: (i: Expr<'u32'>) => lanes.read(x.at(i)),
        g: (i: Expr<'u32'>) => lanes.read(dy.at(i)),
      }
      const lane = (i: Expr<'u32'>) => (reads.x(i) as unknown as Expr<'vec4f'>).x
      const first = k.let('first', k.workgroupIndex.mul(width))
      const held = heldRow(k, first, width, reads, form)
      const head = centered ? k.var('head', lane(first)) : null
      k.range('row', k.workgroupIndex, rows, groups, (r) => {
        const start = k.let('start', r.mul(width))
        const next = k.let('next', u32`min(${r} + ${groups}, ${rows} - 1) * ${width}`)
        const row = held.at(start)
        const w = { w: ({ c }: { readonly c: Expr<'u32'> }) => lanes.read(weight.at(c)) }
        let off = (value: Quad): Quad => value
        if (head) {
          const total = k.var('total', lanes.of(0))
          row.each(({ x }) => total.addAssign(x.sub(head)))
          const offset = k.let('offset', workgroupReduce(k, 'total_row', lanes.sum(total), SUM, APART).mul(inverse))
          off = (value) => value.sub(head).sub(offset)
        }
        const { squares, along, rest } = k.var({ squares: lanes.of(0), along: lanes.of(0), rest: lanes.of(0) })
        row.each(({ x, g, w }, _, slot) => {
          const { d: distance, q } = k.let({ d: off(x), q: g.mul(w) })
          if (centered) row.keep('x', slot, distance)
          squares.addAssign(distance.mul(distance))
          along.addAssign(q.mul(distance))
          if (centered) rest.addAssign(q)
        }, w)
        const sums = exchanged(k, [lanes.sum(squares), lanes.sum(along), ...(centered ? [lanes.sum(rest)] : [])])
        const rstd = k.let('rstd', fn.inverseSqrt(fn.fma(sums[0] as Expr<'f32'>, inverse, eps)))
        const meanGn = k.let('mean_gn', (sums[1] as Expr<'f32'>).mul(inverse).mul(rstd))
        const meanG = centered ? k.let('mean_g', (sums[2] as Expr<'f32'>).mul(inverse)) : null
        row.each(({ x, g, w }, { i, c }, slot) => {
          const normal = k.let('normal', x.mul(rstd))
          scale.at(slot).addAssign(g.mul(normal))
          shift?.at(slot).addAssign(g)
          const own = g.mul(w).sub(normal.mul(meanGn))
          dx.at(i).set(lanes.stored((meanG ? own.sub(meanG) : own).mul(rstd)))
          row.refill(slot, next.add(c))
        }, w)
        head?.set(lane(next))
      })
      scale.each(first, (value, { i }) => scales.at(i).set(value))
      shift?.each(first, (value, { i }) => shifts.at(i).set(value))
    },
  )
}

export const gradientsByRows: readonly KernelSource[] = STORAGES.flatMap((storage) => [
  byRows('layer', storage),
  byRows('rms', storage),
  byRows('layer', storage, true),
])
