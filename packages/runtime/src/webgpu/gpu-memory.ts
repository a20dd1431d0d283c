import { type Memory, memory } from '../memory'

/** Memory on a GPU. */
export type GpuMemory = Memory & { readonly gpu: GPUBuffer }

/** A GPUBuffer of the runtime's own use: never a caller's buffer, and so neither pooled nor cleared. */
export const gpuMemory = (device: GPUDevice, label: string, size: number, usage: number): GpuMemory =>
  memory({ label, size, gpu: device.createBuffer({ label, size, usage }) }) as GpuMemory
