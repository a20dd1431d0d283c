import type { BenchKernel } from '../handwritten/modules'
import { uniform } from './buffers'
import { createJob, type Job } from './job'

/**
 * One dispatch of `kernel` on named buffers; the params are packed and bound here.
 *
 * @throws Error when the kernel binds a name that `buffers` lacks, or does not compile
 */
export function kernelJob<Sizes>(
  device: GPUDevice,
  label: string,
  kernel: BenchKernel<Sizes>,
  sizes: Sizes,
  buffers: Readonly<Record<string, GPUBuffer>>,
): Promise<Job> {
  const named = (name: string): GPUBuffer => {
    const buffer = name === 'params' ? uniform(device, kernel.params(sizes)) : buffers[name]
    if (buffer === undefined) throw new Error(`${label}: there is no buffer for '${name}'`)
    return buffer
  }
  return createJob(device, {
    label,
    ...kernel.module,
    buffers: kernel.bindings.map((group) => group.map(named)),
    workgroups: kernel.workgroups(sizes),
  })
}
