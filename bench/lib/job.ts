// One compute dispatch with explicit layouts on raw WebGPU, and its time beside that of others.

/** A WGSL module and the layouts of its bind groups; a `CompiledKernel` has this shape too. */
export interface ComputeModule {
  readonly wgsl: string
  readonly entryPoint: string
  readonly layouts: readonly GPUBindGroupLayoutDescriptor[]
}

export interface Job {
  readonly label: string
  readonly pipeline: GPUComputePipeline
  readonly bindGroups: readonly GPUBindGroup[]
  readonly workgroups: readonly [number, number, number]
}

export interface JobArgs extends ComputeModule {
  readonly label: string
  /** per bind group, one buffer for each entry of its layout, in the order of the entries */
  readonly buffers: readonly (readonly GPUBuffer[])[]
  readonly workgroups: readonly [number, number, number]
}

/** The layout entries of group 0, numbered in order. */
export function layout(...types: readonly GPUBufferBindingType[]): GPUBindGroupLayoutDescriptor {
  return { entries: types.map((type, binding) => ({ binding, visibility: 4 /* COMPUTE */, buffer: { type } })) }
}

/** @throws Error with the compiler's messages when the module is invalid or does not fit its layouts */
export async function createJob(device: GPUDevice, args: JobArgs): Promise<Job> {
  const module = device.createShaderModule({ label: args.label, code: args.wgsl })
  const { messages } = await module.getCompilationInfo()
  const errors = messages.filter(({ type }) => type === 'error')
  if (errors.length > 0) {
    throw new Error(errors.map((e) => `${args.label}:${e.lineNum}:${e.linePos}: ${e.message}`).join('\n'))
  }
  const layouts = args.layouts.map((descriptor) => device.createBindGroupLayout(descriptor))
  const pipeline = await device.createComputePipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
    compute: { module, entryPoint: args.entryPoint },
  })
  const bindGroups = layouts.map((groupLayout, group) =>
    device.createBindGroup({
      layout: groupLayout,
      entries: [...(args.layouts[group]?.entries ?? [])].map(({ binding }, i) => {
        const buffer = args.buffers[group]?.[i]
        if (buffer === undefined) throw new Error(`${args.label}: no buffer for @group(${group}) @binding(${binding})`)
        return { binding, resource: { buffer } }
      }),
    }),
  )
  return { label: args.label, pipeline, bindGroups, workgroups: args.workgroups }
}

/** Submits the jobs in order, each in a pass of its own, and waits for the device. Returns milliseconds. */
export async function runJobs(device: GPUDevice, ...jobs: readonly Job[]): Promise<number> {
  const start = performance.now()
  const encoder = device.createCommandEncoder()
  for (const { pipeline, bindGroups, workgroups } of jobs) {
    const pass = encoder.beginComputePass()
    pass.setPipeline(pipeline)
    bindGroups.forEach((bindGroup, group) => {
      pass.setBindGroup(group, bindGroup)
    })
    pass.dispatchWorkgroups(...workgroups)
    pass.end()
  }
  device.queue.submit([encoder.finish()])
  await device.queue.onSubmittedWorkDone()
  return performance.now() - start
}

/** A job, or the next of several that do the same on other buffers. */
export type Turn = Job | (() => Job)

/**
 * Equal jobs on buffers of their own, in turn. A job that runs again on the buffers that it has just used finds them in
 * the cache, which flatters bandwidth; with `copiesFor` of them, none does.
 */
export function rotating(jobs: readonly Job[]): () => Job {
  let next = 0
  return () => jobs[next++ % jobs.length]!
}

/** How many copies of `bytes` of buffers are needed so that the others fill a cache before one has its turn again. */
export const copiesFor = (bytes: number, cacheBytes: number): number => Math.ceil(cacheBytes / bytes) + 1

export interface Timing {
  /** milliseconds */
  readonly min: number
  /** milliseconds */
  readonly median: number
  /** milliseconds of each run, in order */
  readonly times: readonly number[]
}

/**
 * Times every job `runs` times, interleaved: the machine is shared, so a slow second hits all of them. The order turns
 * around from round to round, so that none always follows the same other. Two rounds of warm-up are not counted.
 */
export async function timeInterleaved(device: GPUDevice, jobs: readonly Turn[], runs: number): Promise<Timing[]> {
  const times: number[][] = jobs.map(() => [])
  for (let run = -2; run < runs; run++) {
    const order = jobs.map((_, i) => (run % 2 === 0 ? i : jobs.length - 1 - i))
    for (const i of order) {
      const job = jobs[i]!
      const time = await runJobs(device, typeof job === 'function' ? job() : job)
      if (run >= 0) times[i]!.push(time)
    }
  }
  return times.map(summarize)
}

export function summarize(times: readonly number[]): Timing {
  const sorted = [...times].sort((x, y) => x - y)
  const half = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
  return { min: sorted[0]!, median, times }
}

/**
 * `of` over `base`, as the quotient of their fastest runs, and as the median of the quotients of neighbouring runs. On an
 * idle machine the two agree; on a busy one the second is the steadier.
 */
export function ratio(of: Timing, base: Timing): { readonly min: number; readonly paired: number } {
  const quotients = of.times.map((time, i) => time / base.times[i]!)
  return { min: of.min / base.min, paired: summarize(quotients).median }
}
