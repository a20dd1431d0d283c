import { roundUp } from '../bytes'
import { memo } from '../memo'
import { USAGE } from '../memory'
import { type Resource, ranged } from './bind-groups'
import { type GpuMemory, gpuMemory } from './gpu-memory'

interface Ring {
  readonly memory: GpuMemory
  readonly stride: number
  /** Of what is in the newest slot. */
  version: number
  at: number
}

/** Slots of a ring: changes of params that may be encoded before the first of them is submitted. */
const SLOTS = 256

/**
 * Params of dispatches that are encoded for the caller to submit, nobody knows when. So a slot is written once, when
 * the params have changed, and used again only after many others.
 */
export class CallersParams {
  readonly #rings = new WeakMap<object, Ring>()

  constructor(
    readonly device: GPUDevice,
    readonly align: number,
  ) {}

  /** Where the params lie for work that is encoded now. */
  slot(state: { readonly version: number }, bytes: Uint8Array): Resource {
    const ring = memo(this.#rings, state, () => this.#ring(bytes.byteLength))
    const size = roundUp(bytes.byteLength, 4)
    if (ring.version !== state.version) {
      ring.at = (ring.at + 1) % SLOTS
      ring.version = state.version
      this.device.queue.writeBuffer(ring.memory.gpu, ring.at * ring.stride, bytes as Uint8Array<ArrayBuffer>)
    }
    return ranged(ring.memory, ring.at * ring.stride, size)
  }

  #ring(bytes: number): Ring {
    const stride = roundUp(bytes, this.align)
    const usage = USAGE.UNIFORM | USAGE.COPY_DST
    const memory = gpuMemory(this.device, 'weft params of encoded dispatches', SLOTS * stride, usage)
    return { memory, stride, version: -1, at: -1 }
  }
}
