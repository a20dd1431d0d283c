import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { Backend, Bound, Dispatch, OverrideValues, Program } from './backend'
import { aliasOf, checkOverlaps, checkRange, isWritten, type Range } from './bindings'
import { fault, quoted, WeftError } from './errors'
import { planLaunch, type Workgroups } from './launch'
import type { Memory } from './memory'
import type { ObservedDispatch } from './observer'
import { overrideValues } from './overrides'
import { Packer } from './params'
import { looksLikeBuffer } from './resolve'
import type { RunOptions } from './signature'
import { selectVariant } from './variant'

/** A checked launch: all that is left is to hand it over. */
export interface Plan extends Dispatch, ObservedDispatch {
  readonly program: Program | Promise<Program>
  readonly bindings: ReadonlyMap<string, Bound>
  readonly workgroups: Workgroups
  /** What it reads; of partly written outputs, also what was in them before. */
  readonly reads: readonly Memory[]
  readonly writes: readonly Memory[]
}

type Values = Readonly<Record<string, unknown>>
type Resolve = (value: unknown, what: string) => Range

/** A kernel as one device runs it: its params packer, its variant and its programs, each found once. */
export class LoadedKernel {
  readonly #packer: Packer
  readonly #bindings: ReadonlySet<string>
  readonly #variants = new Map<string, CompiledVariant>()
  readonly #programs = new Map<CompiledVariant, Map<string, Program | Promise<Program>>>()

  constructor(
    readonly kernel: CompiledKernel,
    readonly backend: Backend,
  ) {
    this.#packer = new Packer(kernel.name, kernel.params)
    this.#bindings = new Set(kernel.bindings.map(({ name }) => name))
  }

  /**
   * Checks everything that can be checked without the device and says what to run; null when there is nothing to run.
   * Throws one code for each kind of mistake; nothing has happened then.
   */
  plan(values: Values, options: RunOptions, resolve: Resolve): Plan | null {
    const { kernel, backend } = this
    const { limits } = backend.facts
    this.#checkNames(values)
    const { bindings, ranges } = this.#bind(values, resolve)
    for (const binding of kernel.bindings) {
      const range = ranges.get(binding.name)
      if (range) checkRange(kernel.name, binding, range, limits)
    }
    const alias = aliasOf(kernel, ranges)
    checkOverlaps(kernel, ranges, alias)
    const variant = this.variant(alias, options.variant)
    const params = this.#packer.pack(values)
    const overrides = overrideValues(kernel, options.overrides)
    const max = limits.maxComputeWorkgroupsPerDimension ?? 65535
    const workgroups = planLaunch(
      kernel.name,
      kernel.launch,
      options.workgroups,
      this.#scope(values, overrides, ranges),
      max,
    )
    if (workgroups.includes(0)) return null
    const program = this.program(variant, overrides)
    return { kernel, variant, overrides, program, bindings, params, workgroups, ...this.#uses(ranges) }
  }

  #checkNames(values: Values): void {
    for (const [name, value] of Object.entries(values)) {
      if (this.#bindings.has(name) || this.#packer.names.has(name)) continue
      const note = `its bindings are ${quoted(this.#bindings)}, its params ${quoted(this.#packer.names)}`
      if (looksLikeBuffer(value)) throw fault('extra-binding', `'${this.kernel.name}' has no binding '${name}'`, note)
      throw fault('bad-param', `'${this.kernel.name}' has no param '${name}'`, note)
    }
  }

  #bind(values: Values, resolve: Resolve): { bindings: Map<string, Bound>; ranges: Map<string, Range> } {
    const bindings = new Map<string, Bound>()
    const ranges = new Map<string, Range>()
    for (const { name, kind, type } of this.kernel.bindings) {
      const value = values[name]
      const what = `'${this.kernel.name}': '${name}'`
      if (value === undefined || value === null) throw fault('missing-binding', `${what} (${type}) was given nothing`)
      if (kind === 'texture') {
        if (typeof value !== 'object' || looksLikeBuffer(value)) {
          throw fault('binding-type', `${what} (${type}) is not a texture`)
        }
        bindings.set(name, { texture: value })
      } else {
        const range = resolve(value, what)
        ranges.set(name, range)
        bindings.set(name, range)
      }
    }
    return { bindings, ranges }
  }

