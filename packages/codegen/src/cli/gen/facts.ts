import type { CompiledKernel } from '../../artifact'
import { type LaunchNeeds, launchNeeds } from './launch'

/** What a generated module has to cater for; code for the rest is left out of it. */
export interface Facts {
  readonly params: boolean
  readonly uniform: boolean
  readonly immediates: boolean
  readonly overrides: boolean
  readonly aliases: boolean
  readonly buffers: boolean
  readonly textures: boolean
  /** The launch rule has one dimension: folded. */
  readonly linear: boolean
  /** null: the kernel has no launch rule, the caller says how many. */
  readonly launch: LaunchNeeds | null
}

export function factsOf(kernel: CompiledKernel): Facts {
  const via = kernel.variants.map(({ params }) => params?.via)
  return {
    params: kernel.params !== null,
    uniform: via.includes('uniform'),
    immediates: via.includes('immediates'),
    overrides: kernel.overrides.length > 0,
    aliases: kernel.variants.some(({ needs }) => needs.alias !== null),
    buffers: kernel.bindings.some(({ kind }) => kind !== 'texture'),
    textures: kernel.bindings.some(({ kind }) => kind === 'texture'),
    linear: kernel.launch?.folds === true,
    launch: kernel.launch ? launchNeeds(kernel.launch) : null,
  }
}

/** `lines` where `condition` holds, for putting text together. */
export const when = (condition: boolean, text: string): string => (condition ? text : '')
