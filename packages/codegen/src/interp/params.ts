import {
  type Field,
  f16FromBits,
  factsOf,
  type Kernel,
  membersOf,
  type OverrideDecl,
  roundF16,
  spell,
  type Type,
  WeftError,
} from '@weft/dsl/ir'
import type { ParamsLayout } from '../artifact'
import { elementsOf, type Lane, lanesOf } from './shape'

/** Params and overrides as the host gives them, turned into lists of lanes. */

export type ParamValues = Readonly<Record<string, number | boolean | readonly number[]>>

const fault = (message: string, note?: string): never => {
  throw new WeftError({ code: 'bad-param', message, ...(note ? { note } : {}) })
}

/** The lanes of all params in order, from values by name. */
export function lanesFromValues(params: readonly Field[], values: ParamValues): number[] {
  const unknown = Object.keys(values).find((name) => !params.some((p) => p.name === name))
  if (unknown !== undefined)
    fault(`there is no param '${unknown}'`, `the params are: ${params.map((p) => p.name).join(', ') || 'none'}`)
  return params.flatMap((p) => {
    const given = values[p.name]
    if (given === undefined) return fault(`param '${p.name}' is missing`)
    const list = typeof given === 'object' ? given : [Number(given)]
    const lanes = lanesOf(p.type)
    if (list.length !== lanes.length)
      fault(`param '${p.name}' of type ${spell(p.type)} has ${lanes.length} lanes, ${list.length} were given`)
    return lanes.map(({ scalar }, i) => checked(p.name, scalar, list[i] as number))
  })
}

function checked(name: string, scalar: Lane['scalar'], x: number): number {
  const refuse = (): never => fault(`param '${name}' is ${x}, which ${scalar} cannot hold`)
  switch (scalar) {
    case 'i32':
      return Number.isInteger(x) && x >= -2147483648 && x <= 2147483647 ? x : refuse()
    case 'u32':
      return Number.isInteger(x) && x >= 0 && x <= 4294967295 ? x : refuse()
    case 'bool':
      return x ? 1 : 0
    case 'f16':
      return roundF16(x)
    case 'f32':
      return Math.fround(x)
  }
}

/** The lanes of all params in order, from the bytes of a uniform block. */
export function lanesFromBytes(params: readonly Field[], bytes: Uint8Array, layout: ParamsLayout | null): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return membersOf({ fields: params }).flatMap((p) => {
    const field = layout?.fields.find((f) => f.name === p.name)
    return offsetsOf(p.type, field?.size ?? null).map(({ scalar, offset }) => {
      const at = (field?.offset ?? p.offset) + offset
      if (at + (scalar === 'f16' ? 2 : 4) > bytes.byteLength)
        return fault(`the params have ${bytes.byteLength} bytes, too few for '${p.name}'`)
      return get(view, scalar, at)
    })
  })
}

/** The lanes of a param in its block, where arrays may have a wider stride than elsewhere. */
function offsetsOf(type: Type, size: number | null): readonly Lane[] {
  if (size === null || typeof type === 'string' || type.kind !== 'array') return lanesOf(type)
  const count = elementsOf(type).count ?? 1
  const stride = Math.floor(size / count)
  const element = lanesOf(type.of)
  return Array.from({ length: count }, (_, i) => element.map((l) => ({ ...l, offset: l.offset + i * stride }))).flat()
}

function get(view: DataView, scalar: Lane['scalar'], at: number): number {
  switch (scalar) {
    case 'f16':
      return f16FromBits(view.getUint16(at, true))
    case 'f32':
      return view.getFloat32(at, true)
    case 'i32':
      return view.getInt32(at, true)
    default:
      return view.getUint32(at, true)
  }
}

/** The value of every override: what is given, or the default. Names or `@id` numbers are keys. */
export function overrideValues(kernel: Kernel, given: Readonly<Record<string, number>>): Record<string, number> {
  const keys = new Set(kernel.overrides.flatMap((o) => (o.id === null ? [o.name] : [o.name, String(o.id)])))
  const unknown = Object.keys(given).find((name) => !keys.has(name))
  if (unknown !== undefined)
    throw new WeftError({ code: 'bad-override', message: `kernel '${kernel.name}' has no override '${unknown}'` })
  return Object.fromEntries(kernel.overrides.map((o) => [o.name, overrideValue(kernel, o, given)]))
}

function overrideValue(kernel: Kernel, o: OverrideDecl, given: Readonly<Record<string, number>>): number {
  const value = given[o.name] ?? (o.id === null ? undefined : given[String(o.id)]) ?? o.default
  if (value === null || value === undefined) {
    throw new WeftError({
      code: 'bad-override',
      message: `kernel '${kernel.name}' needs a value for override '${o.name}'`,
    })
  }
  const { scalar } = factsOf(o.type)
  const isInteger = scalar === 'i32' || scalar === 'u32'
  const [low, high] = scalar === 'i32' ? [-2147483648, 2147483647] : [0, 4294967295]
  if (Number.isNaN(value) || (isInteger && !(Number.isInteger(value) && value >= low && value <= high))) {
    throw new WeftError({
      code: 'bad-override',
      message: `override '${o.name}' is ${value}, which ${scalar} cannot hold`,
    })
  }
  return scalar === 'bool'
    ? value
      ? 1
      : 0
    : scalar === 'f16'
      ? roundF16(value)
      : scalar === 'f32'
        ? Math.fround(value)
        : value
}
