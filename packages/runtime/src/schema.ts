import { roundUp } from './bytes'
import { fault, shown } from './errors'
import { flatten, getScalar, setScalar, shapeOf } from './lanes'
import { memo } from './memo'

/**
 * Host data by TypeGPU schema. TypeGPU has no public reader or writer, but its schemas are plain data (`type`,
 * `elementType`, `propTypes`) and callable (`d.vec3f(1, 2, 3)`), so nothing of it needs to be imported.
 */
export interface SchemaLike {
  readonly type: string
}

interface Schema extends SchemaLike {
  readonly elementType?: Schema
  readonly elementCount?: number
  readonly propTypes?: Readonly<Record<string, Schema>>
  readonly inner?: Schema
  readonly attribs?: readonly { readonly type: string; readonly params: readonly number[] }[]
}

/** A schema prepared: its size and alignment in bytes, and how a value goes in and out of memory. */
export interface Codec {
  readonly size: number
  readonly align: number
  write(view: DataView, at: number, value: unknown): void
  read(view: DataView, at: number): unknown
}

export const isSchema = (value: unknown): value is SchemaLike =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  typeof (value as { type?: unknown }).type === 'string'

const codecs = new WeakMap<object, Codec>()

/** Throws `not-host-shareable` where a type has no place in a buffer. */
export function codecOf(schema: SchemaLike): Codec {
  return memo(codecs, schema, () => make(schema as Schema))
}

function make(schema: Schema): Codec {
  const { type, elementType, elementCount, propTypes, inner } = schema
  if (type === 'array' && elementType && elementCount !== undefined) return array(codecOf(elementType), elementCount)
  if (type === 'struct' && propTypes) return struct(Object.entries(propTypes))
  if (type === 'atomic' && inner) return codecOf(inner)
  if (type === 'decorated' && inner) return decorated(codecOf(inner), schema.attribs ?? [])
  return value(schema)
}

/** Takes a typed array that has the padding of memory, as TypeGPU does: not `length` elements, but all the bytes. */
function copied(view: DataView, at: number, size: number, length: number, input: unknown): boolean {
  if (!ArrayBuffer.isView(input) || input.byteLength !== size || (input as Uint8Array).length === length) return false
  const bytes = new Uint8Array(input.buffer, input.byteOffset, size)
  new Uint8Array(view.buffer, view.byteOffset).set(bytes, at)
  return true
}

function value(schema: Schema): Codec {
  const shape = shapeOf(schema.type)
  if (!shape || shape.scalar === 'bool') {
    const note = shape ? 'store it as u32' : undefined
    throw fault('not-host-shareable', `a value of type '${schema.type}' cannot be in a buffer`, note)
  }
  const { scalar, offsets, align, size } = shape
  return {
    size,
    align,
    write(view, at, input) {
      if (copied(view, at, size, offsets.length, input)) return
      const lanes = flatten(input)
      if (lanes.length !== offsets.length) {
        throw fault('buffer-data', `${schema.type} needs ${offsets.length} numbers, got ${lanes.length}`)
      }
      offsets.forEach((offset, i) => void setScalar(view, at + offset, scalar, Number(lanes[i])))
    },
    read(view, at) {
      const lanes = offsets.map((offset) => getScalar(view, at + offset, scalar))
      return lanes.length === 1 ? lanes[0] : (schema as unknown as (...lanes: number[]) => unknown)(...lanes)
    },
  }
}

function array(element: Codec, length: number): Codec {
  const stride = roundUp(element.size, element.align)
  return {
    size: stride * length,
    align: element.align,
    write(view, at, input) {
      if (copied(view, at, stride * length, length, input)) return
      const list = input as ArrayLike<unknown> | null
      if (typeof list !== 'object' || list?.length !== length) {
        throw fault('buffer-data', `an array of ${length} elements is needed, got ${list?.length ?? shown(input)}`)
      }
      for (let i = 0; i < length; i++) element.write(view, at + i * stride, list[i])
    },
    read: (view, at) => Array.from({ length }, (_, i) => element.read(view, at + i * stride)),
  }
}

function struct(fields: readonly (readonly [string, Schema])[]): Codec {
  let end = 0
  const members = fields.map(([name, schema]) => {
    const codec = codecOf(schema)
    const offset = roundUp(end, codec.align)
    end = offset + codec.size
    return { name, codec, offset }
  })
  const align = Math.max(1, ...members.map(({ codec }) => codec.align))
  return {
    size: roundUp(end, align),
    align,
    write(view, at, input) {
      if (typeof input !== 'object' || input === null)
        throw fault('buffer-data', `a struct is needed, got ${shown(input)}`)
      for (const { name, codec, offset } of members) {
        if (!(name in input)) throw fault('buffer-data', `the field '${name}' of a struct is missing`)
        codec.write(view, at + offset, (input as Record<string, unknown>)[name])
      }
    },
    read: (view, at) =>
      Object.fromEntries(members.map(({ name, codec, offset }) => [name, codec.read(view, at + offset)])),
  }
}

function decorated(inner: Codec, attribs: NonNullable<Schema['attribs']>): Codec {
  const given = (name: string): number | undefined => attribs.find(({ type }) => type === name)?.params[0]
  return { ...inner, size: given('@size') ?? inner.size, align: given('@align') ?? inner.align }
}

/** The bytes of `input`: a value of the schema, or a typed array that is already laid out. Throws `buffer-data`. */
export function encode(schema: SchemaLike, input: unknown): Uint8Array<ArrayBuffer> {
  const { size, write } = codecOf(schema)
  const bytes = new Uint8Array(size)
  write(new DataView(bytes.buffer), 0, input)
  return bytes
}

export function decode(schema: SchemaLike, bytes: Uint8Array): unknown {
  const { size, read } = codecOf(schema)
  if (bytes.byteLength !== size)
    throw fault('buffer-data', `the schema has ${size} bytes, the data ${bytes.byteLength}`)
  return read(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0)
}
