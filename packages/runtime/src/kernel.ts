import type { CompiledKernel } from '@weft/codegen'
import type { Backend, Bound, Dispatch, OverrideValues, Program } from './backend'
import { aliasOf, checkIndirect, checkOverlaps, checkRange, isWritten, type Range, type Resolve } from './bindings'
import { calledBy, type Entry, fault, quoted, shown } from './errors'
import { checkKeys, type Keys } from './keys'
import { askedBy, launchScope, planLaunch, type Workgroups } from './launch'
import type { Memory } from './memory'
import type { ObservedDispatch } from './observer'
import { overrideValues } from './overrides'
import { Packer } from './params'
import { Programs, type Use } from './programs'
import { looksLikeBuffer } from './resolve'
import type { PrepareOptions, RunOptions } from './signature'
import type { Choice } from './variant'

/** A checked launch, which may be one of no workgroups. */
export interface Draft extends Dispatch, ObservedDispatch {
  readonly bindings: ReadonlyMap<string, Bound>
  readonly ranges: ReadonlyMap<string, Range>
  readonly workgroups: Workgroups | null
  readonly indirect: Range | null
  /** The variants before the one that runs. */
  readonly rejected: Choice['rejected']
  /** What it reads; of partly written outputs, also what was in them before. */
  readonly reads: readonly Memory[]
  readonly writes: readonly Memory[]
}

/** A launch of which all that is left is to hand it over. */
export interface Plan extends Draft {
  readonly program: Program | Promise<Program>
}

export type Values = Readonly<Record<string, unknown>>

/** Whether it launches nothing. What only the device knows may be anything. */
export const isEmpty = ({ workgroups }: { readonly workgroups: Workgroups | null }): boolean =>
  workgroups?.includes(0) ?? false

const RUN: Keys<RunOptions> = { overrides: true, workgroups: true, indirect: true, variant: true }
const PREPARE: Keys<PrepareOptions> = { ...RUN, patch: true }
const INDIRECT: Keys<NonNullable<RunOptions['indirect']>> = { buffer: true, offset: true }

function checkLaunch(kernel: string, options: RunOptions, use: Use): void {
  checkKeys(`'${kernel}': a launch`, options, use === 'kept' ? PREPARE : RUN)
  if (options.indirect) checkKeys(`'${kernel}': indirect`, options.indirect, INDIRECT)
}

/** A kernel as one device runs it: its params packer and its programs, each found once. */
export class LoadedKernel {
  readonly packer: Packer
  readonly programs: Programs
  readonly #bindings: ReadonlySet<string>

  constructor(
    readonly kernel: CompiledKernel,
    readonly backend: Backend,
  ) {
    this.programs = new Programs(kernel, backend)
    this.packer = new Packer(kernel.name, kernel.params)
    this.#bindings = new Set(kernel.bindings.map(({ name }) => name))
  }

  /** What to run, with its program; null when there is nothing to run. Throws as `draft` does, and `compile-failed`. */
  plan(entry: Entry, values: Values, options: RunOptions, resolve: Resolve): Plan | null {
    const draft = this.draft(entry, values, options, resolve, 'once')
    return isEmpty(draft) ? null : { ...draft, program: this.programs.program(draft.variant, draft.overrides) }
  }

  /**
   * Checks everything that can be checked without the device. Throws one code for each kind of mistake, with the line
   * that called `entry`; nothing has happened then.
   */
  draft(entry: Entry, values: Values, options: RunOptions, resolve: Resolve, use: Use): Draft {
    try {
      return this.#draft(values, options, resolve, use)
    } catch (error) {
      throw calledBy(entry, error)
    }
  }

