import { FEATURES, type Feature, type FeatureName, featuresOf, type Kernel, type Use } from '@weft/dsl/ir'
import { working } from '../passes/rewrite'
import { comment } from './comments'
import { type Slots, writeDeclarations, writeStruct, writeVariables } from './declarations'
import { writeEntry, writeFunction } from './functions'
import { globals } from './globals'
import { Output } from './lines'

export type { Slots }

/** The text of a module. The line that declares the params can be exchanged: the rest does not depend on it. */
export interface Emitted {
  /** For each line, the number of the builder's call that it comes from, or −1. */
  readonly ats: readonly number[]
  readonly entryPoint: string
  readonly features: ReadonlyMap<FeatureName, Use>
  /** The whole text, with params in a uniform block or in immediates. */
  text(via: 'uniform' | 'immediates'): string
}

/** Writes a kernel that has been validated and legalized: never fails, and gives the same text for the same kernel. */
export function emit(source: Kernel, slots: Slots, doc = ''): Emitted {
  const kernel = working(source)
  const features = kernel.graph.special ? featuresOf(kernel) : new Map<FeatureName, Use>()
  const module = globals(kernel)
  const { struct, name } = module.params

  const out = new Output()
  writeDeclarations(kernel, module, slots, out)
  const bindings = out.take()
  if (slots.params)
    out.line(`@group(${slots.params.group}) @binding(${slots.params.binding}) var<uniform> ${name}: ${struct};`)
  const uniform = out.take()
  writeVariables(kernel, module, out)
  for (const f of kernel.functions) writeFunction(f, module, out)
  writeEntry(kernel, module, out)
  const code = out.take()

  // last, when it is known what structs are mentioned
  const head = new Output()
  if (doc) for (const text of comment(doc)) head.line(text)
  if (features.size > 0) for (const enable of enablesOf(features)) head.line(`enable ${enable};`)
  head.gap()
  for (const s of module.structs.values()) writeStruct(s.name, s.fields, module, head)
  if (struct) writeStruct(struct, kernel.params, module, head)
  const before = head.take() + bindings
  return {
    ats: [...head.ats, ...out.ats],
    entryPoint: module.entryPoint,
    features,
    text: (via) => before + (via === 'immediates' ? `var<immediate> ${name}: ${struct};\n` : uniform) + code,
  }
}

/** The `enable` names of features, in the order of the table. */
export const enablesOf = (features: Pick<ReadonlySet<FeatureName>, 'has'>): readonly string[] =>
  (Object.entries(FEATURES) as [FeatureName, Feature][]).flatMap(([name, { enable }]) =>
    enable && features.has(name) ? [enable] : [],
  )
