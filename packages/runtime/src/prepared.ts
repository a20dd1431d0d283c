import type { CompiledKernel } from '@weft/codegen'
import { fault, quoted, shown } from './errors'
import { isEmpty, type LoadedKernel } from './kernel'
import { paramsOf, type Workgroups } from './launch'
import type { Launches } from './launches'
import type { PrepareOptions, SomeBindings, SomeParams } from './signature'
import { type KeptPlan, type Step, staleness } from './step'
import type { Work } from './work'

type Values = Readonly<Record<string, unknown>>

/** The part of a prepared dispatch that recordings keep. */
export let stepOf: (prepared: object) => Step
/** The runtime's own, by which foreign ones are told apart. */
export let workOf: (prepared: object) => Work

/**
 * A dispatch that is checked, compiled and bound once, to be run many times: made by `runtime.prepare(…)`. It holds on
 * to its buffers; when one of them is destroyed, whatever would run it throws `stale-replay`.
 */
export class PreparedDispatch<K extends CompiledKernel = CompiledKernel> {
  readonly #loaded: LoadedKernel
  readonly #options: PrepareOptions
  readonly #launches: Launches
  readonly #step: Step
  readonly #sizing: ReadonlySet<string>
  #values: Record<string, unknown>
  /** Counts its changes, for those who keep what they made of it. */
  readonly #state = { version: 0 }

  static {
    stepOf = (prepared) => (prepared as PreparedDispatch).#step
    workOf = (prepared) => (prepared as PreparedDispatch).#launches.work
  }

  /** Use `runtime.prepare`. */
  constructor(launches: Launches, loaded: LoadedKernel, plan: KeptPlan, values: Values, options: PrepareOptions) {
    this.#launches = launches
    this.#loaded = loaded
    this.#options = options
    this.#values = values
    this.#step = { latest: plan, plan, followers: new Set() }
    const { launch } = loaded.kernel
    this.#sizing = options.workgroups !== undefined || !launch ? new Set() : paramsOf(launch)
  }

  get kernel(): K {
    return this.#loaded.kernel as K
  }

  /** What it would launch now; null where the device finds the counts in a buffer. */
  get workgroups(): Workgroups | null {
    return this.#step.latest.workgroups
  }

  /** Runs it once, in order with everything else. Resolves and rejects as `runtime.run` does, and with `stale-replay`. */
  run(): Promise<void> {
    return this.#launches.again(this.#step.latest)
  }

  /**
   * Gives some params other values, for every run and replay from now on; how many workgroups there are follows.
   * Throws `bad-param` or `bad-workgroups`, and nothing has changed then.
   */
  set(params: SomeParams<K>): this {
    this.#launches.work.life.check()
    const { packer } = this.#loaded
    const given = params as Values
    let resized = false
    for (const name in given) {
      if (!packer.names.has(name)) {
        const note = `its params are ${quoted(packer.names)}; buffers are changed by bind`
        throw fault('bad-param', `'${this.kernel.name}' has no param '${name}'`, note)
      }
      resized ||= this.#sizing.has(name)
    }
    const plan = this.#step.latest
    const block = packer.patched(plan.params, given)
    const workgroups = resized && !plan.indirect ? this.#resized(given) : plan.workgroups
    if (this.#launches.work.timeline.idle) {
      // nothing waits that was called with the old ones, so the plan can stay the same object
      plan.params.set(block)
      plan.workgroups = workgroups
      this.#tell()
    } else this.#become({ ...plan, params: block.slice(), workgroups })
    Object.assign(this.#values, given)
    this.#state.version++
    return this
  }

  /**
   * Gives some bindings other buffers, of those that were listed in `patch`. Everything is checked as for a run.
   * Throws as `runtime.run` rejects, and nothing has changed then.
   */
  bind(bindings: SomeBindings<K>): this {
    this.#launches.work.life.check()
    const { patch = [] } = this.#options
    for (const name of Object.keys(bindings)) {
      if ((patch as readonly string[]).includes(name)) continue
      const note = `list it when it is prepared: prepare(kernel, args, { patch: ['${name}'] }); now it is ${quoted(patch)}`
      throw fault('extra-binding', `'${this.kernel.name}': '${name}' cannot be bound to something else`, note)
    }
    const values = { ...this.#values, ...bindings }
    const draft = this.#loaded.draft(this.bind, values, this.#options, this.#launches.buffers.range, 'kept')
    if (draft.variant !== this.#step.latest.variant) {
      const note = 'prepare one dispatch for the use in place and one for separate buffers'
      throw fault(
        'binding-overlap',
        `'${this.kernel.name}' was prepared as '${this.#step.latest.variant.id}', and these buffers need '${draft.variant.id}'`,
        note,
      )
    }
    this.#become({ ...draft, program: this.#step.latest.program })
    this.#values = values
    this.#state.version++
    return this
  }

  /**
   * Encodes it into a pass of the caller's, or into a pass of its own in the caller's encoder. Params are those of
   * now, also if they change before the caller submits – as long as no more than 256 changes wait for that. What a batch
   * has recorded comes before only if it is flushed. Errors are the caller's to catch. Throws `stale-replay`, and
   * `bad-argument` on the CPU.
   */
  encode(target: GPUComputePassEncoder | GPUCommandEncoder): void {
    this.#launches.work.life.check()
    const plan = this.#step.latest
    const gone = staleness(plan)
    if (gone) throw gone
    if (!plan.program.encode) {
      throw fault('bad-argument', 'there are no encoders on the CPU', 'run or record the dispatch')
    }
    if (typeof target !== 'object' || target === null || !('insertDebugMarker' in target)) {
      throw fault('bad-argument', `${shown(target)} was given, expected a compute pass or a command encoder`)
    }
    if (isEmpty(plan)) return
    for (const { memory } of plan.ranges.values()) this.#launches.work.backend.heap.escape(memory)
    plan.program.encode(plan, target, this.#state)
  }

  #resized(given: Values): Workgroups {
    const { overrides, ranges } = this.#step.latest
    return this.#loaded.launch({ ...this.#values, ...given }, overrides, ranges, this.#options)
  }

  #become(plan: KeptPlan): void {
    this.#step.latest = plan
    const take = (): void => {
      this.#step.plan = plan
      this.#tell()
    }
    if (this.#launches.work.timeline.idle) take()
    else this.#launches.work.timeline.push(take)
  }

  #tell(): void {
    for (const follower of this.#step.followers) follower.changed(this.#step)
  }
}
