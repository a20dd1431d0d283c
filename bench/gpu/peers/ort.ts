// onnxruntime-web with its WebGPU execution provider: a model of one operator, inputs and outputs bound to buffers of the
// lab.

import { setFlagsFromString } from 'node:v8'
import type { InferenceSession, Tensor } from 'onnxruntime-web/webgpu'
import type { Contest, ElementType, Entry } from '../contest'
import { type Dims, dimsOf } from '../dims'
import { opened, sets } from '../entries'
import type { Lab, Named } from '../lab'
import { facade } from './facade'
import { ortWasm } from './files'
import { modelBytes, type OnnxType } from './onnx'
import { type Graph, ORT_GRAPHS } from './ort-nodes'
import { needsType, outputsOf, type Peer } from './peer'

type Ort = typeof import('onnxruntime-web/webgpu')

const TYPES: Partial<Readonly<Record<ElementType, OnnxType>>> = { f32: 'float32', f16: 'float16' }

function typeOf(type: ElementType): OnnxType {
  const known = TYPES[type]
  if (!known) throw new Error(`its tensors on the GPU are not ${type}`)
  return known
}

/** The queue refuses views of shared memory, which is what the module's heap is: it gets copies. */
function copyingQueue(queue: GPUQueue): GPUQueue {
  const writeBuffer: GPUQueue['writeBuffer'] = (buffer, at, source, from = 0, size = undefined) => {
    const view = ArrayBuffer.isView(source)
    const unit = view && 'BYTES_PER_ELEMENT' in source ? (source.BYTES_PER_ELEMENT as number) : 1
    const bytes = view ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source)
    const end = size === undefined ? bytes.byteLength : (from + size) * unit
    queue.writeBuffer(buffer, at, bytes.slice(from * unit, end))
  }
  return facade(queue, { writeBuffer })
}

export async function loadOrt(lab: Lab): Promise<Peer> {
  // the optimizing compiler takes minutes and gigabytes for the module
  setFlagsFromString('--liftoff-only')
  const ort: Ort = await import('onnxruntime-web/webgpu')
  ort.env.wasm.wasmBinary = await ortWasm()
  ort.env.wasm.numThreads = 1
  ort.env.logLevel = 'error'
  const device = facade(lab.device, { queue: copyingQueue(lab.device.queue) })
  const inTurn = turns()
  const label = `onnxruntime-web ${ort.env.versions.web}`
  const entry = (contest: Contest): Entry | null => {
    const rule = contest.kind && ORT_GRAPHS[contest.kind]
    return rule ? { name: label, open: (lab) => open(ort, device, inTurn, lab, contest, rule(contest)) } : null
  }
  return { label, entry }
}

/** Runs one thing after the other: the module can do one at a time. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const result = last.then(work, work)
    last = result.catch(() => undefined)
    return result
  }
}

async function open(
  ort: Ort,
  device: GPUDevice,
  inTurn: ReturnType<typeof turns>,
  lab: Lab,
  contest: Contest,
  graph: Graph,
) {
  needsType(contest, ['f32', 'f16'])
  const dims: Dims = { ...dimsOf(contest), ...graph.dims }
  const used = new Set(graph.nodes.flatMap(({ inputs }) => inputs))
  const arrays = (list: Contest['inputs'] | Contest['outputs']) =>
    Object.fromEntries(
      Object.entries(list).map(([name, { type }]) => [name, { type: typeOf(type), dims: dims[name] ?? [] }]),
    )
  const inputs = arrays(Object.fromEntries(Object.entries(contest.inputs).filter(([name]) => used.has(name))))
  const outputs = arrays(outputsOf(contest))
  const bytes = modelBytes({ ...graph, inputs, outputs })
  const all = await sets(lab, contest)
  const tensors = (set: Named, list: typeof inputs): Record<string, Tensor> =>
    Object.fromEntries(
      Object.entries(list).map(([name, { type, dims }]) => {
        const gpuBuffer = set[name]?.gpu as GPUBuffer
        return [name, ort.Tensor.fromGpuBuffer(gpuBuffer, { dataType: type as 'float32', dims })]
      }),
    )
  const bound = all.map((set) => ({ feeds: tensors(set, inputs), fetches: tensors(set, outputs) }))
  const start = performance.now()
  const session = await inTurn(() => create(ort, device, bytes))
  const run = (turn: number): Promise<unknown> => {
    const { feeds = {}, fetches = {} } = bound[turn] ?? {}
    return inTurn(() => session.run(feeds, fetches))
  }
  await run(0)
  const result = opened(lab, contest, all, { compileMs: performance.now() - start, run })
  return {
    ...result,
    close: async () => {
      await inTurn(() => session.release())
      await result.close()
    },
  }
}

function create(ort: Ort, device: GPUDevice, bytes: Uint8Array): Promise<InferenceSession> {
  return ort.InferenceSession.create(bytes, {
    executionProviders: [{ name: 'webgpu', device } as InferenceSession.ExecutionProviderConfig],
    preferredOutputLocation: 'gpu-buffer',
    // operators that fall back to the CPU would leave no pass to be timed
    extra: { session: { disable_cpu_ep_fallback: '1' } },
  })
}
