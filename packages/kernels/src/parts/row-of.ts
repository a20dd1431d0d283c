import type { Builder, Expr } from '@weft/dsl'
import { fixedRow } from './fixed-row'
import { heldRow } from './held-row'
import { type Lanes, lanesOf } from './lanes'
import type { Reads, Row } from './row'
import { HELD, type Span } from './span'
import { streamedRow } from './streamed-row'

/**
 * A workgroup goes over a row of a row-major array, whatever its width and alignment, in the way that memory likes best:
 *
 * - A row that fits is *held*: each invocation reads up to 32 elements into an array, all of them in flight at once, and every later
 *   pass over the row costs arithmetic alone. That is one read for softmax and the norms, and their speed is that of a copy.
 * - A wider row is *streamed*: every pass reads it again, eight elements in flight at a time.
 * - A row by fours of a width that is known when the pipeline is made is held in variables, written out: fixed-row.ts.
 *
 * Neighbours take neighbours (element c belongs to invocation c mod 256), so scalar accesses fill whole cache lines at any
 * offset. Loops over a held row have constant bounds, which drivers unroll, so that the array becomes registers; blocks of eight
 * that lie within the row have no tests.
 *
 * On an H200, rows of 8,192 f32, as a share of copy bandwidth:
 *
 *     softmax    0.92   the same unrolled by hand 0.93, as `vec4f` 0.95, 512 invocations 0.89, 1,024 invocations 0.38
 *     layernorm  0.91   a test for each element 0.89, loops over the whole row without blocks 0.71
 *     rmsnorm    0.93   a test for each element 0.90, 64 elements held instead of 32 0.92
 *     softmax, streamed: two reads, one of them online 0.69; three reads one after the other 0.5
 *
 * Tests that are shared by all passes cost registers: 0.73. A tree and subgroups are equally fast.
 */

/** `body` for the row of this workgroup, once for each way in which a kernel for such rows may go over it. */
export function rowOf<N extends string>(
  k: Builder,
  cols: Expr<'u32'>,
  reads: Reads<N>,
  body: (row: Row<N>) => void,
  lanes: Lanes = lanesOf('f32', 1),
  span: Span = 'any',
): void {
  const count = lanes.width === 1 ? cols : k.let('quads', cols.div(lanes.width))
  const start = k.let('start', k.workgroupIndex.mul(count))
  const held = (): void => body(heldRow(k, start, count, reads, lanes))
  const streamed = (): void => body(streamedRow(k, start, count, reads, lanes))
  if (span === 'any') k.if(count.le(HELD * k.workgroupSize), held, streamed)
  else if (span === 'short') held()
  else if (span === 'wide') streamed()
  else body(fixedRow(k, start, count, HELD / lanes.width, reads, lanes))
}
