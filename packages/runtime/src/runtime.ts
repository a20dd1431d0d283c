import type { CompiledKernel } from '@weft/codegen'
import type { BaseData, Infer, InferInput } from 'typegpu/data'
import type { Backend } from './backend'
import type { Range } from './bindings'
import { type BufferLike, type BufferOwner, DeviceBuffer, type ReadRange } from './buffer'
import { type ArrayType, bytesOf, type HostBytes, viewAs } from './bytes'
import { count, fault, isWeftError, shown, textOf, type WeftError } from './errors'
import { wanted } from './forms'
import type { RuntimeInfo } from './info'
import { LoadedKernel, type Plan } from './kernel'
import type { Life } from './life'
import { follow, type Memory, type Outcome } from './memory'
import { attach, type Observer } from './observer'
import { rangeOf } from './resolve'
import type { Arguments, BufferOptions, Launcher, RunOptions, RuntimeStats } from './signature'
import { Timeline } from './timeline'

const asFault = (error: unknown): WeftError => (isWeftError(error) ? error : fault('dispatch-failed', textOf(error)))

/** Runs compiled kernels on one device. Made by `createRuntime`. */
export class Runtime {
  readonly #backend: Backend
  readonly #life: Life
  readonly #timeline = new Timeline()
  readonly #loaded = new WeakMap<CompiledKernel, Launcher>()
  readonly #unsettled = new Set<Outcome>()
  readonly #counts = { dispatches: 0, skipped: 0, live: 0, bytes: 0 }
  readonly #owner: BufferOwner

  /** Use `createRuntime`. */
  constructor(backend: Backend, life: Life) {
    this.#backend = backend
    this.#life = life
    this.#owner = {
      readBytes: (buffer, range) => this.#read(buffer, range),
      writeBytes: (buffer, bytes, offset) => this.#write(buffer, bytes, offset),
      free: (memory) => this.#free(memory),
    }
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
    const { dispatches, skipped, live, bytes } = this.#counts
    return { pipelines: this.#backend.pipelines, dispatches, skipped, buffers: { live, bytes } }
  }

  /** A buffer with the bytes of a typed array, of its window when it is a view; `read()` gives that kind of array. */
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
    this.#life.check()
    const second =
      rest.length > 1 || typeof what === 'function' || (typeof what === 'object' && what !== null && 'type' in what)
    const { size, form, initial } = wanted(what, second ? rest[0] : undefined)
    const { label = 'buffer' } = ((second ? rest[1] : rest[0]) ?? {}) as BufferOptions
    const most = this.info.limits.maxBufferSize
    if (most !== undefined && size > most) {
      throw fault(
        'binding-limit',
        `'${label}' would have ${count(size)} bytes, and the device allows ${count(most)} (maxBufferSize)`,
        'use several buffers, or create the runtime with the limits of the adapter',
      )
    }
    const memory = this.#backend.allocate(size, label)
    this.#counts.live++
    this.#counts.bytes += size
    if (initial && size > 0) this.#backend.write(memory, 0, initial)
    return new DeviceBuffer(memory, this.#owner, form)
  }

