import type { SignatureOf } from '@weft/dsl'
import { type Diagnostic, type Kernel, type KernelSource, validate, WeftError } from '@weft/dsl/ir'
import type { CompiledKernel, CompiledVariant, ParamsLayout } from '../artifact'
import { type Emitted, emit, type Slots } from '../emit'
import { assignSlots, bindGroupLayouts, fitsImmediates, mergeAlias, paramsLayout, slotList } from '../layout'
import { PROFILES, type Profile, unsupported } from '../profiles'
import { checkArguments } from './arguments'
import { describe } from './describe'
import { lazy } from './lazy'
import { needsOf } from './needs'
import { type CompileOptions, countingOn } from './options'
import { runPasses } from './pipeline'
import { located, sourceMap, withPosition } from './positions'

/** The artifact, with what a caller has to give it as a type (`$` is not there at run time). */
export type Compiled<K> = CompiledKernel & { readonly $?: SignatureOf<K> }

/**
 * Compiles a kernel into data that a runtime can run without a compiler: WGSL, bind-group layouts and the layout of the
 * params, for every variant that the kernel declares and the profile can have, best first. Each comes with params as
 * immediates, where they fit, and as a uniform block, and once more for every declared alias.
 *
 * Throws one WeftError with all that is wrong, at the author's lines.
 */
export function compile<K extends KernelSource>(source: K, given: CompileOptions = {}): Compiled<K> {
  checkArguments(source, given)
  const options = countingOn(source, given)
  const profile = PROFILES[options.profile ?? 'any']
  const sources = source.variants.filter((v) => options.variants?.includes(v.name) ?? true)
  const refused: Diagnostic[] = []
  const variants: CompiledVariant[] = []
  const kernels = new Map<string, Kernel>()
  let params: ParamsLayout | null = null
  for (const { name } of sources) {
    const made = located(source, name, () => compileVariant(source, name, profile, options))
    if (made.refused) {
      refused.push(...made.refused.map((d) => withPosition(d, source, name)))
      continue
    }
    if (kernels.size === 0) params = made.params
    kernels.set(name, made.kernel)
    variants.push(...made.variants)
  }
  const [first, ...more] = refused
  if (variants.length === 0) {
    throw new WeftError(
      first ?? {
        code: 'unknown-name',
        message: `kernel '${source.name}' has none of the variants ${options.variants?.join(', ')}`,
      },
      ...more,
    )
  }
  return describe(source, kernels, params, variants, options) as Compiled<K>
}

type Made =
  | { readonly refused: readonly Diagnostic[] }
  | {
      readonly refused?: never
      readonly kernel: Kernel
      readonly params: ParamsLayout | null
      readonly variants: readonly CompiledVariant[]
    }

function compileVariant(source: KernelSource, name: string, profile: Profile, options: CompileOptions): Made {
  const kernel = source.ir(name)
  if (options.validate !== 'off') check(kernel, options)
  const plain = build(kernel, null, profile, options)
  if (!plain.emitted) return { refused: plain.refused }
  const built = [plain]
  for (const alias of kernel.aliases) {
    const joined = mergeAlias(kernel, alias)
    // what was read-only can change now, so a test of it is no longer the same for all invocations
    if (options.validate !== 'off') check({ ...joined, guards: 'off' }, options)
    const merged = build(joined, alias, profile, options)
    if (merged.emitted) built.push(merged)
  }
  const params = paramsLayout(kernel)
  const immediates = options.params !== 'uniform' && profile.native.has('immediates')
  return { kernel, params, variants: built.flatMap((b) => variantsOf(b, source, name, kernel, params, immediates)) }
}

function check(kernel: Kernel, options: CompileOptions): void {
  const [first, ...more] = validate(kernel, options.limits ? { limits: options.limits } : {})
  if (first) throw new WeftError(first, ...more)
}

interface Built {
  readonly refused: readonly Diagnostic[]
  readonly emitted: Emitted
  readonly kernel: Kernel
  readonly slots: Slots
  readonly alias: readonly [string, string] | null
}

function build(
  kernel: Kernel,
  alias: readonly [string, string] | null,
  profile: Profile,
  options: CompileOptions,
): Built | { refused: readonly Diagnostic[]; emitted: null } {
  const final = runPasses(kernel, profile, options)
  const slots = assignSlots(final)
  const emitted = emit(final, slots, options.doc)
  const refused = unsupported(profile, emitted.features)
  return refused.length > 0 ? { refused, emitted: null } : { refused, emitted, kernel: final, slots, alias }
}

function variantsOf(
  built: Built,
  source: KernelSource,
  name: string,
  declared: Kernel,
  layout: ParamsLayout | null,
  immediates: boolean,
): CompiledVariant[] {
  const { emitted, kernel, slots, alias } = built
  const { features } = emitted
  const ways =
    layout === null
      ? [null]
      : immediates && fitsImmediates(declared, layout)
        ? (['immediates', 'uniform'] as const)
        : (['uniform'] as const)
  const size = layout?.size ?? 0
  return ways.map((via) => {
    const variant: Omit<CompiledVariant, 'sourceMap'> = {
      id: `${name}${via === 'immediates' ? '+immediates' : ''}${alias ? `+${alias.join('=')}` : ''}`,
      source: name,
      needs: needsOf(kernel, features, via, size, alias),
      wgsl: emitted.text(via ?? 'uniform'),
      entryPoint: emitted.entryPoint,
      workgroupSize: kernel.workgroupSize,
      layouts: bindGroupLayouts(kernel, slots, features, via === 'uniform' ? size : null),
      slots: slotList(slots, declared, alias),
      params: via === 'uniform' ? { via, ...(slots.params as { group: number; binding: number }) } : via && { via },
    }
    lazy(variant as CompiledVariant, 'sourceMap', () => sourceMap(emitted.ats, source.positions(name)))
    return variant as CompiledVariant
  })
}
