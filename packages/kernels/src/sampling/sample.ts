import {
  type ArrayValue,
  type Builder,
  bitcast,
  ceilDiv,
  d,
  type Expr,
  f32,
  fn,
  input,
  kernel,
  output,
  u32,
} from '@weft/dsl'
import { randomBits } from '../parts/random'
import { MIN, SUM, workgroupReduce } from '../parts/reduce'
import { named, read, type Storage, scalars } from '../parts/storage'
import { type Descent, descend, type Found, sums } from './descend'
import { carried, halves, type Mass, share, valueOfKey, weightAt } from './mass'
import { WEIGHT_SHIFT, WHOLE } from './plan'
import { rankOf } from './top-k'
import { walk } from './walk'

/**
 * out[r] = a column of row r, drawn with probability softmax(logits / temperature) among the `top_k` greatest, and of those among the
 * fewest whose probabilities are more than top_p together (Holtzman et al., "The curious case of neural text degeneration", 2020; in this
 * order, as libraries of language models have it). Equal logits count in the order of their columns.
 *
 * The answer is the same on every device, bit by bit, since no rounded sum or exponential decides it:
 *
 * - ranks are order keys, so the k greatest are found by integers;
 * - the distance of a logit from the greatest is one subtraction and one product in f32, which there is nothing to fuse with, and which
 *   WGSL wants correctly rounded; it leaves open in which direction, and devices round to nearest. The distance is cut to an integer;
 *   from there on 2^−distance is a polynomial in integers, and sums of weights are exact, whatever their order;
 * - the random number is 32 bits of (seed of the row, step). It picks the column at which the sum of the weights, greatest first,
 *   passes that part of the whole: no threshold is needed between the filters and the draw.
 *
 * A weight is e^((x − top) / temperature) within 2⁻¹³ of itself, cut to a multiple of 2⁻²⁸; the draw has a grain of 2⁻³² of the sum.
 * With `each` every row has its own temperature, top_k and top_p: (scale, reach, top_k, top_p) of `plan.ts`, the bits of two f32 and two u32.
 *
 * −∞ has no weight, unless all are −∞; +∞ and NaN take all of it, so that a broken row does not look like a sound one.
 */

const WORKGROUP = 256
/** Invocations of a workgroup, each with a row of few columns. */
const FEW_WORKGROUP = 64
/** The greatest weight, which is that of the distance 0. */
const FULL = (65535 << WEIGHT_SHIFT) >>> 0

const CHOICE = { scale: d.f32, reach: d.f32, top_k: d.u32, top_p: d.u32 }

type Choice = Readonly<Record<'scale' | 'reach', Expr<'f32'>> & Record<'top_k' | 'top_p', Expr<'u32'>>>

/** That of a row. */
function choiceOf(k: Builder, choices: ArrayValue<'vec4u'>, row: Expr<'u32'>): Choice {
  const own = k.let('choice', choices.at(row))
  return { scale: bitcast(f32, own.x), reach: bitcast(f32, own.y), top_k: own.z, top_p: own.w }
}

/** How the elements of a row are gone over, by a workgroup or by one invocation. */
interface Way {
  /** Calls its body with the elements of this invocation. */
  readonly each: (body: (i: Expr<'u32'>) => void) => void
  /** What all of the row have together. */
  readonly join: (name: string, own: Expr<'u32'>, by: typeof SUM | typeof MIN) => Expr<'u32'>
  readonly find: (descent: Descent) => Found
}

const byWorkgroup = (k: Builder, cols: Expr<'u32'>): Way => {
  const memory = sums(k)
  return {
    each: (body) => k.range('i', k.localIndex, cols, WORKGROUP, body),
    join: (name, own, by) => workgroupReduce(k, name, own, by),
    find: (descent) => descend(k, memory, descent),
  }
}

const byInvocation = (k: Builder, cols: Expr<'u32'>): Way => ({
  each: (body) => k.range('i', 0, cols, body),
  join: (_, own) => own,
  find: (descent) => walk(k, descent),
})

interface Row {
  readonly cols: Expr<'u32'>
  readonly rankAt: (i: Expr<'u32'>) => Expr<'u32'>
  readonly choice: Choice
  readonly seed: Expr<'u32'>
  readonly step: Expr<'u32'>
}

