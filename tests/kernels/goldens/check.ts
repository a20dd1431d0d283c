import type { HostOptions } from '@weft/kernels'
import type { DeviceBuffer, Runtime } from '@weft/runtime'
import { f16s, fromF16 } from '../../parity/data.js'
import { HALF } from '../outputs.js'
import type { Golden, Storage } from './read.js'

export type Results = Readonly<Record<string, ArrayLike<number>>>

/** How far a result in f32 may be from the exact one: for all elements, or for each. */
export type Bound = number | ArrayLike<number>

/** What is compared with the goldens of one operation. */
export interface Check {
  /** The float64 reference: results by the names that the golden gives them. */
  readonly reference?: (golden: Golden) => Results
  /** The host function on a device. */
  readonly host?: (golden: Golden, desk: Desk) => Promise<Results>
  /** By error analysis, for sums in f32; rounding to f16 at the end comes on top. Bounds of what the host function gives. */
  readonly bounds?: (golden: Golden) => Readonly<Record<string, Bound>>
  /** Results that are stored as f32, or as integers, whatever the inputs are. */
  readonly always?: readonly string[]
}

type Any = DeviceBuffer<Float32Array<ArrayBuffer>> | DeviceBuffer<Uint16Array<ArrayBuffer>>

/** Buffers of a case on a device. */
export class Desk {
  constructor(
    readonly runtime: Runtime,
    readonly options: HostOptions,
    readonly golden: Golden,
  ) {}

  /** For functions that take one kernel. */
  one(kernel: string): HostOptions {
    const own = this.options.kernels?.(kernel)
    return own ? { kernel: own } : {}
  }

  get type(): Storage {
    return this.golden.type
  }

  /** A buffer with an input as it is stored. */
  put(name: string, type: Storage = this.type): Any {
    return this.of(this.golden.input(name), type)
  }

  of(values: readonly number[], type: Storage = this.type): Any {
    if (type === 'f32') return this.runtime.buffer(Float32Array.from(values))
    return this.runtime.buffer(f16s(...values, ...(values.length % 2 ? [0] : [])) as Uint16Array<ArrayBuffer>)
  }

  words(values: readonly number[]): DeviceBuffer<Uint32Array<ArrayBuffer>> {
    return this.runtime.buffer(Uint32Array.from(values))
  }

  /** An output that no kernel has written. */
  empty(n: number, type: Storage = this.type): Any {
    return this.of(new Array<number>(n).fill(777), type)
  }

  async read(buffer: Any, n: number, type: Storage = this.type): Promise<number[]> {
    const values = type === 'f32' ? [...(await buffer.read(Float32Array))] : fromF16(await buffer.read(Uint16Array))
    return values.slice(0, n)
  }
}

/** The first element that is further from the golden than it may be, in words. */
export function outside(
  name: string,
  actual: ArrayLike<number>,
  exact: readonly number[],
  bound: Bound,
  half: boolean,
): string | undefined {
  if (actual.length !== exact.length) return `${name} has ${actual.length} elements, expected ${exact.length}`
  for (const [i, want] of exact.entries()) {
    const got = actual[i] as number
    if (Object.is(got, want) || got === want) continue
    const given = typeof bound === 'number' ? bound : (bound[i] as number)
    const limit = given + (half ? HALF.abs + HALF.rel * (Math.abs(want) + given) : 0)
    if (!(Math.abs(got - want) <= limit)) return `${name}[${i}]: got ${got}, expected ${want} within ${limit}`
  }
  return undefined
}

export const size = (values: ArrayLike<number>): number =>
  Array.from(values).reduce((most, x) => Math.max(most, Math.abs(x)), 0)

export const absolute = (values: readonly number[]): number[] => values.map(Math.abs)

export const product = (extents: readonly number[]): number => extents.reduce((n, extent) => n * extent, 1)
