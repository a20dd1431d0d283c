/** Runs one job on a device: resources, one dispatch, and one staging buffer for everything that is read back. */
import type { Binding, BufferBinding, Job, Output, Result, TextureBinding } from '../engine.js'
import { compilePipeline, failure, type Outcome, type Pipeline, scoped } from './compile.js'

const up = (n: number, to: number): number => Math.ceil(n / to) * to

/** Part of the staging buffer, and how to take an output from it. */
interface Readback {
  readonly size: number
  copy(encoder: GPUCommandEncoder, staging: GPUBuffer, offset: number): void
  take(mapped: Uint8Array): Output
}

interface Bound {
  readonly resource: GPUBindingResource
  readonly readback?: Readback
  destroy(): void
}

function bindBuffer(device: GPUDevice, item: BufferBinding): Bound {
  const size = Math.max(4, up(item.bytes.byteLength, 4))
  const U = GPUBufferUsage
  const buffer = device.createBuffer({ size, usage: U.STORAGE | U.UNIFORM | U.COPY_SRC | U.COPY_DST })
  const padded = new Uint8Array(size)
  padded.set(item.bytes)
  device.queue.writeBuffer(buffer, 0, padded)
  const range = {
    ...(item.offset === undefined ? {} : { offset: item.offset }),
    ...(item.size === undefined ? {} : { size: item.size }),
  }
  const { group, binding } = item
  return {
    resource: { buffer, ...range },
    destroy: () => buffer.destroy(),
    ...(item.readback && {
      readback: {
        size,
        copy: (encoder, staging, at) => encoder.copyBufferToBuffer(buffer, 0, staging, at, size),
        take: (mapped) => ({ group, binding, bytes: mapped.slice(0, item.bytes.byteLength) }),
      },
    }),
  }
}

function bindTexture(device: GPUDevice, item: TextureBinding): Bound {
  const [width, height, layers] = item.size
  const U = GPUTextureUsage
  const use = item.use === 'storage' ? U.STORAGE_BINDING : U.TEXTURE_BINDING
  const texture = device.createTexture({
    size: [width, height, layers],
    format: item.format,
    usage: use | U.COPY_SRC | U.COPY_DST,
    ...(item.dimension && { dimension: item.dimension }),
  })
  const row = width * item.bytesPerTexel
  const pitch = up(row, 256)
  const layout = { bytesPerRow: pitch, rowsPerImage: height }
  if (item.bytes) {
    const tight = { bytesPerRow: row, rowsPerImage: height }
    device.queue.writeTexture({ texture }, new Uint8Array(item.bytes), tight, [width, height, layers])
  }
  const { group, binding } = item
  return {
    resource: texture.createView(item.viewDimension ? { dimension: item.viewDimension } : {}),
    destroy: () => texture.destroy(),
    ...(item.readback && {
      readback: {
        size: pitch * height * layers,
        copy: (encoder, buffer, offset) =>
          encoder.copyTextureToBuffer({ texture }, { buffer, offset, ...layout }, [width, height, layers]),
        take: (mapped) => {
          const bytes = new Uint8Array(row * height * layers)
          for (let r = 0; r < height * layers; r++) bytes.set(mapped.subarray(r * pitch, r * pitch + row), r * row)
          return { group, binding, bytes }
        },
      },
    }),
  }
}

function bind(device: GPUDevice, item: Binding): Bound {
  if (item.kind === 'buffer') return bindBuffer(device, item)
  if (item.kind === 'texture') return bindTexture(device, item)
  return { resource: device.createSampler(item.descriptor ?? {}), destroy: () => undefined }
}

/** Records and submits the dispatch and the copies; synchronous, for the error scopes. */
function submit(device: GPUDevice, job: Job, { pipeline, layouts }: Pipeline, bound: readonly Bound[]) {
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.setPipeline(pipeline)
  layouts.forEach((layout, group) => {
    const entries = job.bindings.flatMap((item, i) => {
      const resource = bound[i]?.resource
      return item.group === group && resource !== undefined ? [{ binding: item.binding, resource }] : []
    })
    pass.setBindGroup(group, device.createBindGroup({ layout, entries }))
  })
  if (job.immediates) pass.setImmediates(0, new Uint8Array(job.immediates))
  pass.dispatchWorkgroups(...job.workgroups)
  pass.end()
  let size = 0
  const reads = bound.flatMap(({ readback }) => {
    if (!readback) return []
    const at = size
    size += up(readback.size, 256)
    return [{ at, readback }]
  })
  const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST
  const staging = device.createBuffer({ size: Math.max(4, size), usage })
  for (const { at, readback } of reads) readback.copy(encoder, staging, at)
  device.queue.submit([encoder.finish()])
  return { staging, reads }
}

async function dispatch(device: GPUDevice, job: Job, pipeline: Pipeline): Promise<Outcome<Output[]>> {
  const bound: Bound[] = []
  let staging: GPUBuffer | undefined
  try {
    const submitted = await scoped(device, () => {
      for (const item of job.bindings) bound.push(bind(device, item))
      const made = submit(device, job, pipeline, bound)
      staging = made.staging
      return made
    })
    if (!submitted.ok) return submitted
    const { reads } = submitted.value
    await submitted.value.staging.mapAsync(GPUMapMode.READ)
    const mapped = new Uint8Array(submitted.value.staging.getMappedRange())
    const outputs = reads.map(({ at, readback }) => readback.take(mapped.subarray(at, at + readback.size)))
    return { ok: true, value: outputs, messages: [] }
  } catch (error) {
    return failure('validation', error instanceof Error ? error.message : String(error))
  } finally {
    for (const item of bound) item.destroy()
    staging?.destroy()
  }
}

/** A function that runs jobs on `device`; pipelines of the last modules are kept, for cases that differ in data only. */
export function executor(device: GPUDevice): (job: Job) => Promise<Result> {
  const kept = new Map<string, Promise<Outcome<Pipeline>>>()
  const canSetImmediates = 'setImmediates' in GPUComputePassEncoder.prototype

  function pipelineOf(job: Job): Promise<Outcome<Pipeline>> {
    const { wgsl, entryPoint, layouts, constants } = job
    const source = { wgsl, entryPoint, layouts, constants, immediateSize: up(job.immediates?.byteLength ?? 0, 4) }
    const key = JSON.stringify(source)
    const found = kept.get(key) ?? compilePipeline(device, source)
    kept.delete(key)
    kept.set(key, found)
    const [oldest] = kept.keys()
    if (kept.size > 32 && oldest !== undefined) kept.delete(oldest)
    return found
  }

  return async (job) => {
    const { label } = job
    if (job.immediates && !canSetImmediates) {
      return { label, ...failure('unsupported', 'this engine has no setImmediates') }
    }
    const pipeline = await pipelineOf(job)
    if (!pipeline.ok) return { label, ...pipeline }
    const ran = await dispatch(device, job, pipeline.value)
    return ran.ok ? { label, ok: true, outputs: ran.value, messages: pipeline.messages } : { label, ...ran }
  }
}
