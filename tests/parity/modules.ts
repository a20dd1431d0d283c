/** Every module through Tint, and through naga as far as naga knows what is in it. */
import { countModule } from '../engines/counts.js'
import type { Layout } from '../engines/engine.js'
import { validateNaga, withoutSubgroupsLine } from '../engines/naga.js'
import { validateTint } from '../engines/tint.js'
import type { ParityCase } from './case.js'
import type { Compiled, Module } from './compiled.js'
import { constantsOf } from './jobs.js'

/** What naga 30 takes; of subgroups it has the operations and rejects the word `enable subgroups`. */
const NAGA_DEVICE = new Set(['shader-f16', 'subgroups'])
const NAGA_LANGUAGE = new Set([
  'packed_4x8_integer_dot_product',
  'readonly_and_readwrite_storage_textures',
  'immediate_address_space',
  'subgroup_id',
])
const NAGA_LACKS = /subgroupElect|ptr<(workgroup|storage)/

/** Which of the compilers can judge a module. */
export function judgeOf({ variant, profile }: Module, c: ParityCase): 'naga' | 'naga-without-subgroups' | 'tint-only' {
  if (profile !== 'any') return 'naga'
  const { features, languageFeatures } = variant.needs
  const known = features.every((f) => NAGA_DEVICE.has(f)) && languageFeatures.every((f) => NAGA_LANGUAGE.has(f))
  const halfImmediates = variant.params?.via === 'immediates' && features.includes('shader-f16')
  if (!known || halfImmediates || c.tintOnly !== undefined || NAGA_LACKS.test(variant.wgsl)) return 'tint-only'
  return features.includes('subgroups') ? 'naga-without-subgroups' : 'naga'
}

/** Throws what the compilers say against one module; counts it otherwise. */
async function validateModule(module: Module, compiled: Compiled, c: ParityCase): Promise<void> {
  const { variant } = module
  const { needs } = variant
  const tint = await validateTint(variant.wgsl, {
    entryPoint: variant.entryPoint,
    layouts: variant.layouts as readonly Layout[],
    constants: constantsOf(compiled.artifact, c),
    features: needs.features,
    limits: needs.limits,
    ...(variant.params?.via === 'immediates'
      ? { immediateSize: Math.ceil((compiled.artifact.params?.size ?? 0) / 4) * 4 }
      : {}),
  })
  if (!tint.ok)
    throw refused(
      'Tint',
      module,
      [tint.text, ...tint.messages.map((m) => `${m.line}:${m.column} ${m.text}`)].join('\n'),
    )
  countModule('tint')
  const judge = judgeOf(module, c)
  if (judge !== 'tint-only') {
    const naga = await validateNaga(judge === 'naga' ? variant.wgsl : withoutSubgroupsLine(variant.wgsl))
    if (!naga.ok) throw refused('naga', module, naga.text)
  }
  countModule(judge)
}

const refused = (by: string, { variant, profile }: Module, text: string): Error =>
  new Error(`${by} refuses the module of ${variant.id} (profile ${profile}): ${text}\n\n${variant.wgsl}`)

const validated = new WeakMap<Compiled, Promise<void>>()

/** All modules of a kernel, once however many cases use it. */
export function validateModules(compiled: Compiled, c: ParityCase): Promise<void> {
  const known = validated.get(compiled)
  if (known) return known
  const work = Promise.all(compiled.modules().map((m) => validateModule(m, compiled, c))).then(() => undefined)
  validated.set(compiled, work)
  return work
}
