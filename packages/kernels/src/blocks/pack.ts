import { oneOf } from '../args'
import { badArgument, shown } from '../errors'
import { expectLength } from '../expect-length'
import { fromHalf, roundEven, toHalf } from '../parts/half'
import { BLOCK_NAMES, BLOCKS, type BlockName } from './layout'

/**
 * llama.cpp's blocks on the host: from floats, and to float64. Q4_0, Q5_0 and Q8_0 are quantized bit for bit as llama.cpp's reference does;
 * for the blocks of 256 it searches for the best scales, which is here by least and greatest value alone: valid blocks, with a little more
 * error.
 */

type Numbers = readonly number[]

const clamp = (x: number, low: number, high: number): number => Math.min(Math.max(x, low), high)
const halfRounded = (x: number): number => fromHalf(toHalf(x))

/** The value of the greatest size, with its sign. */
const extreme = (x: Numbers): number => x.reduce((most, v) => (Math.abs(v) > Math.abs(most) ? v : most), 0)

function putHalf(block: Uint8Array, at: number, value: number): void {
  const bits = toHalf(value)
  block[at] = bits & 255
  block[at + 1] = bits >> 8
}

const half = (block: Uint8Array, at: number): number => fromHalf(block[at]! | (block[at + 1]! << 8))

/** Two places 16 apart share a byte. */
function putNibbles(block: Uint8Array, at: number, q: Numbers): void {
  for (let j = 0; j < 16; j++) block[at + j] = (q[j]! & 15) | ((q[j + 16]! & 15) << 4)
}

/** q with a middle that stands for 0: the value of the greatest size becomes the least integer. */
function centered(x: Numbers, middle: number): { readonly d: number; readonly q: Numbers } {
  const d = Math.fround(extreme(x) / -middle)
  const inverse = d === 0 ? 0 : Math.fround(1 / d)
  return { d, q: x.map((v) => clamp(Math.trunc(v * inverse + middle + 0.5), 0, 2 * middle - 1)) }
}

/** Scales and minima of eight groups of 32 in 6 bits each, and what they come to. */
function affineGroups(x: Numbers, most: number) {
  const groups = Array.from({ length: 8 }, (_, g) => {
    const values = x.slice(32 * g, 32 * g + 32)
    const least = Math.min(0, ...values)
    return { values, scale: (Math.max(0, ...values) - least) / most, min: -least }
  })
  const d = halfRounded(Math.max(...groups.map(({ scale }) => scale)) / 63)
  const dmin = halfRounded(Math.max(...groups.map(({ min }) => min)) / 63)
  const scales = groups.map(({ scale }) => (d === 0 ? 0 : clamp(roundEven(scale / d), 0, 63)))
  const mins = groups.map(({ min }) => (dmin === 0 ? 0 : clamp(roundEven(min / dmin), 0, 63)))
  const q = groups.flatMap(({ values }, g) => {
    const step = d * scales[g]!
    return values.map((v) => (step === 0 ? 0 : clamp(roundEven((v + dmin * mins[g]!) / step), 0, most)))
  })
  return { d, dmin, scales, mins, q }
}

/** The six bits of eight scales and eight minima in 12 bytes. */
function putScales(block: Uint8Array, at: number, scales: Numbers, mins: Numbers): void {
  for (let g = 0; g < 4; g++) {
    block[at + g] = scales[g]! | ((scales[g + 4]! >> 4) << 6)
    block[at + 4 + g] = mins[g]! | ((mins[g + 4]! >> 4) << 6)
    block[at + 8 + g] = (scales[g + 4]! & 15) | ((mins[g + 4]! & 15) << 4)
  }
}

