import { count, fault, shown } from './errors'

/** Host data by its bytes: a view of any kind (its own window, never the whole backing store) or a plain buffer. */
export type HostBytes = ArrayBufferView | ArrayBuffer | SharedArrayBuffer

/** A typed array class: `Float32Array`, `Uint16Array`, and `Float16Array` where there is one. */
export interface ArrayType<T extends ArrayBufferView = ArrayBufferView> {
  readonly BYTES_PER_ELEMENT: number
  new (buffer: ArrayBuffer, byteOffset?: number, length?: number): T
}

const isShared = (buffer: object): boolean =>
  typeof SharedArrayBuffer !== 'undefined' && buffer instanceof SharedArrayBuffer

export const isHostBytes = (value: unknown): value is HostBytes =>
  ArrayBuffer.isView(value) ||
  value instanceof ArrayBuffer ||
  (typeof value === 'object' && value !== null && isShared(value))

/**
 * The bytes of host data, without a copy except of shared memory: WebGPU refuses views of it. Throws `buffer-data`
 * for anything else, plain arrays included, whose element type nobody could know.
 */
export function bytesOf(data: unknown): Uint8Array<ArrayBuffer> {
  if (!isHostBytes(data)) {
    const note = Array.isArray(data) ? 'give it a type: new Float32Array(values)' : undefined
    throw fault('buffer-data', `data are ${shown(data)}, expected a typed array, a DataView or an ArrayBuffer`, note)
  }
  const bytes = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data)
  return (isShared(bytes.buffer) ? bytes.slice() : bytes) as Uint8Array<ArrayBuffer>
}

export const isArrayType = (value: unknown): value is ArrayType =>
  typeof value === 'function' && typeof (value as { BYTES_PER_ELEMENT?: unknown }).BYTES_PER_ELEMENT === 'number'

/** `bytes` as elements of `type`; copies only when they do not start where the type may. */
export function viewAs<T extends ArrayBufferView>(type: ArrayType<T>, bytes: Uint8Array<ArrayBuffer>): T {
  if (!isArrayType(type)) throw fault('bad-argument', `bytes cannot be read as ${shown(type)}`, 'read(Float32Array)')
  const length = bytes.byteLength / type.BYTES_PER_ELEMENT
  if (!Number.isInteger(length)) {
    throw fault(
      'buffer-data',
      `${bytes.byteLength} bytes are no whole number of elements of ${type.BYTES_PER_ELEMENT} bytes`,
    )
  }
  const own = bytes.byteOffset % type.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice()
  return new type(own.buffer, own.byteOffset, length)
}

/** Whether it is a whole number of at least 0: of bytes, of elements, of workgroups. */
export const isCount = (n: unknown): n is number => Number.isSafeInteger(n) && (n as number) >= 0

export const roundUp = (n: number, to: number): number => Math.ceil(n / to) * to
export const roundDown = (n: number, to: number): number => Math.floor(n / to) * to

/** Throws `binding-size` where `what` does not start at a multiple of `align`, which is the device's limit of that name. */
export function checkAligned(what: string, at: number, align: number, limit: string, otherwise: string): void {
  if (at % align === 0) return
  throw fault(
    'binding-size',
    `${what} starts at byte ${count(at)}, expected a multiple of ${align} (${limit})`,
    `it could start at ${roundDown(at, align)} or ${roundUp(at, align)}; ${otherwise}`,
  )
}
