/** A value that no kernel here computes: it shows which elements a kernel did not write. */
export const SENTINEL = -777.25

const STORAGE = 0x80 | 0x4 | 0x8 // STORAGE | COPY_SRC | COPY_DST
const UNIFORM = 0x40 | 0x8 // UNIFORM | COPY_DST
const READBACK = 0x1 | 0x8 // MAP_READ | COPY_DST

export function storage(device: GPUDevice, data: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>): GPUBuffer {
  const buffer = device.createBuffer({ size: Math.max(16, data.byteLength), usage: STORAGE })
  device.queue.writeBuffer(buffer, 0, data)
  return buffer
}

/** An output of `n` f32, all of them the sentinel, with `guard` more of it behind. */
export function output(device: GPUDevice, n: number, guard = 64): GPUBuffer {
  return storage(device, new Float32Array(n + guard).fill(SENTINEL))
}

export function uniform(device: GPUDevice, data: ArrayBuffer): GPUBuffer {
  const buffer = device.createBuffer({ size: data.byteLength, usage: UNIFORM })
  device.queue.writeBuffer(buffer, 0, data)
  return buffer
}

/** The whole buffer as f32. */
export async function read(device: GPUDevice, buffer: GPUBuffer): Promise<Float32Array<ArrayBuffer>> {
  const staging = device.createBuffer({ size: buffer.size, usage: READBACK })
  const encoder = device.createCommandEncoder()
  encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size)
  device.queue.submit([encoder.finish()])
  await staging.mapAsync(0x1)
  const data = new Float32Array(staging.getMappedRange().slice(0))
  staging.destroy()
  return data
}
