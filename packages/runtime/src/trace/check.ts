import type { CompiledKernel } from '@weft/codegen'
import { fault, shown } from '../errors'
import type { DispatchStep, Step, Trace, TracedBinding, TracedBuffer } from './trace'

/**
 * Readers of plain data that came from a file. Each takes a value with its place, and gives it with its type or throws
 * `bad-trace`, which names the place.
 */
type Reader<T> = (value: unknown, at: string) => T

const wrong = (at: string, value: unknown, expected: string) =>
  fault('bad-trace', `${at} is ${Array.isArray(value) ? 'a list' : shown(value)}, expected ${expected}`)

const text: Reader<string> = (value, at) => {
  if (typeof value !== 'string') throw wrong(at, value, 'a text')
  return value
}

const number: Reader<number> = (value, at) => {
  if (typeof value !== 'number') throw wrong(at, value, 'a number')
  return value
}

/** A whole number from 0 up to, and without, `end`. */
const whole =
  (end: number = Number.MAX_SAFE_INTEGER): Reader<number> =>
  (value, at) => {
    if (Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < end) return value as number
    throw wrong(at, value, end === Number.MAX_SAFE_INTEGER ? 'a whole number' : `a whole number below ${end}`)
  }

const matching =
  (pattern: RegExp, expected: string): Reader<string> =>
  (value, at) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw wrong(at, value, expected)
    return value
  }

const record = (value: unknown, at: string): Readonly<Record<string, unknown>> => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(at, value, 'an object')
  return value as Record<string, unknown>
}

const list =
  <T>(item: Reader<T>): Reader<readonly T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw wrong(at, value, 'a list')
    return value.map((entry, i) => item(entry, `${at}[${i}]`))
  }

const byName =
  <T>(item: Reader<T>): Reader<Readonly<Record<string, T>>> =>
  (value, at) =>
    Object.fromEntries(Object.entries(record(value, at)).map(([name, entry]) => [name, item(entry, `${at}.${name}`)]))

export const sum = matching(/^[0-9a-f]{32}$/, 'a sum of 32 hexadecimal digits')

/** So many bytes in hexadecimal digits. */
const hex = (size: number): Reader<string> =>
  matching(new RegExp(`^[0-9a-f]{${2 * size}}$`), `${size} bytes in hexadecimal digits`)

const bufferOf: Reader<TracedBuffer> = (value, at) => {
  const { label, size } = record(value, at)
  return { label: text(label, `${at}.label`), size: whole()(size, `${at}.size`) }
}

/** An artifact of the compiler; of what it says, only what a replay looks at first. */
const kernelOf: Reader<CompiledKernel> = (value, at) => {
  const kernel = record(value, at)
  if (kernel.format !== 1) throw wrong(`${at}.format`, kernel.format, '1')
  text(kernel.name, `${at}.name`)
  for (const field of ['bindings', 'variants', 'overrides'] as const) list(record)(kernel[field], `${at}.${field}`)
  list(list(text))(kernel.aliases, `${at}.aliases`)
  if (kernel.params !== null) {
    const { size, fields } = record(kernel.params, `${at}.params`)
    const end = whole(2 ** 16)(size, `${at}.params.size`) + 1
    list((value, place) => {
      const field = record(value, place)
      text(field.type, `${place}.type`)
      for (const part of ['offset', 'size'] as const) whole(end)(field[part], `${place}.${part}`)
    })(fields, `${at}.params.fields`)
  }
  return kernel as unknown as CompiledKernel
}

const bindingOf =
  (buffers: readonly TracedBuffer[]): Reader<TracedBinding> =>
  (value, at) => {
    const bound = record(value, at)
    if (bound.texture === true) return { texture: true }
    const buffer = whole(buffers.length)(bound.buffer, `${at}.buffer`)
    const offset = whole()(bound.offset, `${at}.offset`)
    const size = whole()(bound.size, `${at}.size`)
    const most = buffers[buffer]?.size ?? 0
    if (offset + size > most) throw wrong(at, `${offset} + ${size}`, `a range of ${most} bytes`)
    return { buffer, offset, size }
  }

const workgroupsOf: Reader<DispatchStep['workgroups']> = (value, at) => {
  const [x, y, z, ...more] = list(whole(2 ** 32))(value, at)
  if (x === undefined || y === undefined || z === undefined || more.length > 0)
    throw wrong(at, value, 'a list of three')
  return [x, y, z]
}

/** Steps refer to kernels and buffers. */
function stepOf(kernels: readonly CompiledKernel[], buffers: readonly TracedBuffer[]): Reader<Step> {
  const buffer = whole(buffers.length)
  const sums: Reader<DispatchStep['before']> = list((value, at) => {
    if (!Array.isArray(value) || value.length !== 2) throw wrong(at, value, 'a buffer and a sum')
    return [buffer(value[0], `${at}[0]`), sum(value[1], `${at}[1]`)] as const
  })
  return (value, at) => {
    const step = record(value, at)
    if (step.kind === 'write')
      return { kind: 'write', buffer: buffer(step.buffer, `${at}.buffer`), content: sum(step.content, `${at}.content`) }
    if (step.kind !== 'dispatch') throw wrong(`${at}.kind`, step.kind, "'write' or 'dispatch'")
    const kernel = whole(kernels.length)(step.kernel, `${at}.kernel`)
    return {
      kind: 'dispatch',
      kernel,
      variant: text(step.variant, `${at}.variant`),
      overrides: byName(number)(step.overrides, `${at}.overrides`),
      params: hex(kernels[kernel]?.params?.size ?? 0)(step.params, `${at}.params`),
      bindings: byName(bindingOf(buffers))(step.bindings, `${at}.bindings`),
      workgroups: workgroupsOf(step.workgroups, `${at}.workgroups`),
      before: sums(step.before, `${at}.before`),
      after: sums(step.after, `${at}.after`),
    }
  }
}

/** Where the contents lie behind the header: offset and size in bytes, by sum. */
export type Places = Readonly<Record<string, readonly [offset: number, size: number]>>

/** The header of a file, checked. Throws `bad-trace`, which names the place that is wrong. */
export function checkHeader(value: unknown): { readonly trace: Omit<Trace, 'contents'>; readonly places: Places } {
  const header = record(value, 'the header')
  const kernels = list(kernelOf)(header.kernels, 'kernels')
  const buffers = list(bufferOf)(header.buffers, 'buffers')
  const places = byName((place, at) => {
    const [offset, size, ...more] = list(whole())(place, at)
    if (offset === undefined || size === undefined || more.length > 0) throw wrong(at, place, 'an offset and a size')
    return [offset, size] as const
  })(header.contents, 'contents')
  for (const name of Object.keys(places)) sum(name, 'the name of a content')
  const steps = list(stepOf(kernels, buffers))(header.steps, 'steps')
  return { trace: { format: 1, engine: text(header.engine, 'engine'), kernels, buffers, steps }, places }
}
