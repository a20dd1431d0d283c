import type { CompiledKernel } from '@weft/codegen'
import { isWritten } from '../bindings'
import { checkKeys, type Keys } from '../keys'
import type { Workgroups } from '../launch'
import type { ObservedDispatch, ObservedMemory, Peek } from '../observer'
import type { Runtime } from '../runtime'
import { checkWord } from '../words'
import {
  type DispatchStep,
  type Step,
  type Sum,
  sumOf,
  type Trace,
  type TracedBinding,
  type TracedBuffer,
  toHex,
} from './trace'

export interface CaptureOptions {
  /**
   * Which contents of buffers to keep. `written` (default): what the host wrote, which a replay needs. `all`: also what
   * every dispatch made of them, so that `diff` can say which element is wrong.
   */
  readonly contents?: 'written' | 'all'
}

export const CAPTURE: Keys<CaptureOptions> = { contents: true }

type Bytes = Uint8Array<ArrayBuffer>

/** A dispatch between its `before` and its end. */
interface Open {
  readonly step: Omit<DispatchStep, 'before' | 'after' | 'workgroups'>
  readonly workgroups: Promise<Workgroups>
  readonly before: readonly (readonly [ObservedMemory, Promise<Bytes>])[]
}

/** A promise that is awaited later, and may have rejected by then. */
function kept<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

/** The memory behind bindings, each once. */
function memoriesOf({ kernel, bindings }: ObservedDispatch, only: (written: boolean) => boolean): ObservedMemory[] {
  const memories = kernel.bindings.flatMap((binding) => {
    const bound = bindings.get(binding.name)
    return bound && 'memory' in bound && only(isWritten(binding)) ? [bound.memory] : []
  })
  return [...new Set(memories)]
}

/** Watches a runtime and writes down what it does. What it sees is summed up as it comes, so that it need not be kept. */
class Tracer {
  readonly passes = 'each'
  readonly #keepAll: boolean
  readonly #kernels = new Map<CompiledKernel, number>()
  readonly #numbers = new Map<ObservedMemory, number>()
  readonly #buffers: TracedBuffer[] = []
  readonly #known = new Map<number, Sum>()
  readonly #contents = new Map<Sum, Bytes>()
  readonly #steps: Step[] = []
  readonly #open = new Map<ObservedDispatch, Open>()
  #writing: Promise<void> = Promise.resolve()

  constructor({ contents = 'written' }: CaptureOptions) {
    this.#keepAll = contents === 'all'
  }

  before(dispatch: ObservedDispatch, peek: Peek): void {
    const { kernel, variant, overrides, params, bindings } = dispatch
    const traced = [...bindings].map(([name, bound]): [string, TracedBinding] => {
      if ('texture' in bound) return [name, { texture: true }]
      const { memory, offset, size } = bound
      return [name, { buffer: this.#number(memory), offset, size }]
    })
    this.#open.set(dispatch, {
      step: {
        kind: 'dispatch',
        kernel: this.#kernel(kernel),
        variant: variant.id,
        overrides: { ...overrides },
        params: toHex(params),
        bindings: Object.fromEntries(traced),
      },
      workgroups: kept(workgroupsOf(dispatch, peek)),
      before: memoriesOf(dispatch, () => true).map((memory) => [memory, kept(peek(memory))]),
    })
  }

  after(dispatch: ObservedDispatch, peek: Peek): void {
    const open = this.#open.get(dispatch)
    if (!open) return // it began before anyone watched
    this.#open.delete(dispatch)
    const after = memoriesOf(dispatch, (written) => written).map((memory) => [memory, kept(peek(memory))] as const)
    const earlier = this.#writing
    const write = async () => {
      await earlier
      await this.#write(open, after)
    }
    this.#writing = kept(write())
  }

  async trace(engine: string): Promise<Trace> {
    await this.#writing
    return {
      format: 1,
      engine,
      kernels: [...this.#kernels.keys()],
      buffers: this.#buffers,
      steps: this.#steps,
      contents: this.#contents,
    }
  }

  async #write({ step, workgroups, before }: Open, after: Open['before']): Promise<void> {
    const sums: [number, Sum][] = []
    for (const [memory, content] of before) {
      const bytes = await content
      const [buffer, sum] = [this.#number(memory), await sumOf(bytes)]
      if (this.#known.get(buffer) !== sum) {
        this.#contents.set(sum, bytes)
        this.#steps.push({ kind: 'write', buffer, content: sum })
      }
      sums.push([buffer, sum])
    }
    const results: [number, Sum][] = []
    for (const [memory, content] of after) {
      const bytes = await content
      const [buffer, sum] = [this.#number(memory), await sumOf(bytes)]
      if (this.#keepAll) this.#contents.set(sum, bytes)
      this.#known.set(buffer, sum)
      results.push([buffer, sum])
    }
    for (const [buffer, sum] of sums) if (!results.some(([other]) => other === buffer)) this.#known.set(buffer, sum)
    this.#steps.push({ ...step, workgroups: await workgroups, before: sums, after: results })
  }

  #kernel(kernel: CompiledKernel): number {
    let index = this.#kernels.get(kernel)
    if (index === undefined) this.#kernels.set(kernel, (index = this.#kernels.size))
    return index
  }

  #number(memory: ObservedMemory): number {
    let number = this.#numbers.get(memory)
    if (number === undefined) {
      this.#numbers.set(memory, (number = this.#buffers.length))
      this.#buffers.push({ label: memory.label, size: memory.size })
    }
    return number
  }
}

async function workgroupsOf({ workgroups, indirect }: ObservedDispatch, peek: Peek): Promise<Workgroups> {
  if (workgroups) return workgroups
  if (!indirect) return [0, 0, 0]
  const bytes = await peek(indirect.memory)
  const [x = 0, y = 0, z = 0] = new Uint32Array(bytes.slice(indirect.offset, indirect.offset + 12).buffer)
  return [x, y, z]
}

/**
 * Runs `body` and writes down what `runtime` dispatches meanwhile: kernels, params, bindings, and sums of all bound
 * buffers before and after each dispatch. It reads them all back, so it is for finding faults and slow. Rejects with
 * what `body` rejects with, or with what `runtime.idle()` does after it.
 */
export async function capture(runtime: Runtime, body: () => unknown, options: CaptureOptions = {}): Promise<Trace> {
  checkKeys('capture', options, CAPTURE)
  checkWord('contents', options.contents, ['written', 'all'])
  const tracer = new Tracer(options)
  const detach = runtime.observe(tracer)
  try {
    await body()
    await runtime.idle()
  } finally {
    detach()
  }
  return tracer.trace(runtime.info.adapter)
}
