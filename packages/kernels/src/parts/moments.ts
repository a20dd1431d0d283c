import { type Builder, type Expr, f32, fn, u32, vec4f } from '@weft/dsl'
import { LEAST_SUBGROUP } from './reduce'

/**
 * Mean and spread of a row in one exchange between invocations, where sums take two: one for the mean, and one for squares of what is
 * above it. Sums about anything else lose the digits that all elements have in common; so each invocation sums about the mean of its own
 * part, and parts are merged (Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample variances", 1979).
 * Sums of a part about a base that is not its mean, with D its distance:
 *
 *     Σ (x − base) = n · D     Σ (x − base)² = Σ (x − mean)² + n · D²     Σ q · (x − base) = Σ q · (x − mean) + D · Σ q
 *
 * Those of several parts are added, about the mean of the first; how far off that is, the first sum says, and is taken off the others. Of p
 * equal parts, that takes off less than p times what it leaves, as one D is 0: of all elements at once, about any of them, n times.
 */

/** Of n values x, each with a q: the mean of x, Σ (x − mean)², Σ q · (x − mean) and Σ q. */
export type Moments = Expr<'vec4f'>
type F32 = Expr<'f32'>

/** The sums of a part about a base. */
function about(k: Builder, base: F32, n: F32, { x: mean, y: squares, z: along, w: total }: Moments): Expr<'vec4f'> {
  const far = k.let('far', mean.sub(base))
  const first = k.let('first_sum', n.mul(far))
  return vec4f(first, fn.fma(first, far, squares), fn.fma(total, far, along), total)
}

/** Moments from sums about a base, of `1 / share` values. */
function centered(k: Builder, base: F32, share: F32, sums: Expr<'vec4f'>): Moments {
  const far = k.let('off', sums.x.mul(share))
  return vec4f(base.add(far), fn.fma(far.neg(), sums.x, sums.y), fn.fma(far.neg(), sums.w, sums.z), sums.w)
}

/** 1 / n; of nothing, anything that is a number. */
const shareOf = (n: F32): F32 => f32(1).div(fn.max(n, 1))

/**
 * What gives the moments of all values of a workgroup, for every invocation, from those of its own: `n` of an invocation, `all` together.
 * Call both in uniform control flow, the second as often as you like.
 */
export function workgroupMoments(k: Builder, name: string, n: F32, all: F32): (own: Moments) => Moments {
  return k.variant === 'subgroups' ? bySubgroups(k, name, n, all) : byTree(k, name, n, all)
}

function bySubgroups(k: Builder, name: string, n: F32, all: F32): (own: Moments) => Moments {
  const most = k.workgroupSize / LEAST_SUBGROUP
  // two of each, in turn: what others may still read is not written, and one barrier is enough
  const parts = k.workgroup(name, vec4f, 2 * most)
  const counts = k.workgroup(`${name}_counts`, f32, most)
  const turn = k.var('turn', u32(0))
  const count = k.let('subgroup_count', k.subgroupAdd(n))
  const first = k.let('is_first', k.subgroupInvocationId.eq(0))
  k.if(first, () => counts.at(k.subgroupId).set(count))
  const [share, allShare] = [k.let('subgroup_share', shareOf(count)), k.let('share', shareOf(all))]
  return (own) => {
    turn.set(u32(1).sub(turn))
    const side = k.let('side', turn.rem(2).mul(most))
    const base = k.let('base', k.subgroupBroadcastFirst(own.x))
    const sums = k.let('subgroup_sums', k.subgroupAdd(about(k, base, n, own)))
    k.if(first, () => parts.at(side.add(k.subgroupId)).set(centered(k, base, share, sums)))
    k.workgroupBarrier()
    const start = k.let('start_part', parts.at(side))
    const total = k.var('total', vec4f(0, start.y, start.z, start.w))
    k.range('s', 1, k.numSubgroups, (s) => {
      total.addAssign(about(k, start.x, counts.at(s), parts.at(side.add(s))))
    })
    return k.let('moments', centered(k, start.x, allShare, total))
  }
}

/** A tree of pairs: as many steps as the workgroup size has powers of two. */
function byTree(k: Builder, name: string, n: F32, all: F32): (own: Moments) => Moments {
  const parts = k.workgroup(name, vec4f, k.workgroupSize)
  const counts = k.workgroup(`${name}_counts`, f32, k.workgroupSize)
  const i = k.localIndex
  return (own) => {
    parts.at(i).set(own)
    counts.at(i).set(n)
    k.workgroupBarrier()
    for (let half = k.workgroupSize / 2; half >= 1; half /= 2) {
      k.if(i.lt(half), () => {
        const part = k.let('part', parts.at(i))
        const both = k.let('both', counts.at(i).add(counts.at(i.add(half))))
        const sums = about(k, part.x, counts.at(i.add(half)), parts.at(i.add(half))).add(
          vec4f(0, part.y, part.z, part.w),
        )
        parts.at(i).set(centered(k, part.x, half === 1 ? shareOf(all) : shareOf(both), sums))
        counts.at(i).set(both)
      })
      k.workgroupBarrier()
    }
    return k.let('moments', k.workgroupUniformLoad(parts.at(0)))
  }
}
