/** A program on a runtime: with everything that it has against waiting, or with nothing of it. */
import type { DeviceBuffer, Runtime } from '@weft/runtime'
import { accumulate, affine, combine, fill, histogram, scatter } from '../kernels.js'
import { contentOf, type Fresh, type Program, type Step, scattered, written } from './program.js'

type Buffer = DeviceBuffer<Uint32Array>

/** `eager`: pooled buffers, batches, nothing awaited. `plain`: a new buffer for each, every call awaited, no batches. */
export type Mode = 'eager' | 'plain'

class Execution {
  readonly slots: Buffer[]
  readonly #seen: (Promise<number[]> | number[])[] = []
  readonly #batches: { end(): Promise<void> }[] = []

  constructor(
    readonly runtime: Runtime,
    readonly mode: Mode,
    start: readonly Fresh[],
  ) {
    this.slots = start.map((fresh) => this.#make(fresh))
  }

  #make(fresh: Fresh): Buffer {
    const options = { pooled: this.mode === 'eager' }
    if (fresh.seed === null) return this.runtime.buffer(Uint32Array, fresh.size, options)
    return this.runtime.buffer(contentOf(fresh), options)
  }

  #replace(slot: number, by: () => Buffer): void {
    this.slots[slot]?.destroy()
    this.slots[slot] = by()
  }

  async step(step: Step): Promise<void> {
    const done = this.#start(step)
    if (this.mode === 'plain') await done
    else done?.catch(() => undefined) // told by the reads
  }

  #start(step: Step): Promise<unknown> | undefined {
    const { runtime, mode } = this
    switch (step.op) {
      case 'new':
        this.#replace(step.slot, () => this.#make(step.fresh))
        return undefined
      case 'overwrite': {
        this.#replace(step.slot, () =>
          runtime.buffer(Uint32Array, step.size, { pooled: mode === 'eager', zero: false }),
        )
        return runtime.run(fill, { out: this.#of(step.slot), n: step.size, value: step.value })
      }
      case 'write': {
        const buffer = this.#of(step.slot)
        const { at, data } = written(buffer.size, step)
        buffer.write(data, at)
        return undefined
      }
      case 'read':
        return this.#read(step.slots)
      case 'begin':
        if (mode === 'eager') this.#batches.push(runtime.batch())
        return undefined
      case 'end':
        return this.#batches.pop()?.end()
      case 'flush':
        return mode === 'eager' ? runtime.flush() : undefined
      default:
        return this.#launch(step)
    }
  }

  #of(slot: number): Buffer {
    return this.slots[slot] as Buffer
  }

  #read(slots: readonly number[]): Promise<unknown> {
    const buffers = slots.map((slot) => this.#of(slot))
    const values =
      this.mode === 'eager' ? this.runtime.readMany(buffers) : Promise.all(buffers.map((buffer) => buffer.read()))
    const lists = buffers.map(async (_, i) => [...((await values)[i] as Uint32Array)])
    this.#seen.push(...lists)
    return Promise.all(lists)
  }

  #launch(step: Step): Promise<unknown> | undefined {
    const { runtime } = this
    const n = (...buffers: Buffer[]) => Math.min(...buffers.map(({ size }) => size / 4))
    switch (step.op) {
      case 'fill': {
        const out = this.#of(step.out)
        return runtime.run(fill, { out, n: n(out), value: step.value })
      }
      case 'affine':
        return this.#affine(step)
      case 'combine': {
        const [p, q, out] = [this.#of(step.p), this.#of(step.q), this.#of(step.out)]
        if (out === p || out === q) return undefined
        return runtime.run(combine, { p, q, out, n: n(p, q, out), shift: step.shift })
      }
      case 'accumulate': {
        const [x, sum] = [this.#of(step.x), this.#of(step.sum)]
        return x === sum ? undefined : runtime.run(accumulate, { x, sum, n: n(x, sum) })
      }
      case 'scatter': {
        const [x, out] = [this.#of(step.x), this.#of(step.out)]
        return x === out ? undefined : runtime.run(scatter, { x, out, n: scattered(n(x), n(out)) })
      }
      case 'histogram': {
        const [x, counts] = [this.#of(step.x), this.#of(step.counts)]
        return x === counts || n(counts) < 4 ? undefined : runtime.run(histogram, { x, counts, n: n(x) })
      }
      default:
        return undefined
    }
  }

  async #affine({ x, y, a, b, times }: Step & { op: 'affine' }): Promise<void> {
    const [from, to] = [this.#of(x), this.#of(y)]
    const n = Math.min(from.size, to.size) / 4
    // in one go, so that nothing of another step comes between
    const runs = Array.from({ length: times }, (_, t) =>
      this.runtime.run(affine, { x: from, y: to, n, a, b: (b + t) % 2 ** 32 }),
    )
    await Promise.all(runs)
  }

  async finish(): Promise<number[][]> {
    const ends = this.#batches.splice(0).reverse()
    for (const batch of ends) await batch.end()
    this.#seen.push(...this.slots.map(async (buffer) => [...(await buffer.read())]))
    const seen = await Promise.all(this.#seen)
    for (const buffer of this.slots) buffer.destroy()
    await this.runtime.idle()
    return seen
  }
}

/** Everything that the program reads, and all its buffers at the end. */
export async function execute(runtime: Runtime, { start, steps }: Program, mode: Mode): Promise<number[][]> {
  const execution = new Execution(runtime, mode, start)
  for (const step of steps) await execution.step(step)
  return execution.finish()
}