  #uses(ranges: ReadonlyMap<string, Range>): { reads: Memory[]; writes: Memory[] } {
    const reads: Memory[] = []
    const writes: Memory[] = []
    for (const binding of this.kernel.bindings) {
      const range = ranges.get(binding.name)
      if (!range) continue
      const whole = range.offset === 0 && range.size === range.memory.size
      if (isWritten(binding)) writes.push(range.memory)
      if (binding.access !== 'write' || binding.writes !== 'full' || !whole) reads.push(range.memory)
    }
    return { reads, writes }
  }

  #scope(values: Values, overrides: OverrideValues, ranges: ReadonlyMap<string, Range>) {
    const { name: kernelName, bindings } = this.kernel
    const unknown = (what: string) => fault('bad-launch', `the launch rule of '${kernelName}' refers to ${what}`)
    return {
      param: (name: string): number => {
        const value = values[name]
        if (typeof value !== 'number') throw unknown(`the param '${name}', which is not a number`)
        return value
      },
      override: (name: string): number => {
        const value = overrides[name]
        if (value === undefined) throw unknown(`the override '${name}', which it does not have`)
        return value
      },
      length: (name: string): number => {
        const stride = bindings.find((binding) => binding.name === name)?.element?.stride
        const range = ranges.get(name)
        if (!stride || !range) throw unknown(`the length of '${name}', which is not an array`)
        return Math.floor(range.size / stride)
      },
    }
  }

  /** The variant for this device: the best one, or the one of that id. Throws `no-variant`. */
  variant(alias: readonly [string, string] | null, id?: string): CompiledVariant {
    const key = `${alias ?? ''}|${id ?? ''}`
    let found = this.#variants.get(key)
    if (!found) this.#variants.set(key, (found = this.#choose(alias, id)))
    return found
  }

  #choose(alias: readonly [string, string] | null, id: string | undefined): CompiledVariant {
    const { name, variants } = this.kernel
    const candidates = id === undefined ? variants : variants.filter((variant) => variant.id === id)
    const { variant, rejected } = selectVariant(candidates, this.backend.facts, { alias })
    if (variant) return variant
    const ids = `its variants are ${quoted(variants.map((v) => v.id))}`
    if (candidates.length === 0) throw fault('no-variant', `'${name}' has no variant '${id}'`, ids)
    throw new WeftError(
      { code: 'no-variant', message: `the device can run no variant of '${name}'` },
      ...rejected.map((r) => ({ code: 'no-variant' as const, message: `'${r.id}' ${r.because}` })),
    )
  }

  /** The program that a call with these options and separate buffers will use. */
  compile(options: RunOptions): Program | Promise<Program> {
    return this.program(this.variant(null, options.variant), overrideValues(this.kernel, options.overrides))
  }

  /** The program of a variant, from the kernel's own table: no hashing and no text compared on the way to a dispatch. */
  program(variant: CompiledVariant, overrides: OverrideValues): Program | Promise<Program> {
    let programs = this.#programs.get(variant)
    if (!programs) this.#programs.set(variant, (programs = new Map()))
    const key = this.kernel.overrides.length === 0 ? '' : JSON.stringify(overrides)
    const found = programs.get(key)
    if (found) return found
    const made = this.backend.prepare(this.kernel, variant, overrides)
    programs.set(key, made)
    if (made instanceof Promise) {
      const table = programs
      made.then(
        (program) => table.set(key, program),
        () => table.delete(key),
      )
    }
    return made
  }
}
