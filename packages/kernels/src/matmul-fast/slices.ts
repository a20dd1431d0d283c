import { type Builder, each, type VarRef } from '@weft/dsl'
import type { U32 } from './numbers'
import type { Stage } from './stage'

/**
 * Slices: a tile of few sums leaves few invocations, and a multiprocessor with few of them waits. Invocations then share a block: each takes its
 * slice of the depth of a tile, and their sums are added up when all of k is done, in the order of the slices. On an H200, four of them in tiles
 * of 32 × 32: 256³ in 11.7 µs, not 14.4; 512³ in 19.7, not 21.7; 32 × 4096² in 55, not 61. Two: 12.2, 20.8 and 60. Tiles 64 deep: 12.3 and 22.
 */
export interface SlicesOptions {
  readonly slices: number
  /** Which slice an invocation takes, and which of the blocks of a tile. */
  readonly slice: U32
  readonly block: U32
  readonly sums: readonly VarRef<'vec4f'>[]
  /** A stage that is no longer used: sums go through its memory, four of an invocation at a time, for which it must have room. */
  readonly stage: Stage
}

/** Adds the sums of all slices to those of the first one. */
export function joinSlices(k: Builder, o: SlicesOptions): void {
  for (const slice of each(o.slices).slice(1))
    for (let first = 0; first < o.sums.length; first += 4) {
      const some = o.sums.slice(first, first + 4)
      const place = (i: number) => o.stage.place(o.block.div(o.stage.wide), i, o.block.rem(o.stage.wide))
      k.if(o.slice.eq(slice), () => {
        for (const [i, sum] of some.entries()) place(i).set(sum)
      })
      k.workgroupBarrier()
      k.if(o.slice.eq(0), () => {
        for (const [i, sum] of some.entries()) sum.addAssign(place(i))
      })
      k.workgroupBarrier()
    }
}
