import {
  type Builder,
  ceilDiv,
  d,
  type Expr,
  each,
  type f32,
  inout,
  input,
  kernel,
  output,
  tuple,
  u32,
} from '@weft/dsl'
import { type Element, typesOf } from './element'
import { SCAN_BLOCK } from './plan'

/**
 * Prefix sums over any length, in several dispatches (Blelloch, 1990): `scanBlocks` scans blocks of 1,024 elements
 * and gives the total of each; the totals are scanned in the same way, recursively; `scanOffsets` adds to each block
 * what came before it. The host function `scan` does all of it.
 */

const THREADS = 256
const EACH = SCAN_BLOCK / THREADS

export const scanBlocksOf = (name: string, element: Element) =>
  kernel(
    name,
    {
      ...(element === 'u32' ? { doc: 'scan_blocks of u32: y[i] = x[0] + … + x[i] within each block of 1,024' } : {}),
      workgroupSize: [THREADS],
      bindings: {
        x: input(d.arrayOf(typesOf(element).schema)),
        y: output(d.arrayOf(typesOf(element).schema)),
        totals: output(d.arrayOf(typesOf(element).schema)),
      },
      params: { n: d.u32, exclusive: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, SCAN_BLOCK)],
    },
    ({ x, y, totals, n, exclusive }, k) => {
      const first = k.let('first', u32`${k.workgroupIndex} * ${SCAN_BLOCK} + ${k.localIndex} * ${EACH}`)
      const value = tuple(EACH, (i) =>
        k.let(
          `x${i}`,
          k.when(first.add(i).lt(n), () => x.at(first.add(i)), 0),
        ),
      )
      const sum = k.let(
        'sum',
        value.slice(1).reduce((a, v) => a.add(v), value[0]),
      )
      const upTo = k.let('up_to', workgroupScan(k, sum, typesOf(element).one))

      k.if(k.localIndex.eq(THREADS - 1), () => totals.at(k.workgroupIndex).set(upTo))
      const running = k.var('running', upTo.sub(sum))
      for (const i of each(EACH)) {
        const before = k.let(`before${i}`, running)
        running.addAssign(value[i])
        k.if(first.add(i).lt(n), () => y.at(first.add(i)).set(k.when(exclusive.ne(0), () => before, running)))
      }
    },
  )

/**
 * y[i] = x[0] + … + x[i] within each block of 1,024 (`exclusive`: up to x[i − 1], the first is 0), and totals[b] the
 * sum of block b. x, y: n; totals: ⌈n / 1024⌉. Each invocation sums four neighbours, the workgroup scans those sums.
 */
export const scanBlocks = scanBlocksOf('scan_blocks', 'f32')

/** The inclusive prefix sum of `value` over the workgroup (Hillis and Steele, 1986): log₂(256) steps. */
function workgroupScan(k: Builder, value: Expr<'f32'>, token: typeof f32): Expr<'f32'> {
  const partial = k.workgroup('partial', token, THREADS)
  const i = k.localIndex
  const total = k.var('total', value)
  for (let distance = 1; distance < THREADS; distance *= 2) {
    partial.at(i).set(total)
    k.workgroupBarrier()
    k.if(i.ge(distance), () => total.addAssign(partial.at(i.sub(distance))))
    k.workgroupBarrier()
  }
  return total
}

export const scanOffsetsOf = (name: string, element: Element) =>
  kernel(
    name,
    {
      ...(element === 'u32' ? { doc: 'scan_offsets of u32: y[i] += offsets[block of i]' } : {}),
      workgroupSize: [THREADS],
      bindings: { offsets: input(d.arrayOf(typesOf(element).schema)), y: inout(d.arrayOf(typesOf(element).schema)) },
      params: { n: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, THREADS)],
    },
    ({ offsets, y, n }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => y.at(i).addAssign(offsets.at(i.div(SCAN_BLOCK))))
    },
  )

/** y[i] += offsets[block of i], where `offsets` is the exclusive scan of the totals. y: n; offsets: ⌈n / 1024⌉. */
export const scanOffsets = scanOffsetsOf('scan_offsets', 'f32')
