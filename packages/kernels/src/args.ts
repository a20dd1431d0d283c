import type { BufferLike } from '@weft/runtime'
import { ArgumentError, badArgument, shown } from './errors'
import { bytesOf, type Given, isPlain } from './places'

/**
 * What host functions take, as tables: for each argument what it is and what it must be. One table for a function is checked as a whole
 * before anything is recorded, so that no function has to remember to.
 */

/** What a function does with a buffer. */
export type Access = 'read' | 'write' | 'update'

/** What an argument of type T must be. */
export interface Arg<T> {
  readonly optional: boolean
  /** Throws with the name of the function and of the argument. */
  readonly check: (what: string, name: string, value: unknown) => void
  /** Of a buffer. */
  readonly access?: Access
  /** Arguments whose buffer this one may be, in exactly the same range. */
  readonly over?: readonly string[]
  /** Of a list of words. */
  readonly words?: readonly string[]
  /** Of an object, where the value is one: what is in it. */
  readonly fields?: Args
  /** Of a list: what its elements are. */
  readonly each?: Arg<never>
  /** T is neither more nor less than the argument's type: a table that lacks a word is refused by the compiler. */
  readonly of?: (value: T) => T
}

/** A table, whatever it is of. */
export type Args = Readonly<Record<string, Arg<never>>>

type Exactly<T, K extends keyof T> =
  { [P in never]: P } extends Pick<T, K>
    ? Arg<Exclude<T[K], undefined>> & { readonly optional: true }
    : Arg<T[K]> & { readonly optional: false }

/** The table of T: every key, and what it is. */
export type Table<T> = { readonly [K in keyof T]-?: Exactly<T, K> }

/** The table of a function's arguments, or of an object in them: `argsOf<SaxpyArgs>({ x: input, y: updated, n: size, alpha: number })`. */
export const argsOf = <T>(table: Table<T>): Args => table as unknown as Args

type Required<T> = Arg<T> & { readonly optional: false }

/** The same argument where it may be left out. */
export const maybe = <T>(arg: Required<T>): Arg<T> & { readonly optional: true } => ({ ...arg, optional: true })

/** An argument that a test decides on, and words for what it must be. */
export function that<T>(must: string, test: (value: unknown) => boolean): Required<T> {
  const check = (what: string, name: string, value: unknown): void => {
    if (!test(value)) throw badArgument(`${what}: ${name} must be ${must}, got ${shown(value)}`)
  }
  return { optional: false, check }
}

/** Whether it is what a binding takes: a buffer of a runtime or of WebGPU, or a range of one. */
function isBuffer(value: unknown): value is BufferLike {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Array.isArray(value)) return false
  const { buffer, size } = value as { readonly buffer?: unknown; readonly size?: unknown }
  return buffer === undefined ? typeof size === 'number' : isBuffer(buffer)
}

function checkBuffer(what: string, name: string, value: unknown, note?: string): void {
  if (!isBuffer(value)) throw noBuffer(what, name, 'a buffer of the device', value, note)
  if ('buffer' in value) checkRange(what, name, value)
  else if ('destroyed' in value && value.destroyed)
    throw new ArgumentError({ code: 'buffer-destroyed', message: `${what}: ${name} was destroyed` })
}

const RANGE = ['buffer', 'offset', 'size']

/** Refuses a range that is none of its buffer. */
function checkRange(what: string, name: string, range: Extract<BufferLike, { readonly buffer: unknown }>): void {
  const { buffer, offset, size: bytes } = range
  if (isPlain(range)) checkKeys(`${what}: ${name}`, range, RANGE)
  checkBuffer(what, name, buffer)
  if (offset !== undefined) size.check(what, `${name}.offset`, offset)
  if (bytes !== undefined) size.check(what, `${name}.size`, bytes)
  const has = bytesOf(buffer as BufferLike)
  const [from, taken] = [offset ?? 0, bytes ?? Math.max(0, has - (offset ?? 0))]
  if (from + taken <= has) return
  throw new ArgumentError({
    code: 'binding-size',
    message: `${what}: ${name} must lie within its buffer of ${has} bytes, got ${taken} bytes from byte ${from}`,
  })
}

function noBuffer(what: string, name: string, must: string, value: unknown, note?: string): ArgumentError {
  const type = ArrayBuffer.isView(value) ? value.constructor.name : Array.isArray(value) ? 'Float32Array' : undefined
  const upload = type && (note ?? `upload it: runtime.buffer(new ${type}(…))`)
  return badArgument(`${what}: ${name} must be ${must}, got ${shown(value)}`, upload)
}