  #draft(values: Values, options: RunOptions, resolve: Resolve, use: Use): Draft {
    const { kernel } = this
    checkLaunch(kernel.name, options, use)
    this.#checkNames(values)
    const { reads, writes, ...bound } = this.#bind(values, resolve)
    const { ranges } = bound
    const alias = aliasOf(kernel, ranges)
    checkOverlaps(kernel, ranges, alias)
    const { variant, rejected } = this.programs.choose(alias, options.variant, use)
    const params = this.packer.pack(values)
    const overrides = overrideValues(kernel, options.overrides)
    const indirect = options.indirect ? checkIndirect(kernel.name, options.indirect, resolve, writes) : null
    if (indirect) reads.push(indirect.memory)
    const workgroups = indirect ? null : this.launch(values, overrides, ranges, options)
    return { kernel, variant, rejected, overrides, params, workgroups, indirect, reads, writes, ...bound }
  }

  /** The workgroups for these params. Throws `bad-workgroups`, `bad-launch`. */
  launch(
    values: Values,
    overrides: OverrideValues,
    ranges: ReadonlyMap<string, Range>,
    options: RunOptions,
  ): Workgroups {
    const { name, launch } = this.kernel
    const scope = launchScope(this.kernel, values, overrides, ranges)
    const max = this.backend.facts.limits.maxComputeWorkgroupsPerDimension ?? 65535
    return planLaunch(name, launch, options.workgroups, scope, max)
  }

  /** What the launch rule asks for with these arguments; null where the counts are not by it. */
  asked({ overrides, ranges, indirect }: Draft, values: Values, { workgroups }: RunOptions): readonly number[] | null {
    const { name, launch } = this.kernel
    if (!launch || indirect || workgroups !== undefined) return null
    return askedBy(name, launch, launchScope(this.kernel, values, overrides, ranges))
  }

  /** The program that a call with these options and separate buffers will use. */
  compile(options: RunOptions, use: Use): Program | Promise<Program> {
    checkLaunch(this.kernel.name, options, use)
    const { variant } = this.programs.choose(null, options.variant, use)
    return this.programs.program(variant, overrideValues(this.kernel, options.overrides))
  }

  #checkNames(values: Values): void {
    if (typeof values !== 'object' || values === null) {
      throw fault('bad-argument', `'${this.kernel.name}' was given ${shown(values)}, expected its arguments by name`)
    }
    for (const [name, value] of Object.entries(values)) {
      if (this.#bindings.has(name) || this.packer.names.has(name)) continue
      const note = `its bindings are ${quoted(this.#bindings)}, its params ${quoted(this.packer.names)}`
      if (looksLikeBuffer(value)) throw fault('extra-binding', `'${this.kernel.name}' has no binding '${name}'`, note)
      throw fault('bad-param', `'${this.kernel.name}' has no param '${name}'`, note)
    }
  }

  /** What each binding is given, checked by itself, and the memory that is read and written by it. */
  #bind(values: Values, resolve: Resolve) {
    const { limits } = this.backend.facts
    const bindings = new Map<string, Bound>()
    const ranges = new Map<string, Range>()
    const reads: Memory[] = []
    const writes: Memory[] = []
    for (const binding of this.kernel.bindings) {
      const { name, kind, type } = binding
      const value = values[name]
      const what = `'${this.kernel.name}': '${name}'`
      if (value === undefined || value === null) throw fault('missing-binding', `${what} (${type}) was given nothing`)
      if (kind === 'texture') {
        if (typeof value !== 'object' || looksLikeBuffer(value)) {
          throw fault('binding-type', `${what} (${type}) is not a texture`)
        }
        bindings.set(name, { texture: value })
        continue
      }
      const range = resolve(value, what)
      checkRange(binding, range, limits, what)
      bindings.set(name, range)
      ranges.set(name, range)
      const { memory, offset, size } = range
      if (isWritten(binding)) writes.push(memory)
      const overwritten =
        binding.access === 'write' && binding.writes === 'full' && offset === 0 && size === memory.size
      if (!overwritten) reads.push(memory)
    }
    return { bindings, ranges, reads, writes }
  }
}
