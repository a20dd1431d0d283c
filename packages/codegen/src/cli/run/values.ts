import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  f16Bits,
  f16FromBits,
  factsOf,
  isValueName,
  laneCount,
  laneOffset,
  roundF16,
  type ScalarName,
} from '@weft/dsl/ir'
import type { CompiledBinding } from '../../artifact'
import { UsageError } from '../command'
import { textOf } from '../errors'

/** How the elements of a binding lie in memory; null for structs and what else has no plain lanes. */
export interface Elements {
  readonly scalar: ScalarName
  readonly stride: number
  readonly offsets: readonly number[]
}

export function elementsOf(binding: CompiledBinding): Elements | null {
  const { element, type, minBindingSize } = binding
  const name = (element?.type ?? type).replace(/^atomic<(.+)>$/, '$1')
  if (!isValueName(name)) return null
  const offsets = Array.from({ length: laneCount(name) }, (_, lane) => laneOffset(name, lane))
  return { scalar: factsOf(name).scalar, stride: element?.stride ?? minBindingSize, offsets }
}

/** The number of elements of a binding whose type says it, or null. */
function fixedCount({ type, element, minBindingSize }: CompiledBinding): number | null {
  if (element === null) return 1
  return /^array<.+, \d+>$/.test(type) ? minBindingSize / element.stride : null
}

export const SCALAR_BYTES = { f32: 4, f16: 2, i32: 4, u32: 4 } as const

export function setLane(view: DataView, at: number, scalar: ScalarName, value: number): void {
  if (scalar === 'f32') view.setFloat32(at, value, true)
  else if (scalar === 'f16') view.setUint16(at, f16Bits(roundF16(value)), true)
  else if (scalar === 'i32') view.setInt32(at, value, true)
  else view.setUint32(at, value, true)
}

export function getLane(view: DataView, at: number, scalar: ScalarName): number {
  if (scalar === 'f32') return view.getFloat32(at, true)
  if (scalar === 'f16') return f16FromBits(view.getUint16(at, true))
  return scalar === 'i32' ? view.getInt32(at, true) : view.getUint32(at, true)
}

/** All lanes of all elements, in order. */
export function decode(bytes: Uint8Array, { scalar, stride, offsets }: Elements): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = Math.floor(bytes.byteLength / stride)
  const out = new Float64Array(count * offsets.length)
  for (let i = 0; i < count; i++) {
    offsets.forEach((at, lane) => {
      out[i * offsets.length + lane] = getLane(view, i * stride + at, scalar)
    })
  }
  return out
}

/** What `bits` makes of a seed. */
export const keyOf = (seed: number): number => Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0

/** 32 well-mixed bits of a seed and a counter, so that every machine draws the same numbers; tune/fill.ts draws them too. */
function bits(seed: number, counter: number): number {
  let x = keyOf(seed) ^ counter
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad)
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97)
  return (x ^ (x >>> 15)) >>> 0
}

/** The number at a place. Of random ones, floats are in [-1, 1), in steps that both types hold exactly, integers in [0, 256). */
export const FILLS: Readonly<Record<string, (seed: number, scalar: ScalarName) => (i: number) => number>> = {
  zeros: () => () => 0,
  ones: () => () => 1,
  iota: () => (i) => i,
  random: (seed, scalar) => {
    if (scalar === 'f32') return (i) => (bits(seed, i) >>> 8) * 2 ** -23 - 1
    if (scalar === 'f16') return (i) => (bits(seed, i) >>> 21) * 2 ** -10 - 1
    return (i) => bits(seed, i) >>> 24
  },
}

const FORMS = 'zeros:COUNT, ones:COUNT, iota:COUNT, random:COUNT[:SEED] or file:PATH'

/** The bytes for a binding by what the command line says of it. */
export function bytesFor(binding: CompiledBinding, spec: string, cwd: string): Uint8Array<ArrayBuffer> {
  const [kind = '', ...rest] = spec.split(':')
  if (kind === 'file') return contentOf(rest.join(':'), binding.name, cwd)
  const fill = FILLS[kind]
  if (fill === undefined) throw new UsageError(`--${binding.name} is '${spec}', expected ${FORMS}`)
  const count = countOf(binding, rest[0])
  const seed = whole(rest[1] ?? '1', `the seed of --${binding.name}`)
  const elements = elementsOf(binding)
  const stride = elements?.stride ?? binding.element?.stride ?? binding.minBindingSize
  const bytes = new Uint8Array(Math.ceil((count * stride) / 4) * 4)
  if (elements === null) {
    if (kind === 'zeros') return bytes
    throw new UsageError(
      `--${binding.name} has elements of type ${binding.element?.type ?? binding.type}: only zeros:COUNT and file:PATH are for these`,
    )
  }
  const view = new DataView(bytes.buffer)
  const value = fill(seed, elements.scalar)
  for (let i = 0; i < count; i++) {
    elements.offsets.forEach((at, lane) => {
      setLane(view, i * stride + at, elements.scalar, value(i * elements.offsets.length + lane))
    })
  }
  return bytes
}

function contentOf(path: string, name: string, cwd: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(resolve(cwd, path)))
  } catch (error) {
    throw new UsageError(`--${name} is the content of '${path}', which cannot be read: ${textOf(error)}`)
  }
}

function countOf(binding: CompiledBinding, given: string | undefined): number {
  const fixed = fixedCount(binding)
  if (given !== undefined) return whole(given, `the count of --${binding.name}`)
  if (fixed !== null) return fixed
  throw new UsageError(`--${binding.name} is an array of any length: say how many elements, as zeros:1000`)
}

function whole(text: string, what: string): number {
  const n = Number(text)
  if (text !== '' && Number.isSafeInteger(n) && n >= 0) return n
  throw new UsageError(`${what} is '${text}', expected a whole number`)
}
