import { checkKeys, here, type KernelSource, WeftError } from '@weft/dsl/ir'
import { PASSES } from '../passes'
import { PROFILES } from '../profiles'
import type { CompileOptions } from './options'

/** The words that options may be; null: they are no words. */
const OPTIONS: Readonly<Record<keyof CompileOptions, readonly string[] | null>> = {
  profile: Object.keys(PROFILES),
  doc: null,
  params: ['any', 'uniform'],
  limits: null,
  without: PASSES.map((pass) => pass.name),
  validate: ['once', 'each', 'off'],
  check: null,
  variants: null,
}

/** Throws `bad-argument` at the caller's line where `compile` was given no kernel, or an option that there is not. */
export function checkArguments(source: unknown, options: unknown): asserts source is KernelSource {
  const { ir, variants } = (source ?? {}) as Partial<KernelSource>
  if (typeof ir !== 'function' || !variants)
    refuse(`compile was given ${shown(source)}, expected a kernel`, "kernel('name', { … }, body) makes one")
  if (typeof options !== 'object' || options === null)
    refuse(`the options of compile are ${shown(options)}, expected an object`)
  checkKeys('compile', options, Object.keys(OPTIONS))
  const words = { ...OPTIONS, variants: variants.map((v) => v.name) }
  for (const [option, known] of Object.entries(words))
    for (const word of [(options as Record<string, unknown>)[option]].flat())
      if (known && word !== undefined && !known.includes(word as string))
        refuse(`the option ${option} of compile is ${shown(word)}`, `expected ${known.join(', ')}`)
}

function refuse(message: string, note?: string): never {
  throw new WeftError({ code: 'bad-argument', message, position: here(), note })
}

const shown = (x: unknown): string =>
  typeof x === 'string' ? `'${x}'` : typeof x === 'function' ? 'a function' : Object(x) === x ? 'an object' : String(x)