  /** Reads any buffer, a GPUBuffer or a range too, as one kind of typed array. See `DeviceBuffer.read`. */
  async read<T extends ArrayBufferView>(buffer: BufferLike, as: ArrayType<T>, range?: ReadRange): Promise<T> {
    return viewAs(as, await this.#read(buffer, range))
  }

  /** Writes host bytes into any buffer at `offset` (bytes). See `DeviceBuffer.write`. */
  write(buffer: BufferLike, data: HostBytes, offset = 0): void {
    this.#write(buffer, bytesOf(data), offset)
  }

  /** The kernel as a function: `const saxpy = runtime.load(compiled); await saxpy({ x, y, n, a })`. */
  load<K extends CompiledKernel>(kernel: K): Launcher<K> {
    checkKernel(kernel)
    let launcher = this.#loaded.get(kernel)
    if (!launcher) {
      const loaded = new LoadedKernel(kernel, this.#backend)
      const launch = (args: Readonly<Record<string, unknown>> = {}, options: RunOptions = {}) =>
        this.#launch(loaded, args, options)
      const compile = async (options: RunOptions = {}) => {
        this.#life.check()
        await this.#life.during(Promise.resolve(loaded.compile(options)))
      }
      launcher = Object.assign(launch, { kernel, compile })
      this.#loaded.set(kernel, launcher)
    }
    return launcher as Launcher<K>
  }

  /**
   * Runs a kernel once: bindings and params by name in one object. Arguments are checked and copied during the call.
   * Calls take effect in their order, awaited or not. Resolves when the device has accepted the work – to see
   * results, read a buffer. Rejects with a code of its own for each wrong argument (nothing has run then), with
   * `no-variant`, `compile-failed`, `dispatch-failed` or `device-lost`. Later reads of what a rejected launch should
   * have written reject too, so launches that nobody awaits are not lost.
   */
  run<K extends CompiledKernel>(kernel: K, args: Arguments<K>, options?: RunOptions): Promise<void> {
    try {
      return this.load(kernel)(args, options)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Resolves when all work is done; rejects with the first failure since the last call, whether it was awaited or not. */
  async idle(): Promise<void> {
    this.#life.check()
    await this.#life.during(this.#timeline.settled())
    await this.#life.during(Promise.all(this.#unsettled))
    await this.#life.during(this.#backend.idle())
    const failure = this.#life.takeFailure()
    if (failure) throw failure
  }

  /** Lets something watch what the runtime does from now on: a profiler, a tracer. Gives the function that ends it. */
  observe(observer: Observer): () => void {
    this.#life.check()
    return attach(this.#backend, observer, (watched) => {
      const memory = watched as Memory
      return memory.size === 0 ? Promise.resolve(new Uint8Array(0)) : this.#backend.read(memory, 0, memory.size)
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

  #launch(loaded: LoadedKernel, args: Readonly<Record<string, unknown>>, options: RunOptions): Promise<void> {
    let outcome: Outcome
    try {
      this.#life.check()
      const plan = loaded.plan(args, options, (value, what) => this.#range(value, what))
      if (!plan) {
        this.#counts.skipped++
        return Promise.resolve()
      }
      this.#backend.observers?.called(plan)
      outcome = follow(this.#submit(plan), plan.reads, plan.writes)
    } catch (error) {
      return Promise.reject(error)
    }
    this.#track(outcome)
    const result = this.#life.during(
      outcome.then((error) => {
        if (error) throw error
      }),
    )
    // not awaited, it is still told: by reads of the outputs and by `idle`
    result.catch(() => undefined)
    return result
  }

  /** Hands a launch over, at once when nothing is waiting. */
  #submit(plan: Plan): Outcome {
    this.#counts.dispatches++
    const handed = this.#timeline.after(plan.program, (program) => {
      this.#life.check()
      const { observers } = this.#backend
      observers?.before(plan)
      const outcome = program.dispatch(plan)
      observers?.after(plan)
      return { outcome }
    })
    if (!(handed instanceof Promise)) return handed.outcome
    return handed.then(({ outcome }) => outcome, asFault)
  }

  #track(outcome: Outcome): void {
    this.#unsettled.add(outcome)
    void outcome.then((error) => {
      this.#unsettled.delete(outcome)
      if (error) this.#life.failed(error)
    })
  }

  #range(value: unknown, what: string): Range {
    return rangeOf(value, what, this.#owner, this.#backend)
  }

  async #read(buffer: BufferLike, range: ReadRange = {}): Promise<Uint8Array<ArrayBuffer>> {
    this.#life.check()
    const whole = this.#range(buffer, 'the buffer to read')
    const { offset = 0, size = whole.size - offset } = range
    const part = this.#range({ buffer: { buffer }, offset: whole.offset + offset, size }, 'the part to read')
    const { memory } = part
    if (memory.destroyed) throw fault('buffer-destroyed', `'${memory.label}' was destroyed and cannot be read`)
    const { outcome } = memory
    const reading = this.#timeline.push(() => {
      this.#life.check()
      this.#backend.observers?.transfer({ kind: 'read', memory, offset: part.offset, size })
      const bytes = size === 0 ? Promise.resolve(new Uint8Array(0)) : this.#backend.read(memory, part.offset, size)
      bytes.catch(() => undefined)
      return { bytes }
    })
    const finish = async () => {
      const error = await outcome
      if (error) throw error
      return await (await reading).bytes
    }
    return await this.#life.during(finish())
  }

  #write(buffer: BufferLike, bytes: Uint8Array<ArrayBuffer>, offset: number): void {
    this.#life.check()
    const range = this.#range(buffer, 'the buffer to write')
    const { memory } = range
    if (memory.destroyed) throw fault('buffer-destroyed', `'${memory.label}' was destroyed and cannot be written`)
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + bytes.byteLength > range.size) {
      throw fault(
        'buffer-data',
        `${count(bytes.byteLength)} bytes from byte ${offset} do not fit '${memory.label}' of ${count(range.size)} bytes`,
      )
    }
    if (bytes.byteLength === 0) return
    const at = range.offset + offset
    // what was wrong with the old content does not matter to new content
    if (bytes.byteLength === memory.size) memory.outcome = null
    const data = this.#timeline.idle ? bytes : bytes.slice()
    const written = this.#timeline.push(() => {
      if (this.#life.ended) return { outcome: null }
      this.#backend.observers?.transfer({ kind: 'write', memory, offset: at, size: data.byteLength })
      return { outcome: this.#backend.write(memory, at, data) }
    })
    const outcome = written instanceof Promise ? written.then((w) => w.outcome).catch(asFault) : written.outcome
    if (outcome) this.#track(follow(outcome, [memory], [memory]))
  }

  #free(memory: Memory): void {
    if (memory.destroyed) return
    memory.destroyed = true
    this.#counts.live--
    this.#counts.bytes -= memory.size
    this.#timeline.push(() => this.#backend.free(memory))
  }
}

/** Refuses what is no compiled kernel, most often one that was not compiled yet. */
function checkKernel(kernel: unknown): void {
  if (typeof kernel === 'object' && kernel !== null && 'variants' in kernel && 'bindings' in kernel) return
  const source = typeof kernel === 'object' && kernel !== null && 'ir' in kernel
  throw fault(
    'bad-argument',
    source
      ? 'a kernel was given that is not compiled'
      : `${shown(kernel)} was given where a compiled kernel is expected`,
    "compile it: runtime.run(compile(kernel), …), with compile from '@weft/codegen'",
  )
}
