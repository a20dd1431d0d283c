import type { CompiledKernel } from '@weft/codegen'

const plain = new WeakMap<CompiledKernel, CompiledKernel>()

/** What a variant computes by; where its params come from is no matter of numbers. */
const powersOf = ({ needs }: CompiledKernel['variants'][number]): readonly string[] =>
  [...needs.features, ...needs.languageFeatures].filter((name) => name !== 'immediate_address_space')

/** A kernel with those of its variants alone that need nothing which another one does without; itself where all need the same. */
export function plainest(kernel: CompiledKernel): CompiledKernel {
  const known = plain.get(kernel)
  if (known) return known
  const { variants } = kernel
  const needed = variants.map(powersOf)
  const all = needed[0]?.filter((name) => needed.every((names) => names.includes(name)))
  const kept = variants.filter((_, i) => needed[i]?.every((name) => all?.includes(name)))
  const made = kept.length === variants.length || kept.length === 0 ? kernel : { ...kernel, variants: kept }
  plain.set(kernel, made)
  return made
}