/** The column that is drawn from a row. */
function drawn(k: Builder, { each, join, find }: Way, { cols, rankAt, choice, seed, step }: Row): Expr<'u32'> {
  const { scale, reach, top_k, top_p } = choice
  const best = k.var('best', u32(0xffff_ffff))
  each((i) => best.set(MIN.combine(best, rankAt(i))))
  const first = k.let('first', join('row_best', best, MIN))
  const top = k.let('top', valueOfKey(first.bitNot()))

  // the last one that is among the k greatest; at first there is no such limit
  const cut = k.var({ cut_rank: u32(0xffff_ffff), cut_place: u32(0xffff_ffff) })
  k.if(top_k.lt(cols), () => {
    const last = find({ cols, rankAt, target: halves(top_k.sub(1)) })
    cut.cut_rank.set(last.rank)
    cut.cut_place.set(last.place)
  })

  const measure = (i: Expr<'u32'>, rank: Expr<'u32'>): Mass => {
    const gap = k.let('gap', top.sub(valueOfKey(rank.bitNot())))
    // an infinite gap, and one that is NaN, is not below the reach
    const { weight } = k.var({ weight: u32(0) })
    const kept = rank.lt(cut.cut_rank).or(rank.eq(cut.cut_rank).and(i.le(cut.cut_place)))
    k.if(rank.eq(first), () => weight.set(FULL)).elseIf(gap.lt(reach), () => weight.set(weightAt(u32(gap.mul(scale)))))
    return halves(k.let('weight_kept', fn.select(u32(0), weight, kept)))
  }

  const part = k.var({ part_high: u32(0), part_low: u32(0) })
  each((i) => {
    const mass = measure(i, k.let('rank', rankAt(i)))
    part.part_high.addAssign(mass.high)
    part.part_low.addAssign(mass.low)
  })
  const whole = carried({
    high: k.let('row_sum_high', join('row_high', part.part_high, SUM)),
    low: k.let('row_sum_low', join('row_low', part.part_low, SUM)),
  })
  const mass = k.var({ mass_high: whole.high, mass_low: whole.low })
  const sum = { high: mass.mass_high, low: mass.mass_low }

  k.if(top_p.ne(WHOLE), () => {
    const nucleus = find({ cols, rankAt, measure, target: share(sum, top_p) })
    mass.mass_high.set(nucleus.sum.high)
    mass.mass_low.set(nucleus.sum.low)
  })

  const bits = k.let('bits', randomBits(seed, [step, u32(0), u32(0)]))
  return find({ cols, rankAt, measure, target: share(sum, bits) }).place
}

interface SampleOptions {
  readonly storage: Storage
  /** Whether every row has a choice of its own. */
  readonly each: boolean
  /** Whether an invocation takes a row. */
  readonly few: boolean
}

const sampleOf = ({ storage, each, few }: SampleOptions) =>
  kernel(
    named(`${each ? 'sample_each_row' : 'sample_rows'}${few ? '_few' : ''}`, storage),
    {
      doc: `a column of each row${few ? ' of few columns' : ''}, drawn by ${each ? 'its own ' : ''}temperature, top-k and top-p; the same on every device`,
      workgroupSize: [few ? FEW_WORKGROUP : WORKGROUP],
      bindings: {
        logits: input(scalars(storage)),
        seeds: input(d.arrayOf(d.u32)),
        ...((each ? { choices: input(d.arrayOf(d.vec4u)) } : {}) as Record<never, never>),
        out: output(d.arrayOf(d.u32)),
      },
      params: { rows: d.u32, cols: d.u32, step: d.u32, ...((each ? {} : CHOICE) as Record<never, never>) },
      workgroups: ({ rows }) => [few ? ceilDiv(rows, FEW_WORKGROUP) : rows],
    },
    (view, k) => {
      const { logits, seeds, out, rows, cols, step } = view
      const row = k.let('row', few ? k.globalIndex : k.workgroupIndex)
      const draw = (way: Way): Expr<'u32'> => {
        const choice = each
          ? choiceOf(k, (view as unknown as { readonly choices: ArrayValue<'vec4u'> }).choices, row)
          : (view as unknown as Choice)
        const start = k.let('start', row.mul(cols))
        const rankAt = (i: Expr<'u32'>) => rankOf(read(logits.at(start.add(i))))
        return drawn(k, way, { cols, rankAt, choice, seed: seeds.at(row), step })
      }
      if (few) k.if(row.lt(rows), () => out.at(row).set(draw(byInvocation(k, cols))))
      else {
        const place = draw(byWorkgroup(k, cols))
        k.if(k.localIndex.eq(0), () => out.at(row).set(place))
      }
    },
  )

export const sampleRows = (['f32', 'f16'] as const).flatMap((storage) =>
  [false, true].flatMap((few) => [false, true].map((each) => sampleOf({ storage, each, few }))),
)
