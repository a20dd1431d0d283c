import type { ParamsLayout } from '@weft/codegen'
import { fault } from './errors'
import { getScalar, shapeOf } from './lanes'

/** The value of a param as `run` takes it: a number or bool, or the lanes of a vector, matrix or array in order. */
export type UnpackedParam = number | boolean | readonly (number | boolean)[]

/** Reads a block of params back; the inverse of `Packer.pack`. */
export function unpack(layout: ParamsLayout | null, bytes: Uint8Array): Record<string, UnpackedParam> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Object.fromEntries(
    (layout?.fields ?? []).map(({ name, type, offset, size }) => {
      const array = /^array<(.+), (\d+)>$/.exec(type)
      const shape = shapeOf(array?.[1] ?? type)
      if (!shape) throw fault('bad-param', `the param '${name}' has type ${type}, which the runtime cannot unpack`)
      const length = Number(array?.[2] ?? 1)
      const stride = size / length
      const lanes = Array.from({ length }, (_, i) => shape.offsets.map((at) => offset + i * stride + at)).flat()
      const values = lanes.map((at) => {
        const value = getScalar(view, at, shape.scalar)
        return shape.scalar === 'bool' ? value !== 0 : value
      })
      return [name, values.length === 1 && !array ? (values[0] as number | boolean) : values]
    }),
  )
}
