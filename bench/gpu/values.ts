// Random numbers by position: the same on the host, which computes references from them, and on the device, which fills
// inputs of hundreds of megabytes with them.

import { compile } from '@weft/codegen'
import { ceilDiv, d, f16, f32, fn, kernel, output, u32 } from '@weft/dsl'
import type { ElementType, Input } from './contest'

const scramble = (x: number): number => {
  let h = Math.imul(x ^ (x >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}
const bitsAt = (seed: number, i: number): number => scramble((Math.imul(seed, 0x9e3779b9) + i) >>> 0)

/** Element i of an input: uniform in [−1, 1) · scale; as f16 in steps of 2⁻¹⁰, so that both types hold it exactly. */
export function valueAt({ type, seed, scale = 1, most = 0, mask = 0xffff_ffff }: Input, i: number): number {
  const bits = bitsAt(seed, i)
  if (type === 'u32') return ((most > 0 ? bits % most : bits) & mask) >>> 0
  return (type === 'f16' ? (bits >>> 21) / 1024 - 1 : (bits >>> 8) / 8388608 - 1) * scale
}

/** A part of an input on the host. */
export function valuesAt(input: Input, first: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => valueAt(input, first + i))
}

const TOKENS = { f32: d.f32, f16: d.f16, u32: d.u32 }

/** Fills an array by the formula of `valueAt`. */
function filling<T extends ElementType>(type: T) {
  return compile(
    kernel(
      `fill_${type}`,
      {
        workgroupSize: [256],
        bindings: { x: output(d.arrayOf(TOKENS[type] as typeof d.f32)) },
        params: { n: d.u32, seed: d.u32, scale: d.f32, most: d.u32, mask: d.u32 },
        workgroups: ({ n }) => [ceilDiv(n, 256)],
      },
      ({ x, n, seed, scale, most, mask }, k) => {
        const i = k.globalIndex
        k.if(i.lt(n), () => {
          const start = u32`${seed} * 0x9e3779b9 + ${i}`
          const once = u32`(${start} ^ (${start} >> 16)) * 0x7feb352d`
          const twice = u32`(${once} ^ (${once} >> 15)) * 0x846ca68b`
          const bits = u32`${twice} ^ (${twice} >> 16)`
          const element =
            type === 'u32'
              ? fn.select(bits, u32`${bits} % max(${most}, 1)`, most.gt(0)).bitAnd(mask)
              : type === 'f16'
                ? f16(f32(bits.shr(21)).div(1024).sub(1).mul(scale))
                : f32(bits.shr(8)).div(8388608).sub(1).mul(scale)
          x.at(i).set(element as ReturnType<typeof fn.abs<'f32'>>)
        })
      },
    ),
  )
}

const made = new Map<ElementType, ReturnType<typeof filling>>()

export function fillKernel(type: ElementType): ReturnType<typeof filling> {
  const known = made.get(type) ?? filling(type)
  made.set(type, known)
  return known
}
