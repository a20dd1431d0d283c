import type { HostForm } from './buffer'
import { type ArrayType, bytesOf, type HostBytes, isArrayType, isCount, isHostBytes, viewAs } from './bytes'
import { count, fault, shown } from './errors'
import { checkKeys } from './keys'
import { codecOf, decode, encode, isSchema, type SchemaLike } from './schema'

/** What `runtime.buffer(…)` was asked for. */
export interface Wanted {
  readonly size: number
  readonly form: HostForm<unknown>
  readonly initial: Uint8Array<ArrayBuffer> | null
}

const arrays = <T extends ArrayBufferView>(type: ArrayType<T>): HostForm<T> => ({
  encode: bytesOf,
  decode: (bytes) => viewAs(type, bytes),
})

const schemas = (schema: SchemaLike): HostForm<unknown> => ({
  encode: (value) => (isHostBytes(value) ? bytesOf(value) : encode(schema, value)),
  decode: (bytes) => decode(schema, bytes),
})

/** The class of a typed array by its tag: a Node Buffer is a Uint8Array, and what is no typed array is read as bytes. */
function classOf(data: HostBytes): ArrayType {
  const tag = ArrayBuffer.isView(data) ? (data as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] : undefined
  const found = (globalThis as unknown as Record<string, unknown>)[tag ?? '']
  return isArrayType(found) ? found : Uint8Array
}

/** Throws `buffer-data` where `size` is not a number of bytes or elements. */
export function sized(size: unknown, what: string): number {
  if (isCount(size)) return size
  throw fault('buffer-data', `${what} is ${shown(size)}, expected a whole number of at least 0`)
}

const SIZED = { size: true } as const

/** Sorts out the forms of `runtime.buffer(what, value)`. Throws `buffer-data`. */
export function wanted(what: unknown, value: unknown): Wanted {
  if (isHostBytes(what)) {
    const initial = bytesOf(what)
    return { size: initial.byteLength, form: arrays(classOf(what)), initial }
  }
  if (isArrayType(what)) {
    const length = sized(value, 'the number of elements')
    return { size: length * what.BYTES_PER_ELEMENT, form: arrays(what), initial: null }
  }
  if (isSchema(what)) return withSchema(what, value)
  if (typeof what === 'object' && what !== null && 'size' in what) {
    checkKeys('a buffer of so many bytes', what, SIZED)
    return { size: sized(what.size, 'the size in bytes'), form: arrays(Uint8Array), initial: null }
  }
  const note = Array.isArray(what)
    ? 'give the numbers a type: new Float32Array(values)'
    : typeof what === 'function'
      ? 'a schema of a runtime-sized array needs its count: d.arrayOf(element, count)'
      : 'give typed data, a number of elements (Float32Array, 200), of bytes ({ size: 200 }), or a schema'
  throw fault('buffer-data', `a buffer cannot be made from ${shown(what)}`, note)
}

function withSchema(schema: SchemaLike, value: unknown): Wanted {
  const { size } = codecOf(schema)
  const form = schemas(schema)
  const initial = value === undefined ? null : form.encode(value)
  if (initial && initial.byteLength !== size) {
    throw fault('buffer-data', `the schema has ${count(size)} bytes, the data ${count(initial.byteLength)}`)
  }
  return { size, form, initial }
}
