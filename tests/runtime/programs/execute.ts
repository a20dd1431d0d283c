/** A program on a runtime: with everything that it has against waiting, or with nothing of it. */
import type { DeviceBuffer, PreparedDispatch, Runtime } from '@weft/runtime'
import { expect } from 'vitest'
import { accumulate, affine, combine, fill, histogram, scatter } from '../kernels.js'
import { contentOf, copied, type Fresh, type Program, recordable, type Step, scattered, written } from './program.js'

type Buffer = DeviceBuffer<Uint32Array>
type Op<O extends Step['op']> = Step & { readonly op: O }

/**
 * `eager`: pooled buffers, batches, prepared dispatches and recordings, nothing awaited. `plain`: a new buffer for each,
 * launches only, every call awaited, no batches.
 */
export type Mode = 'eager' | 'plain'

const least = (...buffers: readonly Buffer[]): number => Math.min(...buffers.map(({ size }) => size / 4))

class Execution {
  readonly slots: Buffer[]
  readonly #seen: (Promise<number[]> | number[])[] = []
  readonly #batches: { end(): Promise<void> }[] = []
  readonly #eager: boolean

  constructor(
    readonly runtime: Runtime,
    mode: Mode,
    start: readonly Fresh[],
  ) {
    this.#eager = mode === 'eager'
    this.slots = start.map((fresh) => this.#make(fresh))
  }

  #make({ size, seed }: Fresh, zero = true): Buffer {
    const options = { pooled: this.#eager, zero }
    if (seed === null) return this.runtime.buffer(Uint32Array, size, options)
    return this.runtime.buffer(contentOf({ size, seed }), options)
  }

  #replace(slot: number, fresh: Fresh, zero?: boolean): void {
    this.slots[slot]?.destroy()
    this.slots[slot] = this.#make(fresh, zero)
  }

  #of(slot: number): Buffer {
    return this.slots[slot] as Buffer
  }

  async step(step: Step): Promise<void> {
    if (step.op === 'affine') return this.#affine(step)
    if (step.op === 'record') return recordable(step) ? this.#record(step) : undefined
    const done = this.#start(step)
    if (!this.#eager) await done
    else done?.catch(() => undefined) // told by the reads
  }

  #start(step: Step): Promise<unknown> | undefined {
    const { runtime } = this
    switch (step.op) {
      case 'new':
        this.#replace(step.slot, step.fresh)
        return undefined
      case 'overwrite':
        this.#replace(step.slot, { size: step.size, seed: null }, false)
        return runtime.run(fill, { out: this.#of(step.slot), n: step.size, value: step.value })
      case 'write': {
        const { at, data } = written(this.#of(step.slot).size, step)
        this.#of(step.slot).write(data, at)
        return undefined
      }
      case 'read':
        return this.#read(step.slots)
      case 'begin':
        if (this.#eager) this.#batches.push(runtime.batch())
        return undefined
      case 'end':
        return this.#batches.pop()?.end()
      case 'flush':
        return this.#eager ? runtime.flush() : undefined
      default:
        return this.#launch(step)
    }
  }

  #read(slots: readonly number[]): Promise<unknown> {
    const buffers = slots.map((slot) => this.#of(slot))
    const values = this.#eager ? this.runtime.readMany(buffers) : Promise.all(buffers.map((buffer) => buffer.read()))
    const lists = buffers.map(async (_, i) => [...((await values)[i] as Uint32Array)])
    this.#seen.push(...lists)
    return Promise.all(lists)
  }

  #launch(step: Step): Promise<unknown> | undefined {
    const { runtime } = this
    switch (step.op) {
      case 'fill': {
        const out = this.#of(step.out)
        return runtime.run(fill, { out, n: least(out), value: step.value })
      }
      case 'combine': {
        const [p, q, out] = [this.#of(step.p), this.#of(step.q), this.#of(step.out)]
        if (out === p || out === q) return undefined
        return runtime.run(combine, { p, q, out, n: least(p, q, out), shift: step.shift })
      }
      case 'accumulate': {
        const [x, sum] = [this.#of(step.x), this.#of(step.sum)]
        return x === sum ? undefined : runtime.run(accumulate, { x, sum, n: least(x, sum) })
      }
      case 'scatter': {
        const [x, out] = [this.#of(step.x), this.#of(step.out)]
        return x === out ? undefined : runtime.run(scatter, { x, out, n: scattered(least(x), least(out)) })
      }
      case 'histogram': {
        const [x, counts] = [this.#of(step.x), this.#of(step.counts)]
        return x === counts || least(counts) < 4 ? undefined : runtime.run(histogram, { x, counts, n: least(x) })
      }
      default:
        return undefined
    }
  }

  async #affine({ x: from, y: to, a, b: first, times }: Op<'affine'>): Promise<void> {
    const [x, y] = [this.#of(from), this.#of(to)]
    const args = { x, y, n: least(x, y), a }
    const step = this.#eager ? await this.runtime.prepare(affine, { ...args, b: 0 }) : null
    for (let t = 0; t < times; t++) {
      const b = (first + t) % 2 ** 32
      if (step) void step.set({ b }).run()
      else await this.runtime.run(affine, { ...args, b })
    }
  }

  async #record(step: Op<'record'>): Promise<void> {
    const [x, y, out, to] = [step.x, step.y, step.out, step.to].map((slot) => this.#of(slot)) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ]
    const args = { n: least(x, y), a: step.a, b: step.b }
    const both = { p: y, q: x, out, n: least(y, x, out), shift: 0 }
    const size = 4 * copied(least(out), least(to))
    if (this.#eager) {
      const [first, second] = [
        await this.runtime.prepare(affine, { x, y, ...args }),
        await this.runtime.prepare(combine, both),
      ]
      this.#replays(step, first, second, [out, to, size])
      return
    }
    for (let t = 0; t < step.times; t++) {
      await this.runtime.run(affine, { x, y, ...args, b: step.b + t })
      await this.runtime.run(combine, { ...both, shift: t })
      to.write(await out.read(Uint32Array, { size }))
      this.#seen.push([...(await out.read())])
    }
  }

  #replays(
    step: Op<'record'>,
    first: PreparedDispatch<typeof affine>,
    second: PreparedDispatch<typeof combine>,
    [out, to, size]: readonly [Buffer, Buffer, number],
  ): void {
    const recording = this.runtime.record((r) => {
      r.dispatch(first).dispatch(second).copy(out.range(0, size), to.range(0, size))
      return [r.read(out)]
    })
    for (let t = 0; t < step.times; t++) {
      first.set({ b: step.b + t })
      second.set({ shift: t })
      this.#seen.push(recording.replay().then(([values]) => [...values]))
    }
    recording.destroy()
  }

  async finish(): Promise<number[][]> {
    for (const batch of this.#batches.splice(0).reverse()) await batch.end()
    this.#seen.push(...this.slots.map(async (buffer) => [...(await buffer.read())]))
    const seen = await Promise.all(this.#seen)
    const [slot] = this.slots as [Buffer]
    const kept = this.#eager ? await this.runtime.prepare(fill, { out: slot, n: 1, value: 1 }) : null
    for (const buffer of this.slots) buffer.destroy()
    await expect(kept?.run() ?? Promise.reject({ code: 'stale-replay' })).rejects.toMatchObject({
      code: 'stale-replay',
    })
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