const buffer = (access: Access, over: readonly string[] = []): Required<BufferLike> => ({
  ...{ optional: false, check: checkBuffer, access },
  ...(over.length > 0 ? { over } : {}),
})

/** A buffer that is read. */
export const input = buffer('read')
/** One that is read, and a note for those who give what is still on the host. */
export const inputBy = (note: string): Required<BufferLike> => ({
  ...input,
  check: (what, name, value) => checkBuffer(what, name, value, note),
})
/** One that is written, all of it that the function speaks of. */
export const output = buffer('write')
/** One that is written, and may be the buffer of another argument: in place. */
export const outputOver = (...names: readonly string[]): Required<BufferLike> => buffer('write', names)
/** One that is changed, or written in part. */
export const updated = buffer('update')

const isNumber = (value: unknown): value is number => typeof value === 'number'
/** As f32: what it cannot hold is ∞. */
const isFinite32 = (value: unknown): value is number => isNumber(value) && Number.isFinite(Math.fround(value))
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value)

export const size = that<number>('an integer from 0 on', (x) => isInteger(x) && x >= 0)
export const count = that<number>('an integer from 1 on', (x) => isInteger(x) && x >= 1)
export const integer = that<number>('an integer', isInteger)
export const u32 = that<number>('an integer from 0 to 2³² − 1', (x) => isInteger(x) && x >= 0 && x < 2 ** 32)
export const number = that<number>('a finite number', isFinite32)
/** A limit, which may be ±∞. */
export const bound = that<number>('a number', (x) => isNumber(x) && !Number.isNaN(x))
export const positive = that<number>('a finite number above 0', (x) => isFinite32(x) && x > 0)
export const notNegative = that<number>('a finite number from 0 on', (x) => isFinite32(x) && x >= 0)
/** What divides by 1 − x, or drops: 1 itself is out. */
export const belowOne = that<number>('from 0 to below 1', (x) => isNumber(x) && x >= 0 && x < 1)
export const upToOne = that<number>('from 0 to 1', (x) => isNumber(x) && x >= 0 && x <= 1)
export const integerFrom = (low: number, high: number): Required<number> =>
  that(`an integer from ${low} to ${high}`, (x) => isInteger(x) && x >= low && x <= high)
export const flag = that<boolean>('true or false', (x) => typeof x === 'boolean')

/** One of some words: `oneOf('f32', 'f16')`. */
export const oneOf = <const T extends string>(...words: readonly T[]): Required<T> => ({
  ...that<T>(`one of ${words.join(', ')}`, (x) => words.includes(x as T)),
  words,
})

/** One of the formats of a function, where `others` are taken by other functions, which `by` names. */
export function formatOf<const T extends string>(
  words: readonly T[],
  others: readonly string[],
  by: string,
): Required<T> {
  const format = oneOf(...words)
  const check = (what: string, name: string, value: unknown): void => {
    if (others.includes(value as string))
      throw badArgument(`${what}: ${name} must be one of ${words.join(', ')}, got '${value}'`, `${by} take '${value}'`)
    format.check(what, name, value)
  }
  return { ...format, check }
}

/** Of matrices, images, rows: f32 where it is left out. */
export const floatType = maybe(oneOf('f32', 'f16'))
/** Of what is only moved. */
export const anyType = maybe(oneOf('f32', 'f16', 'i32', 'u32', 'bool'))

interface ArrayClass<T> {
  readonly name: string
  new (length: number): T
}

/** Data of the host, of one class: `typedArray(Uint32Array)`. */
export const typedArray = <T extends ArrayBufferView>(type: ArrayClass<T>): Required<T> =>
  that(shown(new type(0)), (x) => x instanceof type)

/** A list of numbers, each of which must be what `each` says; of `length` where that is given. */
export const listOf = <T extends readonly number[]>(each: Arg<number>, length?: number): Required<T> => {
  const must = length === 2 ? '[rows, columns]' : `an array${length === undefined ? '' : ` of ${length} numbers`}`
  const check = (what: string, name: string, value: unknown): void => {
    if (!Array.isArray(value) || (length !== undefined && value.length !== length))
      throw badArgument(`${what}: ${name} must be ${must}, got ${shown(value)}`)
    for (const [i, element] of value.entries()) each.check(what, `${name}[${i}]`, element)
  }
  return { optional: false, check }
}

type Pair = readonly [number, number]
/** Of an image: [rows, columns]. */
export const pair = listOf<Pair>(size, 2)
export const pairFrom1 = listOf<Pair>(count, 2)

