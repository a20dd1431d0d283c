// jax-js, compiled by its `jit`. Its arrays own their memory, so the inputs are filled there by the lab's formula.

import type { Array as JaxArray } from '@jax-js/jax'
import packages from '../../../package.json'
import type { Contest, ElementType, Entry, Opened } from '../contest'
import { dimsOf } from '../dims'
import { fill, type Lab, reader, turnsOf } from '../lab'
import { facade, gpuOf, withGpu } from './facade'
import { JAX_FORMULAS, type JaxFormula } from './jax-formulas'
import { needsType, outputOf, type Peer } from './peer'

type Jax = typeof import('@jax-js/jax')

/** The device as jax-js sees it, and where its arrays are. */
interface Watched {
  readonly device: GPUDevice
  /** Makes an array without moving its content: the buffer that it would be written to. */
  place(make: () => JaxArray): { readonly array: JaxArray; readonly buffer: GPUBuffer }
  /** The buffer that the last kernel wrote. */
  last(): GPUBuffer
}

function watch(device: GPUDevice): Watched {
  let written: GPUBuffer | undefined
  let placing: ((buffer: GPUBuffer) => void) | undefined
  const writeBuffer: GPUQueue['writeBuffer'] = (...args) => {
    if (placing) placing(args[0])
    else device.queue.writeBuffer(...args)
  }
  const createBindGroup: GPUDevice['createBindGroup'] = (descriptor) => {
    const entry = [...descriptor.entries].at(-1)
    // results come last among the storage of a kernel; its constants are a group of their own, with a size
    const resource = entry?.resource as GPUBufferBinding
    if (resource.size === undefined) written = resource.buffer
    return device.createBindGroup(descriptor)
  }
  return {
    device: facade(device, { queue: facade(device.queue, { writeBuffer }), createBindGroup }),
    place: (make) => {
      let buffer: GPUBuffer | undefined
      placing = (used) => {
        buffer = used
      }
      try {
        const array = make()
        if (!buffer) throw new Error('the array was not put on the device')
        return { array, buffer }
      } finally {
        placing = undefined
      }
    },
    last: () => written as GPUBuffer,
  }
}

/** What jax-js takes for granted and Node 20 does not have yet: an array that holds the bytes of f16, and methods of iterators. */
function bringUpToDate(): void {
  if (!('Float16Array' in globalThis)) Object.assign(globalThis, { Float16Array: class extends Uint16Array {} })
  const iterators = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())) as Record<string, unknown>
  for (const name of ['map', 'filter'] as const) {
    iterators[name] ??= function (this: Iterable<unknown>, f: (item: unknown) => unknown) {
      return [...this][name](f)
    }
  }
}

export async function loadJax(lab: Lab): Promise<Peer> {
  const watched = watch(lab.device)
  bringUpToDate()
  const jax = await withGpu(gpuOf(lab.gpu, watched.device), async () => {
    const library = await import('@jax-js/jax')
    const ready = await library.init('webgpu')
    if (!ready.includes('webgpu')) throw new Error('its WebGPU backend did not start')
    library.defaultDevice('webgpu')
    return library
  })
  const label = `jax-js ${packages.devDependencies['@jax-js/jax']}`
  const entry = (contest: Contest): Entry | null => {
    const formula = contest.kind && JAX_FORMULAS[contest.kind]
    return formula ? { name: label, open: (lab) => open(jax, watched, lab, contest, formula) } : null
  }
  return { label, entry }
}

/** A typed array of the host that says what type the elements have; its content is never read. */
const hostArray = (type: ElementType, n: number): Float32Array => {
  const { Float16Array: Half } = globalThis as unknown as { Float16Array: typeof Uint16Array }
  const array = type === 'f16' ? new Half(n) : type === 'u32' ? new Uint32Array(n) : new Float32Array(n)
  array[0] = 1 // arrays of equal elements would become constants
  return array as unknown as Float32Array
}

async function inputsOf(
  { numpy }: Jax,
  watched: Watched,
  lab: Lab,
  contest: Contest,
  names: readonly string[],
): Promise<JaxArray[]> {
  const dims = dimsOf(contest)
  const arrays: JaxArray[] = []
  for (const name of names) {
    const input = contest.inputs[name]
    if (!input) throw new Error(`the contest has no input '${name}'`)
    const values = hostArray(input.type, input.length)
    const { array, buffer } = watched.place(() => numpy.array(values, { shape: dims[name] as number[] }))
    await fill(lab, buffer, input)
    arrays.push(array)
  }
  return arrays
}

async function open(jax: Jax, watched: Watched, lab: Lab, contest: Contest, formula: JaxFormula): Promise<Opened> {
  needsType(contest, ['f32', 'f16'])
  const only = formula.eager ? '' : outputOf(contest)
  const call = (...x: JaxArray[]) => formula.call(jax, contest, ...x)
  const compiled = formula.eager ? null : jax.jit(call as (...x: JaxArray[]) => JaxArray)
  const all: JaxArray[][] = []
  for (let turn = turnsOf(contest); turn > 0; turn--) {
    all.push(await inputsOf(jax, watched, lab, contest, formula.inputs))
  }
  const results: JaxArray[][] = []
  const buffers: Record<string, GPUBuffer> = {}
  const once = async (turn: number): Promise<void> => {
    const y = (compiled ?? call)(...(all[turn] as JaxArray[]).map((x) => x.ref))
    const byName = compiled ? { [only]: y as JaxArray } : (y as Readonly<Record<string, JaxArray>>)
    for (const [name, array] of Object.entries(byName)) {
      await jax.blockUntilReady(array)
      buffers[name] = watched.last()
    }
    results.push(Object.values(byName))
    if (results.length > all.length) for (const old of results.shift() ?? []) old.dispose()
  }
  const start = performance.now()
  await once(0)
  return {
    compileMs: performance.now() - start,
    turns: all.length,
    run: once,
    read: (name, first, count) => reader(lab, contest, buffers)(name, first, count),
    close: () => {
      for (const array of [...results, ...all].flat()) array.dispose()
      compiled?.dispose()
    },
  }
}
