import type { ParamsLayout } from '@weft/codegen'
import { getScalar } from './lanes'
import { fieldOf } from './params'

/** The value of a param as `run` takes it: a number or bool, or the lanes of a vector, matrix or array in order. */
export type UnpackedParam = number | boolean | readonly (number | boolean)[]

/** Reads a block of params back; the inverse of `Packer.pack`. */
export function unpack(layout: ParamsLayout | null, bytes: Uint8Array): Record<string, UnpackedParam> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Object.fromEntries(
    (layout?.fields ?? []).map(fieldOf).map(({ name, type, scalar, lanes }) => {
      const values = lanes.map((at) => {
        const value = getScalar(view, at, scalar)
        return scalar === 'bool' ? value !== 0 : value
      })
      return [name, values.length === 1 && !type.startsWith('array') ? (values[0] as number | boolean) : values]
    }),
  )
}
