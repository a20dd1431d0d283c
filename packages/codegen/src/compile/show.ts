import { type Kernel, type KernelSource, print, WeftError } from '@weft/dsl/ir'
import { PASSES, type PassName } from '../passes'
import { PROFILES } from '../profiles'
import { compile } from './compile'
import { type CompileOptions, countingOn } from './options'
import { runPasses } from './pipeline'
import { located } from './positions'

export interface ShowOptions extends CompileOptions {
  /** Which variant of the source; the best one by default. */
  readonly variant?: string
  /** `source`: the IR as it was built; a pass: the IR after it; `wgsl`, the default: what comes out. */
  readonly pass?: PassName | 'source' | 'wgsl'
}

/** A kernel as text, at any stage. */
export function show(source: KernelSource, options: ShowOptions = {}): string {
  const { pass = 'wgsl', variant: _, ...how } = options
  const variant = options.variant ?? source.variants[0]?.name ?? 'portable'
  if (pass === 'wgsl') {
    const compiled = compile(source, { ...how, variants: [variant] })
    return (compiled.variants.find((v) => v.params?.via !== 'immediates') ?? compiled.variants[0])?.wgsl ?? ''
  }
  return located(source, variant, () => textAfter(source.ir(variant), pass, countingOn(source, options)))
}

function textAfter(kernel: Kernel, pass: PassName | 'source', options: CompileOptions): string {
  if (pass === 'source') return print(kernel)
  let text: string | null = null
  runPasses(kernel, PROFILES[options.profile ?? 'any'], options, (name, after) => {
    if (name === pass) text = print(after)
  })
  if (text === null) {
    throw new WeftError({
      code: 'unknown-name',
      message: `there is no pass '${pass}', or it is left out`,
      note: `passes: ${PASSES.map((p) => p.name).join(', ')}`,
    })
  }
  return text
}
