import { roundDown } from '../bytes'
import type { Outcome } from '../memory'
import type { CommandStream } from './stream'

/** A word of which some bytes are written and the others kept. */
interface Edge {
  /** Byte offset, a multiple of 4. */
  readonly at: number
  readonly mask: number
  readonly bits: number
}

const WGSL = `@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@group(0) @binding(1) var<uniform> edge: vec4u;

@compute @workgroup_size(1)
fn main() {
  words[edge.x] = (words[edge.x] & ~edge.y) | edge.z;
}
`

/** The parts of a write that do not fill a word, at most two: before the first whole word and after the last. */
export function edgesOf(offset: number, bytes: Uint8Array): Edge[] {
  const end = offset + bytes.byteLength
  const words = new Set([...(offset % 4 ? [roundDown(offset, 4)] : []), ...(end % 4 ? [roundDown(end, 4)] : [])])
  return [...words].map((at) => {
    let mask = 0
    let bits = 0
    for (let i = 0; i < 4; i++) {
      const byte = bytes[at + i - offset]
      if (byte === undefined) continue
      mask |= 0xff << (8 * i)
      bits |= byte << (8 * i)
    }
    return { at, mask: mask >>> 0, bits: bits >>> 0 }
  })
}

/**
 * Writes parts of words. WebGPU's own writes are of whole words, and reading a word back to merge it would take a
 * round trip and lose the place in the order, so a one-invocation kernel merges it on the device.
 */
export class EdgeWriter {
  #pipeline: GPUComputePipeline | null = null

  constructor(
    readonly stream: CommandStream,
    readonly align: number,
  ) {}

  /** Records the edges of a write at its place in the order; `buffer` needs STORAGE usage. */
  write(buffer: GPUBuffer, edges: readonly Edge[]): Outcome {
    const { stream } = this
    const { device, uniforms } = stream
    const pipeline = (this.#pipeline ??= this.#compile())
    for (const { at, mask, bits } of edges) {
      // a window, since the whole buffer may be larger than a binding may be
      const offset = roundDown(at, this.align)
      const size = Math.min(this.align, roundDown(buffer.size - offset, 4))
      const params = new Uint8Array(new Uint32Array([(at - offset) / 4, mask, bits, 0]).buffer)
      const slot = uniforms.slot(params)
      const entries = [
        { binding: 0, resource: { buffer, offset, size } },
        { binding: 1, resource: { buffer: slot.memory.gpu, offset: slot.offset, size: slot.size } },
      ]
      const group = device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries })
      const title = `the write to '${buffer.label}'`
      stream.dispatch({ title, pipeline, groups: [group], immediates: null, x: 1, y: 1, z: 1, indirect: null })
    }
    return stream.settle()
  }

  #compile(): GPUComputePipeline {
    const { device } = this.stream
    const module = device.createShaderModule({ label: 'weft edges', code: WGSL })
    return device.createComputePipeline({
      label: 'weft edges',
      layout: 'auto',
      compute: { module, entryPoint: 'main' },
    })
  }
}
