import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import type { Backend, OverrideValues, Program } from './backend'
import { fault, quoted, WeftError } from './errors'
import { memo } from './memo'
import { type Choice, selectVariant } from './variant'

type Alias = readonly [string, string] | null

/**
 * How a launch will be used: once, or kept and replayed. Immediates are best for one launch, which needs no uniform
 * memory then; a replay would have to set them each time, while a params block stays where it is.
 */
export type Use = 'once' | 'kept'

/** A choice of something. */
export interface Chosen extends Choice {
  readonly variant: CompiledVariant
}

const isMade = (choice: Choice): choice is Chosen => choice.variant !== null

/** The variants of a kernel and their programs on one device, each found once. */
export class Programs {
  readonly #choices = new Map<string, Chosen>()
  readonly #programs = new Map<CompiledVariant, Map<string, Program | Promise<Program>>>()

  constructor(
    readonly kernel: CompiledKernel,
    readonly backend: Backend,
  ) {}

  /** The variant for this device: the best one for that way of use, or the one of that id. Throws `no-variant`. */
  choose(alias: Alias, id: string | undefined, use: Use): Chosen {
    return memo(this.#choices, `${alias ?? ''}|${id ?? ''}|${use}`, () => this.#choose(alias, id, use))
  }

  #choose(alias: Alias, id: string | undefined, use: Use): Chosen {
    const { name, variants } = this.kernel
    const candidates = id === undefined ? variants : variants.filter((variant) => variant.id === id)
    if (use === 'kept') {
      const still = candidates.filter(({ params }) => params?.via !== 'immediates')
      const kept = selectVariant(still, this.backend.facts, { alias })
      if (isMade(kept)) return kept
    }
    const choice = selectVariant(candidates, this.backend.facts, { alias })
    if (isMade(choice)) return choice
    const ids = `its variants are ${quoted(variants.map((v) => v.id))}`
    if (candidates.length === 0) throw fault('no-variant', `'${name}' has no variant '${id}'`, ids)
    throw new WeftError(
      { code: 'no-variant', message: `the device can run no variant of '${name}'` },
      ...choice.rejected.map((r) => ({ code: 'no-variant' as const, message: `'${r.id}' ${r.because}` })),
    )
  }

  /** The program of a variant, from the kernel's own table: no hashing and no text compared on the way to a dispatch. */
  program(variant: CompiledVariant, overrides: OverrideValues): Program | Promise<Program> {
    const programs = memo(this.#programs, variant, () => new Map<string, Program | Promise<Program>>())
    const key = this.kernel.overrides.length === 0 ? '' : JSON.stringify(overrides)
    const found = programs.get(key)
    if (found) return found
    const made = this.backend.prepare(this.kernel, variant, overrides)
    programs.set(key, made)
    if (made instanceof Promise) {
      made.then(
        (program) => programs.set(key, program),
        () => programs.delete(key),
      )
    }
    return made
  }
}
