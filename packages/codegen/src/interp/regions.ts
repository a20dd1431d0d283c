import type { Expr, Op, ValueName } from '@weft/dsl/ir'
import type { Item, Mask, Region, Step, Target } from './steps'

/** The small parts that plans are made of. */

export const op = (name: Op['op'], type: ValueName, ...args: Expr[]): Expr => ({
  kind: 'op',
  at: -1,
  type,
  op: name,
  args,
})

export const isCode = (target: Target | null): boolean => target !== null && 'code' in target

/** An item on its way into a segment. */
export const loose = (item: Item, region: Region, per: 'invocation' | 'subgroup' = 'invocation'): Step => ({
  kind: 'loose',
  region,
  per,
  item,
})

export function jump(target: Target | null): Step {
  if (target && 'code' in target) return { kind: 'jump', code: target.code }
  throw new RangeError('a jump out of masked flow is no step')
}

/** The region within `mask`: whoever jumps out leaves this mask as well. */
export function within(region: Region, mask: Mask): Region {
  const add = (target: Target | null): Target | null =>
    target && 'masks' in target ? { masks: [mask, ...target.masks] } : target
  return { ...region, mask, break: add(region.break), continue: add(region.continue), return: add(region.return) }
}
