import { type Builder, ceilDiv, d, type Expr, f16, f32, i32, kernel, output, u32 } from '@weft/dsl'
import type { DeviceBuffer, Runtime } from '@weft/runtime'
import type { CompiledKernel } from '../../artifact'
import { compile } from '../../compile'
import type { Content } from '../../tune/tunable'
import { keyOf, SCALAR_BYTES } from '../run/values'

type Type = Content['type']
type Fill = NonNullable<Content['fill']>

/** The numbers of `FILLS`, made on the device: inputs of hundreds of megabytes are there in a moment. */
const VALUES: Readonly<Record<Type, Readonly<Record<Fill, (i: Expr<'u32'>, bits: () => Expr<'u32'>) => unknown>>>> = {
  f32: {
    random: (_, bits) =>
      f32(bits().shr(8))
        .div(2 ** 23)
        .sub(1),
    iota: (i) => f32(i),
    ones: () => f32(1),
    zeros: () => f32(0),
  },
  f16: {
    random: (_, bits) => f16(f32(bits().shr(21)).div(1024).sub(1)),
    iota: (i) => f16(i),
    ones: () => f16(1),
    zeros: () => f16(0),
  },
  i32: { random: (_, bits) => i32(bits().shr(24)), iota: (i) => i32(i), ones: () => i32(1), zeros: () => i32(0) },
  u32: { random: (_, bits) => bits().shr(24), iota: (i) => i, ones: () => u32(1), zeros: () => u32(0) },
}

/** The bits that `random` draws, as the host does. */
function bitsAt(k: Builder, key: Expr<'u32'>, i: Expr<'u32'>): Expr<'u32'> {
  const start = k.let('start', key.bitXor(i))
  const once = k.let('once', u32`(${start} ^ (${start} >> 16)) * 0x21f0aaad`)
  const twice = k.let('twice', u32`(${once} ^ (${once} >> 15)) * 0x735a2d97`)
  return twice.bitXor(twice.shr(15))
}

const made = new Map<string, CompiledKernel>()

function filling(type: Type, fill: Fill): CompiledKernel {
  const name = `fill_${type}_${fill}`
  const known = made.get(name)
  if (known) return known
  const source = kernel(
    name,
    {
      workgroupSize: [256],
      bindings: { x: output(d.arrayOf(d[type] as typeof d.f32)) },
      params: { n: d.u32, key: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 256)],
    },
    ({ x, n, key }, k) => {
      const i = k.let('i', k.globalIndex)
      k.if(i.lt(n), () => x.at(i).set(VALUES[type][fill](i, () => bitsAt(k, key, i)) as Expr<'f32'>))
    },
  )
  const compiled = compile(source, { params: 'uniform' })
  made.set(name, compiled)
  return compiled
}

export const bytesOf = ({ type, length }: Content): number =>
  Math.max(4, Math.ceil((SCALAR_BYTES[type] * length) / 4) * 4)

/** All bits set: NaN as a float, and far from any result as an integer. */
const UNWRITTEN = 0xff
const CHUNK = 2 ** 24

/** Gives a buffer its content; what has none is full of what no kernel writes. */
export async function refill(runtime: Runtime, buffer: DeviceBuffer<unknown>, content: Content): Promise<void> {
  const { type, fill, length, seed = 1 } = content
  if (fill !== undefined) {
    if (length > 0) await runtime.run(filling(type, fill), { x: buffer, n: length, key: keyOf(seed) })
    return
  }
  const size = bytesOf(content)
  const bytes = new Uint8Array(Math.min(size, CHUNK)).fill(UNWRITTEN)
  for (let at = 0; at < size; at += CHUNK) runtime.write(buffer, bytes.subarray(0, Math.min(CHUNK, size - at)), at)
}
