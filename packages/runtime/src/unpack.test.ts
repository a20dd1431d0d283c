import { expect, it } from 'vitest'
import { Packer } from './params'
import { unpack } from './unpack'

const layout = {
  size: 96,
  fields: [
    { name: 'n', type: 'u32', offset: 0, size: 4 },
    { name: 'on', type: 'bool', offset: 4, size: 4 },
    { name: 'h', type: 'f16', offset: 8, size: 2 },
    { name: 'v', type: 'vec3f', offset: 16, size: 12 },
    { name: 'm', type: 'mat2x3f', offset: 32, size: 32 },
    { name: 'list', type: 'array<i32, 2>', offset: 64, size: 32 },
  ],
}

it('reads what was packed', () => {
  const values = { n: 2 ** 32 - 1, on: true, h: 1.5, v: [1, -0, Infinity], m: [1, 2, 3, 4, 5, 6], list: [-1, 7] }
  const bytes = new Packer('k', layout).pack(values)
  expect(unpack(layout, bytes)).toEqual(values)
  const shifted = new Uint8Array(100)
  shifted.set(bytes, 4)
  expect(unpack(layout, shifted.subarray(4))).toEqual(values)
})

it('refuses types that are no values', () => {
  const odd = { size: 16, fields: [{ name: 'p', type: 'Particle', offset: 0, size: 16 }] }
  expect(() => unpack(odd, new Uint8Array(16))).toThrow(
    "bad-param: the param 'p' has type Particle, which the runtime does not know",
  )
})

it('reads nothing where there are no params', () => {
  expect(unpack(null, new Uint8Array(0))).toEqual({})
})
