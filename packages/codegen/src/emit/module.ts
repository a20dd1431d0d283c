import { FEATURES, type Feature, type FeatureName, type Kernel } from '@weft/dsl/ir'
import { working } from '../passes/rewrite'
import { comment } from './comments'
import { type Slots, writeDeclarations, writeStruct, writeVariables } from './declarations'
import { writeEntry, writeFunction } from './functions'
import { globals } from './globals'
import { Output } from './lines'
import { type Survey, survey } from './survey'

export type { Slots }

/** The text of a module. The line that declares the params can be exchanged: the rest does not depend on it. */
export interface Emitted {
  /** For each line, the number of the builder's call that it comes from, or −1. */
  readonly ats: readonly number[]
  readonly entryPoint: string
  readonly survey: Survey
  /** The whole text, with params in a uniform block or in immediates. */
  text(via: 'uniform' | 'immediates'): string
}

/** Writes a kernel that has been validated and legalized: never fails, and gives the same text for the same kernel. */
export function emit(source: Kernel, slots: Slots, doc = ''): Emitted {
  const kernel = working(source)
  const found = survey(kernel)
  const { module, entryPoint } = globals(kernel, found)
  const out = new Output()

  for (const text of comment(doc)) out.line(text)
  for (const name of enablesOf(found.features)) out.line(`enable ${name};`)
  out.gap()
  for (const s of found.structs) writeStruct(s, module, out)
  if (kernel.params.length > 0) writeStruct({ kind: 'struct', name: '', fields: kernel.params }, module, out)
  writeDeclarations(kernel, module, slots, out)
  const head = out.take()
  const { name, struct } = module.params
  if (slots.params)
    out.line(`@group(${slots.params.group}) @binding(${slots.params.binding}) var<uniform> ${name}: ${struct};`)
  const uniform = out.take()
  writeVariables(kernel, module, out)
  for (const f of kernel.functions) writeFunction(f, module, out)
  writeEntry(kernel, entryPoint, module, out)
  const rest = out.take()
  const text: Emitted['text'] = (via) =>
    head + (via === 'immediates' ? `var<immediate> ${name}: ${struct};\n` : uniform) + rest
  return { ats: out.ats, entryPoint, survey: found, text }
}

/** The `enable` names of features, in the order of the table. */
export const enablesOf = (features: ReadonlySet<FeatureName>): readonly string[] =>
  (Object.entries(FEATURES) as [FeatureName, Feature][]).flatMap(([name, { enable }]) =>
    enable && features.has(name) ? [enable] : [],
  )
