// tfjs over its WebGPU backend, on buffers of the lab; its results are tensors of its own.

import type { Tensor } from '@tensorflow/tfjs-core'
import type { Contest, Entry, Opened } from '../contest'
import { dimsOf } from '../dims'
import { sets } from '../entries'
import { type Lab, type Named, reader } from '../lab'
import { needsType, outputOf, type Peer } from './peer'
import { TFJS_FORMULAS } from './tfjs-formulas'

type Tf = typeof import('@tensorflow/tfjs-core')
type Backend = InstanceType<typeof import('@tensorflow/tfjs-backend-webgpu')['WebGPUBackend']>
type Run = (set: Named) => Tensor

export async function loadTfjs(lab: Lab): Promise<Peer> {
  const tf = await import('@tensorflow/tfjs-core')
  const { WebGPUBackend } = await import('@tensorflow/tfjs-backend-webgpu')
  const backend = new WebGPUBackend(lab.device, lab.adapterInfo)
  // its kernels are registered for that name, under which it would open a device of its own
  tf.removeBackend('webgpu')
  tf.registerBackend('webgpu', () => backend)
  await tf.setBackend('webgpu')
  await tf.ready()
  const label = `tfjs ${tf.version_core}`
  const entry = (contest: Contest): Entry | null => {
    if (contest.kind === undefined || !(contest.kind in TFJS_FORMULAS)) return null
    return { name: label, open: (lab) => open(tf, backend, lab, contest) }
  }
  return { label, entry }
}

/** What it does in one run: the formula over tensors that stand for the buffers of a set. */
function running(tf: Tf, contest: Contest): Run {
  const formula = TFJS_FORMULAS[contest.kind as keyof typeof TFJS_FORMULAS] as NonNullable<
    (typeof TFJS_FORMULAS)[keyof typeof TFJS_FORMULAS]
  >
  const dims = dimsOf(contest)
  const known = new Map<Named, Record<string, Tensor>>()
  const tensorsOf = (set: Named): Record<string, Tensor> =>
    Object.fromEntries(
      Object.keys(contest.inputs).map((name) => {
        const buffer = set[name]?.gpu as GPUBuffer
        return [name, tf.tensor({ buffer, zeroCopy: true }, dims[name] as number[], 'float32')]
      }),
    )
  return (set) => {
    const tensors = known.get(set) ?? tensorsOf(set)
    known.set(set, tensors)
    return tf.tidy(() => formula(tf, tensors, contest))
  }
}

async function open(tf: Tf, backend: Backend, lab: Lab, contest: Contest): Promise<Opened> {
  needsType(contest, ['f32'])
  const output = outputOf(contest)
  const all = await sets(lab, contest)
  const run = running(tf, contest)
  const results: Tensor[] = []
  // results of as many runs as there are sets are kept, so that its pool does not give it warm memory
  const once = (turn: number): void => {
    results.push(run(all[turn] as Named))
    backend.endComputePassEncoder()
    backend.submitQueue()
    if (results.length > all.length) results.shift()?.dispose()
  }
  const start = performance.now()
  once(0)
  await lab.device.queue.onSubmittedWorkDone()
  return {
    compileMs: performance.now() - start,
    turns: all.length,
    run: once,
    read: async (name, first, count) => {
      const { tensorRef, buffer } = (results.at(-1) as Tensor).dataToGPU()
      try {
        return await reader(lab, contest, { [output]: buffer as GPUBuffer })(name, first, count)
      } finally {
        tensorRef.dispose()
      }
    },
    close: () => {
      for (const tensor of results) tensor.dispose()
      for (const set of all) for (const buffer of Object.values(set)) buffer.destroy()
    },
  }
}
