import { factsOf, isValueName, laneCount, laneOffset, type ScalarName } from '@weft/dsl/ir'
import type { ParamField, ParamsLayout } from '../../artifact'
import { key, quote } from './literal'

/** A field of the params block: its scalars and where each goes. */
interface Packed extends ParamField {
  readonly scalar: ScalarName
  readonly offsets: readonly number[]
}

function packed(field: ParamField): Packed {
  const array = /^array<(.+), (\d+)>$/.exec(field.type)
  const type = array?.[1] ?? field.type
  if (!isValueName(type)) throw new RangeError(`the param '${field.name}' has type ${field.type}, which has no packer`)
  const length = Number(array?.[2] ?? 1)
  // elements of uniform arrays are padded, so the stride is what the layout leaves
  const stride = field.size / length
  const lanes = Array.from({ length: laneCount(type) }, (_, lane) => laneOffset(type, lane))
  const offsets = Array.from({ length }, (_, i) => lanes.map((at) => field.offset + i * stride + at)).flat()
  return { ...field, scalar: factsOf(type).scalar, offsets }
}

const isScalar = ({ type }: ParamField): boolean => ['bool', 'f16', 'f32', 'i32', 'u32'].includes(type)

export const usesHalf = (layout: ParamsLayout | null): boolean =>
  layout?.fields.some((field) => packed(field).scalar === 'f16') ?? false

/** The members of `interface Params`. */
export const paramMembers = (layout: ParamsLayout): { name: string; type: string; docs: string[] }[] =>
  layout.fields.map((field) => {
    const { scalar, offsets } = packed(field)
    const element = scalar === 'bool' ? 'boolean' : 'number'
    const doc = isScalar(field) ? field.type : `${field.type}: ${offsets.length} lanes in order`
    return { name: key(field.name), type: isScalar(field) ? element : `ArrayLike<${element}>`, docs: [doc] }
  })

const WRITE: Readonly<Record<ScalarName, (at: string, value: string, name: string) => string>> = {
  f32: (at, value, name) => `view.setFloat32(${at}, float(${value}, ${name}), true)`,
  f16: (at, value, name) => `view.setUint16(${at}, half(${value}, ${name}), true)`,
  u32: (at, value, name) => `view.setUint32(${at}, integer(${value}, ${name}, 0, 4294967295), true)`,
  i32: (at, value, name) => `view.setInt32(${at}, integer(${value}, ${name}, -2147483648, 2147483647), true)`,
  bool: (at, value, name) => `view.setUint32(${at}, flag(${value}, ${name}), true)`,
}

/** Statements that write `params` through `view`. */
export function packStatements(layout: ParamsLayout): string[] {
  return layout.fields.flatMap((field) => {
    const { name, scalar, offsets } = packed(field)
    const value = key(name) === name ? `params.${name}` : `params[${quote(name)}]`
    if (isScalar(field)) return [WRITE[scalar](String(offsets[0]), value, quote(name))]
    return [
      `lanes(${value}, ${quote(name)}, [${offsets.join(', ')}]).forEach(([at, value, name]) => {`,
      `  ${WRITE[scalar]('at', 'value', 'name')}`,
      '})',
    ]
  })
}

/** The functions that `packStatements` calls, of this layout only. */
export function packFunctions(layout: ParamsLayout): string {
  const scalars = new Set(layout.fields.map((field) => packed(field).scalar))
  const parts: string[] = []
  if (scalars.has('u32') || scalars.has('i32')) parts.push(INTEGER)
  if (scalars.has('f32') || scalars.has('f16')) parts.push(FLOAT)
  if (scalars.has('f16')) parts.push(HALF)
  if (scalars.has('bool')) parts.push(FLAG)
  const composed = layout.fields.filter((field) => !isScalar(field)).map((field) => packed(field).scalar)
  if (composed.length > 0) parts.push(lanesFunction(composed))
  return parts.join('\n\n')
}

const INTEGER = `function integer(value: number, name: string, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw fail('bad-param', \`param '\${name}' is \${String(value)}, expected a whole number from \${least} to \${most}\`)
}`

const FLOAT = `function float(value: number, name: string): number {
  if (typeof value !== 'number' || Number.isNaN(value)) {
    throw fail('bad-param', \`param '\${name}' is \${String(value)}, expected a number\`)
  }
  if (!Number.isFinite(value) || Number.isFinite(Math.fround(value))) return value
  throw fail('bad-param', \`param '\${name}' is \${value}, which f32 cannot hold\`)
}`

const FLAG = `function flag(value: boolean, name: string): number {
  if (typeof value !== 'boolean') throw fail('bad-param', \`param '\${name}' is \${String(value)}, expected true or false\`)
  return value ? 1 : 0
}`

/** Rounds half to even, from the double itself: a detour through f32 would round twice. */
const HALF = `/** The bits of the nearest f16, ties to even. */
function half(value: number, name: string): number {
  const size = Math.abs(float(value, name))
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0
  if (size === Infinity) return sign | 0x7c00
  if (size >= 65520) throw fail('bad-param', \`param '\${name}' is \${value}, which f16 cannot hold\`)
  if (size === 0) return sign
  let exponent = -14
  while (size >= 2 ** (exponent + 1)) exponent++
  const scaled = size / 2 ** (exponent - 10)
  const floor = Math.floor(scaled)
  const rest = scaled - floor
  const mantissa = floor + (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? 1 : 0)
  // of a normal number the mantissa's leading one adds to the exponent, and so does a carry
  return sign | (((exponent + 14) << 10) + mantissa)
}`

function lanesFunction(scalars: readonly ScalarName[]): string {
  const bool = scalars.includes('bool')
  const number = scalars.some((scalar) => scalar !== 'bool')
  const generic = bool && number ? '<T extends number | boolean>' : ''
  const type = generic ? 'T' : bool ? 'boolean' : 'number'
  return `function lanes${generic}(values: ArrayLike<${type}>, name: string, offsets: readonly number[]): [number, ${type}, string][] {
  if (values?.length !== offsets.length) {
    throw fail('bad-param', \`param '\${name}' has \${String(values?.length)} numbers, expected \${offsets.length}\`)
  }
  return offsets.map((at, i) => [at, values[i] as ${type}, \`\${name}[\${i}]\`])
}`
}