function packAffine(block: Uint8Array, x: Numbers, bits: 4 | 5): void {
  const { d, dmin, scales, mins, q } = affineGroups(x, 2 ** bits - 1)
  putHalf(block, 0, d)
  putHalf(block, 2, dmin)
  putScales(block, 4, scales, mins)
  const nibbles = bits === 5 ? 48 : 16
  q.forEach((v, j) => {
    const [group, l] = [Math.floor(j / 32), j % 32]
    block[nibbles + Math.floor(group / 2) * 32 + l]! |= (v & 15) << (4 * (group % 2))
    if (bits === 5) block[16 + l]! |= (v >> 4) << group
  })
}

function packQ6(block: Uint8Array, x: Numbers): void {
  const own = Array.from({ length: 16 }, (_, g) => extreme(x.slice(16 * g, 16 * g + 16)) / -32)
  const d = halfRounded(extreme(own) / -128)
  const scales = own.map((s) => (d === 0 ? 0 : clamp(roundEven(s / d), -128, 127)))
  scales.forEach((s, g) => {
    block[192 + g] = s & 255
  })
  putHalf(block, 208, d)
  x.forEach((v, j) => {
    const step = d * scales[Math.floor(j / 16)]!
    const q = step === 0 ? 32 : clamp(roundEven(v / step) + 32, 0, 63)
    const [part, l] = [Math.floor(j / 128), j % 128]
    block[64 * part + (l % 64)]! |= (q & 15) << (4 * Math.floor(l / 64))
    block[128 + 32 * part + (l % 32)]! |= (q >> 4) << (2 * Math.floor(l / 32))
  })
}

const PACK: Readonly<Record<BlockName, (block: Uint8Array, x: Numbers) => void>> = {
  q4_0: (block, x) => {
    const { d, q } = centered(x, 8)
    putHalf(block, 0, d)
    putNibbles(block, 2, q)
  },
  q5_0: (block, x) => {
    const { d, q } = centered(x, 16)
    putHalf(block, 0, d)
    putNibbles(block, 6, q)
    q.forEach((v, j) => {
      block[2 + (j >> 3)]! |= (v >> 4) << (j % 8)
    })
  },
  q8_0: (block, x) => {
    const d = Math.fround(Math.abs(extreme(x)) / 127)
    const inverse = d === 0 ? 0 : Math.fround(1 / d)
    putHalf(block, 0, d)
    x.forEach((v, j) => {
      const size = Math.fround(Math.abs(v) * inverse)
      // halves go away from 0
      block[2 + j] = (Math.sign(v) * Math.floor(size + 0.5)) & 255
    })
  },
  q4_k: (block, x) => packAffine(block, x, 4),
  q5_k: (block, x) => packAffine(block, x, 5),
  q6_k: packQ6,
}

function scaleAndMin(block: Uint8Array, g: number): readonly [scale: number, min: number] {
  const at = (i: number): number => block[4 + i]!
  if (g < 4) return [at(g) & 63, at(g + 4) & 63]
  return [(at(g + 4) & 15) | ((at(g - 4) >> 6) << 4), (at(g + 4) >> 4) | ((at(g) >> 6) << 4)]
}

function affineValue(block: Uint8Array, j: number, nibbles: number): number {
  const [group, l] = [Math.floor(j / 32), j % 32]
  const [scale, min] = scaleAndMin(block, group)
  const low = (block[nibbles + Math.floor(group / 2) * 32 + l]! >> (4 * (group % 2))) & 15
  const high = nibbles === 48 ? (block[16 + l]! >> group) & 1 : 0
  return half(block, 0) * scale * (low + 16 * high) - half(block, 2) * min
}

const nibble = (block: Uint8Array, at: number, j: number): number => (block[at + (j % 16)]! >> (j < 16 ? 0 : 4)) & 15

