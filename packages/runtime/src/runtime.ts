import type { CompiledKernel } from '@weft/codegen'
import type { BaseData, Infer, InferInput } from 'typegpu/data'
import { Arena, type ArenaOptions } from './arena'
import type { Backend, RecordedOp } from './backend'
import { Batch } from './batch'
import { type BufferLike, DeviceBuffer, formOf, ownerOf, type ReadAll, type ReadRange } from './buffer'
import { Buffers } from './buffers'
import { type ArrayType, bytesOf, type HostBytes, viewAs } from './bytes'
import { fault, type WeftError } from './errors'
import type { LaunchExplanation } from './explain'
import type { RuntimeInfo } from './info'
import { Launches } from './launches'
import type { Life } from './life'
import type { Memory } from './memory'
import { attach, type Observer } from './observer'
import type { Leak } from './pool/leases'
import type { PreparedDispatch } from './prepared'
import { checkReadings, type Reading, Recorder } from './recorder'
import { Recording } from './recording'
import type { Arguments, BufferOptions, Launcher, PrepareOptions, RunOptions, RuntimeStats } from './signature'
import { Work } from './work'

/** Runs compiled kernels on one device. Made by `createRuntime`. */
export class Runtime {
  readonly #backend: Backend
  readonly #life: Life
  readonly #work: Work
  readonly #buffers: Buffers
  readonly #launches: Launches

  /** Use `createRuntime`. */
  constructor(backend: Backend, life: Life) {
    this.#backend = backend
    this.#life = life
    this.#work = new Work(backend, life)
    this.#buffers = new Buffers(this.#work)
    this.#launches = new Launches(this.#work, this.#buffers)
  }

  get info(): RuntimeInfo {
    return this.#backend.info
  }

  /** The GPUDevice, or null on the CPU. */
  get device(): GPUDevice | null {
    return this.#backend.device
  }

  /** Why nothing can run any more (`device-lost`), or null. */
  get lost(): WeftError | null {
    return this.#life.ended
  }

  get stats(): RuntimeStats {
    const { pipelines, bindGroups, stream, heap, staging } = this.#backend
    const { dispatches, skipped } = this.#launches
    const { submits } = stream
    return {
      dispatches,
      skipped,
      submits,
      pipelines,
      bindGroups: bindGroups.stats,
      buffers: heap.buffers,
      pool: heap.pool.stats,
      staging,
    }
  }

  /**
   * A buffer with the bytes of a typed array, of its window when it is a view; `read()` gives that kind of array. The kind
   * is how the host sees the bytes, and no more: a binding of any type takes them, so a Uint32Array that is bound to
   * `array<f32>` gives the floats of those bits.
   */
  buffer<T extends ArrayBufferView>(data: T, options?: BufferOptions): DeviceBuffer<T extends DataView ? Uint8Array : T>
  buffer(data: ArrayBuffer | SharedArrayBuffer, options?: BufferOptions): DeviceBuffer<Uint8Array<ArrayBuffer>>
  /** A buffer of so many bytes, all 0. */
  buffer(bytes: { readonly size: number }, options?: BufferOptions): DeviceBuffer<Uint8Array<ArrayBuffer>>
  /** A buffer for so many elements, all 0: `runtime.buffer(Float32Array, 1000)`. */
  buffer<T extends ArrayBufferView>(type: ArrayType<T>, length: number, options?: BufferOptions): DeviceBuffer<T>
  /** A buffer for a value of a TypeGPU schema, which is also what `read()` gives. */
  buffer<S extends BaseData>(schema: S, value?: InferInput<S>, options?: BufferOptions): DeviceBuffer<Infer<S>>
  /** Throws `buffer-data`, `not-host-shareable`, `binding-limit` (asked and allowed sizes) or `device-lost`. */
  buffer(what: unknown, ...rest: unknown[]): DeviceBuffer<unknown> {
    return this.#buffers.make(what, rest)
  }

