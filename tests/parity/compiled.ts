/** A kernel of a case, compiled once for each profile that takes it. */
import { type CompiledKernel, type CompiledVariant, type CompileOptions, compile, PROFILES } from '@weft/codegen'
import { runPasses } from '@weft/codegen/tools'
import { checkStructure, type Kernel, type KernelSource, WeftError } from '@weft/dsl/ir'

export type ProfileName = 'any' | 'baseline' | 'firefox'

export interface Compiled {
  readonly artifact: CompiledKernel
  /** Modules by text, with the narrowest profile that they were made for; compiled when they are asked for. */
  modules(): readonly Module[]
}

export interface Module {
  readonly variant: CompiledVariant
  readonly profile: ProfileName
}

const compiled = new WeakMap<KernelSource, Compiled>()

/** Throws the WeftError of the default profile; the others may refuse the kernel. */
export function compileOnce(source: KernelSource, options: CompileOptions = {}): Compiled {
  const known = compiled.get(source)
  if (known) return known
  const artifact = compile(source, options)
  const result = { artifact, modules: () => modulesOf(source, options, artifact) }
  compiled.set(source, result)
  return result
}

function modulesOf(source: KernelSource, options: CompileOptions, artifact: CompiledKernel): readonly Module[] {
  const modules = new Map<string, Module>()
  const add = (variant: CompiledVariant, profile: ProfileName): void => {
    if (!modules.has(variant.wgsl)) modules.set(variant.wgsl, { variant, profile })
  }
  for (const profile of ['baseline', 'firefox'] as const) {
    for (const variant of narrowed(source, { ...options, profile })) add(variant, profile)
  }
  for (const variant of artifact.variants) add(variant, 'any')
  return [...modules.values()]
}

function narrowed(source: KernelSource, options: CompileOptions): readonly CompiledVariant[] {
  try {
    return compile(source, options).variants
  } catch (error) {
    if (error instanceof WeftError) return []
    throw error
  }
}

/** The IR of a source variant as the author wrote it. */
export const rawIr = (source: KernelSource, variant: string): Kernel => source.ir(variant)

/** The same after all passes, each of which must leave a valid kernel. */
export const optimizedIr = (source: KernelSource, variant: string): Kernel =>
  runPasses(source.ir(variant), PROFILES.any, {
    ...{ validate: 'each', check: checkStructure },
    ...(source.limits ? { limits: source.limits } : {}),
  })
