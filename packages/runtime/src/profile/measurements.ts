import { fault, isWeftError, textOf } from '../errors'
import type { ObservedDispatch } from '../observer'
import type { Sink } from './clocks'
import { type KernelCost, type Work, workOf } from './cost'
import type { ClockKind, Measured, Noted, Sample, Submit } from './samples'
import { type Execution, outward, Sections } from './sections'
import { Resolution } from './stamps'

/** Takes away the oldest of `list` once it has twice the `keep` newest, so that it costs nothing to speak of. Gives what went. */
function trim<T>(list: T[], keep: number): readonly T[] {
  return list.length < 2 * keep ? [] : list.splice(0, list.length - keep)
}

/** Keeps what a clock tells, and which section called for it. */
export class Measurements implements Sink {
  readonly sections = new Sections()
  readonly #sectionOf = new WeakMap<ObservedDispatch, Execution | null>()
  readonly #costs: ReadonlyMap<string, KernelCost>
  #samples: Sample[] = []
  #submits: Submit[] = []
  #resolution = new Resolution()
  #counts = { dispatches: 0, unmeasured: 0, forgotten: 0 }
  #failure: unknown = null

  constructor(
    costs: readonly KernelCost[],
    readonly keep: number,
  ) {
    this.#costs = new Map(costs.map((cost) => [cost.kernel, cost]))
  }

  /** Where dispatches belong is known when they are called for; they may be recorded later, after their section. */
  called(dispatch: ObservedDispatch): void {
    this.#sectionOf.set(dispatch, this.sections.current)
  }

  noted(dispatch: ObservedDispatch): Noted {
    const { kernel, variant, workgroups } = dispatch
    this.#counts.dispatches++
    const section = this.#sectionOf.get(dispatch) ?? null
    return { kernel: kernel.name, variant: variant.id, workgroups, work: this.#work(dispatch), section }
  }

  sampled(samples: readonly Sample[]): void {
    for (const sample of samples) {
      this.#resolution.add(sample.begin)
      this.#resolution.add(sample.end)
      this.#samples.push(sample)
    }
    trim(this.sections.executions, this.keep)
    const forgotten = trim(this.#samples, this.keep)
    this.#counts.forgotten += forgotten.length
    for (const { dispatches } of forgotten) for (const { section } of dispatches) spoil(section)
  }

  submitted(submit: Submit): void {
    this.#submits.push(submit)
    trim(this.#submits, this.keep)
  }

  unmeasured({ section }: Noted): void {
    this.#counts.unmeasured++
    spoil(section)
  }

  forget(): void {
    this.#samples = []
    this.#submits = []
    this.#resolution = new Resolution()
    this.#counts = { dispatches: 0, unmeasured: 0, forgotten: 0 }
    this.sections.forget()
  }

  /** Throws what the function of a cost threw: a dispatch is no place for that. */
  measured(clock: ClockKind): Measured {
    if (this.#failure) throw this.#failure
    const { executions, overlaps } = this.sections
    const { ns: resolution } = this.#resolution
    return { clock, samples: this.#samples, submits: this.#submits, executions, resolution, overlaps, ...this.#counts }
  }

  #work(dispatch: ObservedDispatch): Work {
    try {
      return workOf(this.#costs, dispatch)
    } catch (error) {
      this.#failure ??= isWeftError(error)
        ? error
        : fault('bad-argument', `the cost of '${dispatch.kernel.name}' cannot be computed: ${textOf(error)}`)
      return {}
    }
  }
}

/** Marks a run of a section, and those around it, as not measured in full. */
function spoil(section: Execution | null): void {
  for (const execution of outward(section)) execution.incomplete = true
}