  /** Whether it is a buffer that this runtime made: others cannot use it. */
  owns(buffer: BufferLike): boolean {
    return buffer instanceof DeviceBuffer && ownerOf(buffer) === this.#buffers
  }

  /** Reads any buffer, a GPUBuffer or a range too, as one kind of typed array. See `DeviceBuffer.read`. */
  async read<T extends ArrayBufferView>(buffer: BufferLike, as: ArrayType<T>, range?: ReadRange): Promise<T> {
    return viewAs(as, await this.#buffers.readBytes(buffer, range))
  }

  /**
   * Reads several buffers in one round trip: `const [a, b] = await runtime.readMany([x, y])`. Each as by its own
   * `read()`; of a GPUBuffer or a range, the bytes. Rejects when any of the reads would.
   */
  async readMany<const B extends readonly BufferLike[]>(buffers: B): Promise<ReadAll<B>> {
    const bytes = await this.#buffers.readMany(buffers.map((buffer) => ({ buffer })))
    const values = buffers.map((buffer, i) => {
      const read = bytes[i] as Uint8Array<ArrayBuffer>
      return buffer instanceof DeviceBuffer ? formOf(buffer).decode(read) : read
    })
    return values as ReadAll<B>
  }

  /** Writes host bytes into any buffer at `offset` (bytes). See `DeviceBuffer.write`. */
  write(buffer: BufferLike, data: HostBytes, offset = 0): void {
    this.#buffers.writeBytes(buffer, bytesOf(data), offset)
  }

  /** The kernel as a function: `const saxpy = runtime.load(compiled); await saxpy({ x, y, n, a })`. */
  load<K extends CompiledKernel>(kernel: K): Launcher<K> {
    return this.#launches.launcher(kernel) as Launcher<K>
  }

  /**
   * Runs a kernel once: bindings and params by name in one object. Arguments are checked and copied during the call.
   * Calls take effect in their order, awaited or not. Resolves when the device has accepted the work (in a
   * batch, when it is recorded) – to see results, read a buffer. Rejects with a code of its own for each wrong argument
   * (nothing has run then), with `no-variant`, `compile-failed`, `dispatch-failed` or `device-lost`. A launch that nobody
   * awaits is not lost when it fails: later reads of what it should have written reject too, and so do `idle()` and the
   * batch that it is in. Who awaits a call with a wrong argument has been told, and its buffers are as they were.
   */
  run<K extends CompiledKernel>(kernel: K, args: Arguments<K>, options?: RunOptions): Promise<void> {
    return this.#launches.launch(this.run, kernel, args, options)
  }

  /**
   * Compiles kernels ahead of their first use, in parallel: the variants that `run` and `prepare` take for separate
   * buffers. Rejects as `load(kernel).compile` does, when all have been tried.
   */
  warmup(kernels: readonly CompiledKernel[], options?: RunOptions): Promise<void> {
    return this.#launches.warmup(kernels, options)
  }

  /** What a launch would do, and why: plain data, as of the call. Nothing runs or is compiled. Rejects as `run` does. */
  async explainLaunch<K extends CompiledKernel>(
    kernel: K,
    args: Arguments<K>,
    options: RunOptions = {},
  ): Promise<LaunchExplanation> {
    this.#life.check()
    const loaded = this.#launches.loaded(kernel)
    const draft = loaded.draft(this.explainLaunch, args, options, this.#buffers.range, 'once')
    const asked = loaded.asked(draft, args, options)
    // a part of its own: who asks is looking for a fault
    const { explain } = await import('./explain')
    return explain(draft, asked, options, this.info.limits)
  }

  /**
   * Checks, compiles and binds a dispatch once, to be run, recorded and replayed many times; see `PreparedDispatch`. It
   * holds on to its buffers. Rejects as `run` does.
   */
  async prepare<K extends CompiledKernel>(
    kernel: K,
    args: Arguments<K>,
    options: PrepareOptions<K> = {},
  ): Promise<PreparedDispatch<K>> {
    const prepared = await this.#launches.prepare(
      this.prepare,
      this.#launches.loaded(kernel),
      args,
      options as PrepareOptions,
    )
    return prepared as unknown as PreparedDispatch<K>
  }

  /**
   * Puts prepared dispatches, copies and reads together, to be replayed in one submit; see `Recording`. What `body`
   * returns are the readings that a replay gives the values of:
   *
   *     const recording = runtime.record((r) => {
   *       r.dispatch(embed).dispatch(attend)
   *       return [r.read(logits)]
   *     })
   *     const [values] = await recording.replay()
   *
   * Throws `bad-argument` where `body` is async – await what is to be recorded before – or returns anything else.
   */
  record<const R extends readonly Reading<unknown>[] = []>(body: (recorder: Recorder) => R | void): Recording<R> {
    this.#life.check()
    const ops: RecordedOp[] = []
    const readings = body(new Recorder(this.#launches, ops)) ?? ([] as unknown as R)
    Object.freeze(ops) // a recorder that is kept adds nothing any more
    checkReadings(readings)
    return new Recording(this.#launches, ops, readings)
  }

  /**
   * Records everything that is called until the batch ends – launches, uploads, replays – into one submit, in the order
   * of the calls; reads within it submit what is recorded so far. Batches nest, and the outermost one submits.
   *
   *     await runtime.batch(async () => { … })     ends when the function does; gives its value
   *     using batch = runtime.batch()              ends with the block, or with `await batch.end()`
   *
   * Rejects with the first failure of what was called in it.
   */
  batch(): Batch
  batch<T>(body: () => T | Promise<T>): Promise<T>
  batch<T>(body?: () => T | Promise<T>): Batch | Promise<T> {
    this.#life.check()
    const batch = new Batch(this.#work)
    return body ? within(batch, body) : batch
  }

  /** Submits what an open batch has recorded so far. Resolves when the device has accepted it. */
  flush(): Promise<void> {
    this.#life.check()
    return this.#work.promised(this.#work.flush())
  }

  /** Resolves when all work is done; rejects with the first failure since the last call, whether it was awaited or not. */
  async idle(): Promise<void> {
    this.#life.check()
    this.#work.flush()
    await this.#work.settled()
    await this.#life.during(this.#backend.idle())
    const failure = this.#life.takeFailure()
    if (failure) throw failure
  }

  /** One buffer of so many bytes for many small tensors. See `Arena`. Throws `buffer-data`, `bad-argument`, `binding-limit`. */
  arena(size: number, options: ArenaOptions = {}): Arena {
    this.#life.check()
    return new Arena(this.#buffers, size, options)
  }

  /** The buffers that were made and not destroyed, oldest first. */
  leaks(): readonly Leak[] {
    return this.#backend.heap.leaks()
  }

  /** Destroys buffers that are kept for reuse, the least recently used first, until no more than `keepBytes` are left. */
  trim(keepBytes = 0): void {
    this.#backend.heap.pool.trim(keepBytes)
  }

  /** Lets something watch what the runtime does from now on: a profiler, a tracer. Gives the function that ends it. */
  observe(observer: Observer): () => void {
    this.#life.check()
    return attach(this.#backend, observer, async (watched) => {
      const memory = watched as Memory
      const [bytes] = await this.#backend.read([{ memory, offset: 0, size: memory.size }])
      return bytes as Uint8Array<ArrayBuffer>
    })
  }

  /** Ends the runtime: what is pending rejects `device-lost`, and so does every later call. Destroys the device if it owns it. */
  destroy(): void {
    if (!this.#life.ended) this.#life.end(fault('device-lost', 'the runtime was destroyed'))
    this.#backend.destroy()
  }

  [Symbol.dispose](): void {
    this.destroy()
  }
}

async function within<T>(batch: Batch, body: () => T | Promise<T>): Promise<T> {
  let value: T
  try {
    value = await body()
  } catch (error) {
    // what the batch did by then is done all the same, and what became of it is told by `idle`
    await batch.end().catch(() => undefined)
    throw error
  }
  await batch.end()
  return value
}
