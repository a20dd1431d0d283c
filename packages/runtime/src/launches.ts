import type { CompiledKernel } from '@weft/codegen'
import type { Backend, Program } from './backend'
import { isWritten } from './bindings'
import type { Buffers } from './buffers'
import { asFault, type Entry, fault, shown } from './errors'
import { type Draft, isEmpty, LoadedKernel, type Plan } from './kernel'
import { memo } from './memo'
import type { Memory, Outcome } from './memory'
import { PreparedDispatch } from './prepared'
import type { Launcher, PrepareOptions, RunOptions } from './signature'
import { type KeptPlan, staleness } from './step'
import type { Handed, Work } from './work'

type Values = Readonly<Record<string, unknown>>

/** The kernels of one runtime: loaded once, launched in the order of everything else. */
export class Launches {
  readonly #loaded = new WeakMap<CompiledKernel, LoadedKernel>()
  readonly #launchers = new WeakMap<CompiledKernel, Launcher>()
  dispatches = 0
  skipped = 0

  constructor(
    readonly work: Work,
    readonly buffers: Buffers,
  ) {}

  loaded(kernel: CompiledKernel): LoadedKernel {
    return memo(this.#loaded, kernel, () => {
      checkKernel(kernel)
      return new LoadedKernel(kernel, this.work.backend)
    })
  }

  launcher(kernel: CompiledKernel): Launcher {
    return memo(this.#launchers, kernel, () => {
      const loaded = this.loaded(kernel)
      const launch = (args?: Values, options?: RunOptions): Promise<void> => this.launch(launch, kernel, args, options)
      const compile = (options?: RunOptions) => this.compile(loaded, options)
      return Object.assign(launch, { kernel, compile })
    })
  }

  async compile(loaded: LoadedKernel, options: RunOptions = {}): Promise<void> {
    this.work.life.check()
    await this.work.life.during(Promise.resolve(loaded.compile(options, 'once')))
  }

  /** Compiles what runs and prepared dispatches of these kernels will use, all at once. */
  async warmup(kernels: readonly CompiledKernel[], options: RunOptions = {}): Promise<void> {
    this.work.life.check()
    const programs = kernels.flatMap((kernel) => {
      const loaded = this.loaded(kernel)
      return [loaded.compile(options, 'once'), loaded.compile(options, 'kept')]
    })
    // all of them have ended when the first failure is told
    const results = await this.work.life.during(Promise.allSettled(programs))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  /** Checks a launch and starts it; never throws. `entry` is what the caller called. */
  launch(entry: Entry, kernel: CompiledKernel, args: Values = {}, options: RunOptions = {}): Promise<void> {
    try {
      this.work.life.check()
      const plan = this.loaded(kernel).plan(entry, args, options, this.buffers.range)
      if (plan) return this.#start(plan)
      this.skipped++
      return Promise.resolve()
    } catch (error) {
      return this.work.refused(error, this.#outputs(kernel, args))
    }
  }

  /** What a launch that is refused would have written, as far as its arguments tell. */
  #outputs(kernel: CompiledKernel, args: Values): Memory[] {
    const written = this.#loaded.get(kernel)?.kernel.bindings.filter(isWritten) ?? []
    return written.flatMap(({ name }) => {
      try {
        return [this.buffers.range(args[name], name).memory]
      } catch {
        return [] // no buffer of this runtime, which is told by then
      }
    })
  }

  /** Runs a prepared dispatch as it is now. */
  again(plan: KeptPlan): Promise<void> {
    const { life, backend } = this.work
    const refused = life.ended ?? staleness(plan)
    if (refused) return this.work.refused(refused, plan.writes)
    if (isEmpty(plan)) {
      this.skipped++
      return Promise.resolve()
    }
    // observers tell runs apart by the object
    return this.#start(backend.observers ? { ...plan } : plan)
  }

  /** `entry` is what the caller called. */
  async prepare(entry: Entry, loaded: LoadedKernel, args: Values, options: PrepareOptions): Promise<PreparedDispatch> {
    const { life } = this.work
    life.check()
    const { kernel, programs } = loaded
    for (const name of options.patch ?? []) {
      if (kernel.bindings.some((binding) => binding.name === name)) continue
      throw fault('extra-binding', `'${kernel.name}' has no binding '${name}' to patch`)
    }
    const draft = loaded.draft(entry, args, options, this.buffers.range, 'kept')
    const program = await life.during(Promise.resolve(programs.program(draft.variant, draft.overrides)))
    return new PreparedDispatch(this, loaded, { ...draft, program }, { ...args }, options)
  }

  #start(plan: Plan): Promise<void> {
    this.work.backend.observers?.called(plan)
    return this.work.promised(this.#hand(plan))
  }

  /** Hands a launch over, at once when nothing is waiting. */
  #hand(plan: Plan): Handed | Promise<Handed> {
    const { life, backend, timeline } = this.work
    this.dispatches++
    const handed = timeline.after(plan.program, (program): Handed => {
      life.check()
      use(backend, plan)
      return { outcome: dispatched(backend, program, plan), batched: backend.stream.batching }
    })
    const followed = (own: Outcome): Outcome => this.work.follow(own, plan.reads, plan.writes)
    if (!(handed instanceof Promise)) return { outcome: followed(handed.outcome), batched: handed.batched }
    const failed = (error: unknown): Handed => ({ outcome: Promise.resolve(asFault(error)), batched: false })
    const later = handed.catch(failed)
    // said now, so that reads which are called meanwhile wait for it
    const outcome = followed(later.then((made) => made.outcome))
    return later.then(({ batched }) => ({ outcome, batched }))
  }
}

/** Hands a dispatch to the device, before the eyes of observers. */
export function dispatched({ observers }: Backend, program: Program, plan: Plan): Outcome {
  observers?.before(plan)
  const outcome = program.dispatch(plan)
  observers?.after(plan)
  return outcome
}

/** Says which memory work is about to use, so that what is still left there of earlier buffers is cleared. */
export function use({ heap }: Backend, { reads, writes }: Draft): void {
  for (const memory of reads) heap.use(memory, false)
  for (const memory of writes) heap.use(memory, true)
}

/** Refuses what is no compiled kernel, most often one that was not compiled yet. */
function checkKernel(kernel: unknown): void {
  if (typeof kernel === 'object' && kernel !== null && 'variants' in kernel && 'bindings' in kernel) return
  const source = typeof kernel === 'object' && kernel !== null && 'ir' in kernel
  throw fault(
    'bad-argument',
    `${source ? 'a kernel that is not compiled' : shown(kernel)} was given, expected a compiled kernel`,
    "compile it: runtime.run(compile(kernel), …), with compile from '@weft/codegen'",
  )
}
