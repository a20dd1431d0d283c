import { d, type Expr, each, fn, kernel, tuple, u32 } from '@weft/dsl'
import { DIGITS, RADIX_INVOCATIONS, RADIX_ROUNDS, RADIX_SUBGROUP } from './plan'
import { SCATTER } from './scatter'

/**
 * `radix_scatter` for subgroups of 32 (after Merrill and Grimshaw, "High performance and scalable radix sorting", 2011): sorted[starts[tile,
 * digit of the key] + its rank in the tile] = key, and its value beside it.
 *
 * A subgroup takes 320 neighbouring keys, 32 in each of ten rounds. Eight ballots, one for each bit of the digit, tell an invocation which others of
 * its subgroup have its digit: the first of them counts all of them on, in a counter of the subgroup and the digit, and those below come
 * before. When all counters are scanned, first over the subgroups of a digit and then over the digits, every key knows its place in the
 * tile. Keys go there in workgroup memory, and from there to the result: neighbours with one digit are written side by side.
 *
 * The counters lie in the same memory as the keys afterwards: 20 KiB, and 512 invocations.
 *
 * On an H200, pairs in 10⁹ keys a second, all four passes: 26.0. 4,096 keys a tile 24.6, by 256 invocations 23.8; 6,144 keys 19.8; 8,192 keys 21.7;
 * with a barrier after each round 23.0; values read before the ranks 24.6; every key straight to its place in the result 5.9. Of a pass of 0.37 ms
 * the scatter takes 0.28, of which the ranks 0.12 (a copy of as many bytes takes 0.13), the counts 0.05 and the scan of them 0.05.
 */

const SIZE = RADIX_INVOCATIONS.subgroups
const ROUNDS = RADIX_ROUNDS.subgroups
const TILE = SIZE * ROUNDS
const SUBGROUPS = SIZE / RADIX_SUBGROUP

export const radixScatter32 = kernel(
  'radix_scatter_32',
  {
    workgroupSize: [SIZE],
    ...SCATTER,
    workgroups: ({ tiles }) => [tiles],
    variants: { subgroups: ['subgroups', 'subgroup-id'] },
    limits: {
      maxComputeInvocationsPerWorkgroup: SIZE,
      maxComputeWorkgroupSizeX: SIZE,
      maxComputeWorkgroupStorageSize: 24 * 1024,
    },
  },
  ({ keys, values, starts, sorted_keys, sorted_values, n, shift }, k) => {
    // the counters of each subgroup and digit; later the keys and the values of the tile
    const pool = k.workgroup('pool', d.atomic(d.u32), TILE)
    /** Where the keys of a digit begin in the result, less where they begin in the tile. */
    const shifts = k.workgroup('shifts', u32, DIGITS)
    const sums = k.workgroup('sums', u32, DIGITS / RADIX_SUBGROUP)
    const lane = k.let('lane', k.subgroupInvocationId)
    const subgroup = k.let('subgroup', k.subgroupId.rem(SUBGROUPS))
    const own = k.let('own', u32`${subgroup} * ${RADIX_SUBGROUP} + ${lane}`)
    const tile = k.let('tile', k.workgroupIndex)
    const first = k.let('first', u32`${tile} * ${TILE} + ${subgroup} * ${RADIX_SUBGROUP * ROUNDS} + ${lane}`)
    const digitOf = (key: Expr<'u32'>) => u32`(${key} >> ${shift}) % ${DIGITS}`

    const key = tuple(ROUNDS, (j) => {
      const i = first.add(j * RADIX_SUBGROUP)
      // what is not there comes last, and is not written
      return k.let(
        `key${j}`,
        k.when(i.lt(n), () => keys.at(i), 0xffff_ffff),
      )
    })
    for (const s of each((SUBGROUPS * DIGITS) / SIZE)) pool.at(own.add(s * SIZE)).store(0)
    k.workgroupBarrier()

    const lower = k.let('lower', u32`(1u << ${lane}) - 1`)
    const rank = tuple(ROUNDS, (j) => {
      const digit = k.let(`digit${j}`, digitOf(key[j]))
      const peers = k.var(`peers${j}`, u32(0xffff_ffff))
      for (const bit of each(8)) {
        const on = k.let('on', digit.bitAnd(1 << bit).ne(0))
        const votes = k.let('votes', k.subgroupBallot(on).x)
        peers.andAssign(fn.select(votes.bitNot(), votes, on))
      }
      const leader = k.let(`leader${j}`, fn.firstTrailingBit(peers))
      const before = k.when(
        lane.eq(leader),
        () => pool.at(u32`${subgroup} * ${DIGITS} + ${digit}`).add(fn.countOneBits(peers)),
        0,
      )
      return k.let(`rank${j}`, k.subgroupShuffle(before, leader).add(fn.countOneBits(peers.bitAnd(lower))))
    })
    k.workgroupBarrier()

    const total = k.var('total', u32(0))
    k.if(own.lt(DIGITS), () => {
      for (const s of each(SUBGROUPS)) {
        const count = pool.at(own.add(s * DIGITS))
        const value = k.let('value', count.load())
        count.store(total)
        total.addAssign(value)
      }
    })
    const upTo = k.let('up_to', k.subgroupExclusiveAdd(total))
    k.if(own.lt(DIGITS).and(lane.eq(RADIX_SUBGROUP - 1)), () =>
      sums.at(subgroup.rem(DIGITS / RADIX_SUBGROUP)).set(upTo.add(total)),
    )
    k.workgroupBarrier()
    k.if(own.lt(DIGITS), () => {
      const start = k.var('start', upTo)
      k.range('s', 0, subgroup, (s) => start.addAssign(sums.at(s.rem(DIGITS / RADIX_SUBGROUP))))
      shifts.at(own.rem(DIGITS)).set(starts.at(u32`${tile} * ${DIGITS} + ${own}`).sub(start))
      for (const s of each(SUBGROUPS)) {
        const count = pool.at(own.add(s * DIGITS))
        count.store(count.load().add(start))
      }
    })
    k.workgroupBarrier()

    const place = tuple(ROUNDS, (j) =>
      k.let(`place${j}`, rank[j].add(pool.at(u32`${subgroup} * ${DIGITS} + ${digitOf(key[j])}`).load())),
    )
    k.workgroupBarrier()
    for (const j of each(ROUNDS)) pool.at(place[j]).store(key[j])
    k.workgroupBarrier()
    const left = k.let('left', u32`min(${n} - ${tile} * ${TILE}, ${TILE})`)
    const target = tuple(ROUNDS, (j) => {
      const local = own.add(j * SIZE)
      const sorted = k.let(`sorted${j}`, pool.at(local).load())
      const at = k.let(`at${j}`, shifts.at(digitOf(sorted)).add(local))
      k.if(local.lt(left), () => sorted_keys.at(at).set(sorted))
      return at
    })
    const value = tuple(ROUNDS, (j) => {
      const i = first.add(j * RADIX_SUBGROUP)
      return k.let(
        `value${j}`,
        k.when(i.lt(n), () => values.at(i), 0),
      )
    })
    k.workgroupBarrier()
    for (const j of each(ROUNDS)) pool.at(place[j]).store(value[j])
    k.workgroupBarrier()
    for (const j of each(ROUNDS)) {
      const local = own.add(j * SIZE)
      k.if(local.lt(left), () => sorted_values.at(target[j]).set(pool.at(local).load()))
    }
  },
)
