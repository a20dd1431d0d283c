/** The engines of a test process, opened by the first who asks. */

import type { CompiledVariant } from '@weft/codegen'
import { selectVariant } from '../../packages/runtime/src/variant.js'
import { openDawn } from '../engines/dawn.js'
import type { Engine } from '../engines/engine.js'
import { missing } from '../engines/install.js'
import { openWgpu } from '../engines/wgpu.js'
import type { EngineName, ParityCase } from './case.js'

/** An engine, or why there is none here. */
export type Opened = Engine | string

const open = (name: EngineName): Promise<Opened> => {
  const why = missing(name)
  return why !== undefined ? Promise.resolve(why) : name === 'dawn' ? openDawn() : openWgpu()
}

export interface Engines {
  readonly dawn: Opened
  readonly wgpu: Opened
}

let opened: Promise<Engines> | undefined

export function openEngines(): Promise<Engines> {
  opened ??= Promise.all([open('dawn'), open('wgpu')]).then(([dawn, wgpu]) => ({ dawn, wgpu }))
  return opened
}

/** Closes them; the next call of `openEngines` starts new ones. */
export async function closeEngines(): Promise<void> {
  const engines = await opened
  opened = undefined
  for (const engine of [engines?.dawn, engines?.wgpu]) if (typeof engine === 'object') await engine.close()
}

/** Adapters that compute on the CPU, by what they say of themselves. */
const SOFTWARE = /swiftshader|llvmpipe/i

/** Why an engine cannot run this variant of this case, or null. */
export function obstacle(name: EngineName, engine: Opened, variant: CompiledVariant, c: ParityCase): string | null {
  if (typeof engine === 'string') return engine
  const known = c.not?.[name] ?? (SOFTWARE.test(engine.adapter.description) ? c.not?.software : undefined)
  if (known !== undefined) return known
  if (variant.params?.via === 'immediates' && name === 'wgpu') return 'wgpu has no setImmediates'
  if (c.subgroupSize !== undefined && engine.subgroupSize !== c.subgroupSize)
    return `is for subgroups of ${c.subgroupSize}, the engine has ones of ${engine.subgroupSize ?? 'an unknown size'}`
  const { features, languageFeatures, limits } = engine
  const { rejected } = selectVariant([variant], { features, languageFeatures, limits }, { alias: variant.needs.alias })
  return rejected[0]?.because ?? null
}
