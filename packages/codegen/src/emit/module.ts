import { FEATURES, type FeatureName, type Kernel } from '@weft/dsl/ir'
import { working } from '../passes/rewrite'
import { comment } from './comments'
import { type Slots, writeDeclarations, writeStruct, writeVariables } from './declarations'
import { writeEntry, writeFunction } from './functions'
import { gap, line, output } from './lines'
import { memoryOf } from './memory'
import { moduleNames } from './module-names'
import { type Survey, survey } from './survey'

export type { Slots }

/** The text of a module. The line that declares the params can be exchanged: the rest does not depend on it. */
export interface Emitted {
  readonly lines: readonly string[]
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
  const memory = memoryOf(kernel)
  const { module, entryPoint } = moduleNames(kernel, found, memory)
  const out = output()

  for (const text of comment(doc)) line(out, text)
  const enables = enablesOf(found.features)
  for (const name of enables) line(out, `enable ${name};`)
  gap(out)
  for (const s of found.structs) writeStruct(s, module, out)
  if (kernel.params.length > 0) writeStruct({ kind: 'struct', name: '', fields: kernel.params }, module, out)
  writeDeclarations(kernel, module, slots, out)
  const paramsLine = out.lines.length
  if (slots.params) line(out, '//')
  writeVariables(kernel, module, out)
  for (const f of kernel.functions) writeFunction(f, module, memory.within(f), out)
  writeEntry(kernel, entryPoint, module, memory, out)

  const declaration = (via: 'uniform' | 'immediates'): string =>
    via === 'immediates'
      ? `var<immediate> ${module.names.params}: ${module.names.structs.get('')};`
      : `@group(${slots.params?.group}) @binding(${slots.params?.binding}) var<uniform> ${module.names.params}: ${module.names.structs.get('')};`
  const joined = (from: number, to?: number): (() => string) => {
    let text: string | undefined
    return () => (text ??= `${out.lines.slice(from, to).join('\n')}\n`)
  }
  const before = joined(0, paramsLine)
  const after = joined(slots.params ? paramsLine + 1 : 0)
  return {
    lines: out.lines,
    ats: out.ats,
    entryPoint,
    survey: found,
    text: (via) => (slots.params ? `${before()}${declaration(via)}\n${after()}` : after()),
  }
}

/** The `enable` names of features, in the order of the table. */
export function enablesOf(features: ReadonlySet<FeatureName>): readonly string[] {
  const out: string[] = []
  for (const [name, feature] of Object.entries(FEATURES) as [FeatureName, { enable?: string }][]) {
    if (feature.enable && features.has(name)) out.push(feature.enable)
  }
  return out
}