/** A list whose elements are all the same: buffers, or objects. */
export const listOfArgs = <T>(each: Required<T>): Required<readonly T[]> => ({
  ...that<readonly T[]>('an array', Array.isArray),
  each: each as unknown as Arg<never>,
})

/** One, or a list of them. */
export const oneOrMore = <T>(each: Required<T>): Required<T | readonly T[]> => ({
  ...(each as unknown as Required<T | readonly T[]>),
  check: (what, name, value) => (Array.isArray(value) ? undefined : each.check(what, name, value)),
  each: each as unknown as Arg<never>,
})

/** An object with fields of its own: `{ data: x, scale: 0.5, zero: 3 }`. */
export const object = <T>(fields?: Args): Required<T> => ({
  ...that<T>('an object', (x) => typeof x === 'object' && x !== null && !Array.isArray(x) && !ArrayBuffer.isView(x)),
  ...(fields ? { fields } : {}),
})

/** A buffer, or an object with one as its `data`, which says where in it. */
export const bufferOr = <T>(whole: Required<BufferLike>, fields: Args): Required<T> => {
  const check = (what: string, name: string, value: unknown): void => {
    const isView = typeof value === 'object' && value !== null && 'data' in value
    if (isView) return
    if (!isBuffer(value)) throw noBuffer(what, name, 'a buffer of the device, or an object with one as its data', value)
    checkBuffer(what, name, value)
  }
  const { access, over } = whole
  return { optional: false, check, fields, ...(access ? { access } : {}), ...(over ? { over } : {}) }
}

const folded = (name: string): string => name.replaceAll('_', '').toLowerCase()

/** Whether all that differs is a letter too many, missing or wrong, or two that have changed places; never of words of one or two. */
function isClose(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length)
  let [head, tail] = [0, 0]
  while (head < shorter && a[head] === b[head]) head++
  while (tail < shorter - head && a.at(-1 - tail) === b.at(-1 - tail)) tail++
  const [x, y] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
  return shorter > 2 && (Math.max(x.length, y.length) < 2 || (x.length === 2 && `${x[1]}${x[0]}` === y))
}

/** Refuses what is no object, and one with a key that nobody reads: a name that is spelled wrong is not left out in silence. */
export function checkKeys(what: string, given: unknown, names: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badArgument(`${what}: takes an object with ${names.join(', ')}, got ${shown(given)}`)
  for (const key of Object.keys(given)) {
    if (names.includes(key)) continue
    const meant =
      names.find((name) => folded(name) === folded(key)) ?? names.find((name) => isClose(folded(name), folded(key)))
    throw badArgument(
      `${what}: there is no '${key}'${meant === undefined ? '' : `, did you mean '${meant}'?`}; known are ${names.join(', ')}`,
    )
  }
}

/** The keys of T, for functions on the host that are given numbers as they are: all of them, or the compiler refuses the list. */
export const keysOf = <T>(keys: { readonly [K in keyof T]-?: true }): readonly string[] => Object.keys(keys)

/** Checks values by a table, and what is in them; gives the buffers among them. */
export const checkFields = (what: string, given: unknown, args: Args): Given[] =>
  Object.entries(args).flatMap(([key, arg]) =>
    checkValue({ what, arg: key, name: key, offset: 0 }, (given as Readonly<Record<string, unknown>>)[key], arg),
  )

/** Whose value it is: of which argument, by which path, and where a view begins. */
type Place = Pick<Given, 'arg' | 'name' | 'offset'> & { readonly what: string }

function checkValue(place: Place, value: unknown, rule: Arg<never>): Given[] {
  const { optional, check, fields, each, access, over = [] } = rule
  if (value === undefined && optional) return []
  const { what, arg, name, offset } = place
  check(what, name, value)
  if (each && Array.isArray(value))
    return value.flatMap((element, i) => {
      const at = `${name}[${i}]`
      return checkValue({ what, arg: at, name: at, offset }, element, each)
    })
  if (fields && !(access && isBuffer(value))) {
    const values = value as Readonly<Record<string, unknown>>
    // another format has other keys: that is what is wrong, not the keys
    if (values.format !== undefined) fields.format?.check(what, `${name}.format`, values.format)
    checkKeys(`${what}: ${name}`, value, Object.keys(fields))
    return Object.entries(fields).flatMap(([key, field]) =>
      checkValue({ what, arg, name: `${name}.${key}`, offset: values.offset ?? 0 }, values[key], field),
    )
  }
  return access === undefined ? [] : [{ arg, name, buffer: value as BufferLike, access, over, offset }]
}
