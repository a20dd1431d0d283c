/** Random programs: steps over a few buffers, each of which may become another buffer on the way. */
import fc from 'fast-check'

export const SLOTS = 5

/** A buffer: so many u32, from a seed or all 0. */
export interface Fresh {
  readonly size: number
  readonly seed: number | null
}

export type Step =
  | { readonly op: 'new'; readonly slot: number; readonly fresh: Fresh }
  /** A buffer that need not be 0, since a kernel overwrites it at once. */
  | { readonly op: 'overwrite'; readonly slot: number; readonly size: number; readonly value: number }
  | { readonly op: 'fill'; readonly out: number; readonly value: number }
  /** In place where x and y are the same. A prepared one runs as often as `times` says, with b, b + 1, … */
  | {
      readonly op: 'affine'
      readonly x: number
      readonly y: number
      readonly a: number
      readonly b: number
      readonly times: number
    }
  | { readonly op: 'combine'; readonly p: number; readonly q: number; readonly out: number; readonly shift: number }
  /** y = a · x + b, out = combine(y, x), a copy of out's first half into `to`; replayed with b, b + 1, … */
  | {
      readonly op: 'record'
      readonly x: number
      readonly y: number
      readonly out: number
      readonly to: number
      readonly a: number
      readonly b: number
      readonly times: number
    }
  | { readonly op: 'accumulate'; readonly x: number; readonly sum: number }
  | { readonly op: 'scatter'; readonly x: number; readonly out: number }
  | { readonly op: 'histogram'; readonly x: number; readonly counts: number }
  /** Bytes at any place; both are reduced to what there is. */
  | {
      readonly op: 'write'
      readonly slot: number
      readonly offset: number
      readonly length: number
      readonly seed: number
    }
  | { readonly op: 'read'; readonly slots: readonly number[] }
  | { readonly op: 'begin' }
  | { readonly op: 'end' }
  | { readonly op: 'flush' }

export interface Program {
  readonly start: readonly Fresh[]
  readonly steps: readonly Step[]
}

const slot = fc.nat(SLOTS - 1)
const u32 = fc.nat(0xffffffff)
const size = fc.constantFrom(1, 2, 3, 31, 64, 65, 100, 257)
const fresh: fc.Arbitrary<Fresh> = fc.record({ size, seed: fc.option(u32) })
const constant = <O extends string>(op: O) => fc.constant(op)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ op: constant('new'), slot, fresh }) },
  { weight: 2, arbitrary: fc.record({ op: constant('overwrite'), slot, size, value: u32 }) },
  { weight: 2, arbitrary: fc.record({ op: constant('fill'), out: slot, value: u32 }) },
  {
    weight: 6,
    arbitrary: fc.record({
      op: constant('affine'),
      x: slot,
      y: slot,
      a: fc.nat(5),
      b: u32,
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      op: constant('record'),
      x: slot,
      y: slot,
      out: slot,
      to: slot,
      a: fc.nat(5),
      b: fc.nat(1000),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ op: constant('combine'), p: slot, q: slot, out: slot, shift: fc.nat(300) }) },
  { weight: 3, arbitrary: fc.record({ op: constant('accumulate'), x: slot, sum: slot }) },
  { weight: 2, arbitrary: fc.record({ op: constant('scatter'), x: slot, out: slot }) },
  { weight: 2, arbitrary: fc.record({ op: constant('histogram'), x: slot, counts: slot }) },
  {
    weight: 4,
    arbitrary: fc.record({ op: constant('write'), slot, offset: fc.nat(1100), length: fc.nat(40), seed: u32 }),
  },
  { weight: 2, arbitrary: fc.record({ op: constant('read'), slots: fc.array(slot, { minLength: 1, maxLength: 3 }) }) },
  { weight: 3, arbitrary: fc.record({ op: constant('begin') }) },
  { weight: 2, arbitrary: fc.record({ op: constant('end') }) },
  { weight: 1, arbitrary: fc.record({ op: constant('flush') }) },
)

export const program: fc.Arbitrary<Program> = fc.record({
  start: fc.array(fresh, { minLength: SLOTS, maxLength: SLOTS }),
  steps: fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }),
})

/** Numbers from a seed, the same everywhere. */
export function numbers(length: number, seed: number): Uint32Array<ArrayBuffer> {
  let state = seed | 1
  return Uint32Array.from({ length }, () => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9
    return state >>> 0
  })
}

export const contentOf = ({ size: length, seed }: Fresh): Uint32Array<ArrayBuffer> =>
  seed === null ? new Uint32Array(length) : numbers(length, seed)

/** What of a write stays within a buffer of so many bytes. */
export function written(bytes: number, { offset, length, seed }: { offset: number; length: number; seed: number }) {
  const at = offset % bytes
  const data = new Uint8Array(numbers(length, seed).buffer).subarray(0, Math.min(length, bytes - at))
  return { at, data }
}

/** Whether the four slots of a recording are apart where they must be. */
export const recordable = ({ x, y, out, to }: { x: number; y: number; out: number; to: number }): boolean =>
  out !== x && out !== y && to !== out

/** How many elements a recording copies. */
export const copied = (out: number, to: number): number => Math.min(Math.ceil(out / 2), to)

/** How many elements a scatter of x into out can place. */
export const scattered = (x: number, out: number): number => Math.min(x, Math.floor((out - 1) / 3) + 1)