const VALUE: Readonly<Record<BlockName, (block: Uint8Array, j: number) => number>> = {
  q4_0: (block, j) => (nibble(block, 2, j) - 8) * half(block, 0),
  q5_0: (block, j) => (nibble(block, 6, j) + 16 * ((block[2 + (j >> 3)]! >> (j % 8)) & 1) - 16) * half(block, 0),
  q8_0: (block, j) => ((block[2 + j]! << 24) >> 24) * half(block, 0),
  q4_k: (block, j) => affineValue(block, j, 16),
  q5_k: (block, j) => affineValue(block, j, 48),
  q6_k: (block, j) => {
    const [part, l] = [Math.floor(j / 128), j % 128]
    const low = (block[64 * part + (l % 64)]! >> (4 * Math.floor(l / 64))) & 15
    const high = (block[128 + 32 * part + (l % 32)]! >> (2 * Math.floor(l / 32))) & 3
    const scale = (block[192 + Math.floor(j / 16)]! << 24) >> 24
    return half(block, 208) * scale * (low + 16 * high - 32)
  },
}

const FORMAT = oneOf(...BLOCK_NAMES)

/** Where the scales of a block are. */
const SCALES: Readonly<Record<BlockName, readonly number[]>> = {
  ...{ q4_0: [0], q5_0: [0], q8_0: [0] },
  ...{ q4_k: [0, 2], q5_k: [0, 2], q6_k: [208] },
}

/** Refuses values that leave a block without a scale. */
function checkBlock(format: BlockName, blocks: Uint8Array, x: ArrayLike<number>, b: number): void {
  const { size, bytes } = BLOCKS[format]
  const block = blocks.subarray(b * bytes, (b + 1) * bytes)
  if (SCALES[format].every((at) => Number.isFinite(half(block, at)))) return
  const values = valuesOf(x, b, size)
  const i = values.indexOf(extreme(values))
  throw badArgument(
    `packBlocks: x[${b * size + i}] is ${values[i]}, and the scale of its block, an f16, would become Infinity`,
  )
}

function expectList(what: string, name: string, list: unknown): void {
  if (typeof list === 'object' && Number.isSafeInteger((list as ArrayLike<unknown> | null)?.length)) return
  throw badArgument(`${what}: ${name} must be an array, got ${shown(list)}`)
}

/** Blocks of any values, to the bit what the device makes of them, which refuses none. */
export function blocksOf(format: BlockName, x: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  const { size, bytes } = BLOCKS[format]
  const out = new Uint8Array((x.length / size) * bytes)
  for (let b = 0; b * size < x.length; b++) PACK[format](out.subarray(b * bytes, (b + 1) * bytes), valuesOf(x, b, size))
  return out
}

const valuesOf = (x: ArrayLike<number>, block: number, size: number): number[] =>
  Array.from({ length: size }, (_, j) => x[block * size + j] as number)

/** Values as blocks, of which there must be a whole number; finite, and none that is too large for a scale in f16. */
export function packBlocks(format: BlockName, x: ArrayLike<number>): Uint8Array<ArrayBuffer> {
  FORMAT.check('packBlocks', 'format', format)
  expectList('packBlocks', 'x', x)
  const { size } = BLOCKS[format]
  if (x.length % size !== 0)
    throw badArgument(`packBlocks: ${format} takes a multiple of ${size} values, got ${x.length}`)
  for (let i = 0; i < x.length; i++)
    if (!Number.isFinite(x[i])) throw badArgument(`packBlocks: x[${i}] must be a finite number, got ${shown(x[i])}`)
  const out = blocksOf(format, x)
  for (let b = 0; b * size < x.length; b++) checkBlock(format, out, x, b)
  return out
}

/** The float64 values of `n` elements in blocks. */
export function unpackBlocks(format: BlockName, blocks: Uint8Array, n: number): Float64Array {
  FORMAT.check('unpackBlocks', 'format', format)
  expectList('unpackBlocks', 'blocks', blocks)
  const { size, bytes } = BLOCKS[format]
  if (n % size !== 0) throw badArgument(`unpackBlocks: ${format} has a multiple of ${size} values, got ${n}`)
  expectLength('blocks', blocks, (n / size) * bytes)
  return Float64Array.from({ length: n }, (_, i) => {
    const at = Math.floor(i / size) * bytes
    return VALUE[format](blocks.subarray(at, at + bytes), i % size)
  })
}
