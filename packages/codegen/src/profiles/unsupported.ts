import {
  type Block,
  BUILTINS,
  type Diagnostic,
  EFFECTS,
  FEATURES,
  type FeatureName,
  featuresOf,
  forEachExpr,
  forEachStmt,
  isValueName,
  type Kernel,
  scalarOf,
  type Type,
} from '@weft/dsl/ir'
import { PACKED } from '../passes/legalize/packed'
import type { Profile } from './profiles'

/** What a legalized kernel still needs and its profile does not have: one fault for each, naming the first use. */
export function unsupported(kernel: Kernel, profile: Profile, features = featuresOf(kernel)): Diagnostic[] {
  const out: Diagnostic[] = []
  for (const feature of Object.keys(FEATURES) as FeatureName[]) {
    if (!features.has(feature) || profile.allows.has(feature)) continue
    const use = firstUse(kernel, feature)
    out.push({
      code: 'profile-unsupported',
      message: `${use.what} needs ${needOf(feature)}, which the profile '${profile.name}' does not have`,
      ...(use.at >= 0 ? { at: use.at } : {}),
      note: 'add a variant that does without it, or compile for another profile',
    })
  }
  return out
}

function needOf(feature: FeatureName): string {
  const { device, language }: { device?: string; language?: string } = FEATURES[feature]
  return device ? `the device feature '${device}'` : `the language feature '${language}'`
}

export interface Use {
  readonly what: string
  readonly at: number
}

/** The first use of a feature, for messages. */
export function firstUse(kernel: Kernel, feature: FeatureName): Use {
  const found: Use[] = []
  const add = (what: string, at = -1): void => void (found.length === 0 && found.push({ what, at }))
  if (feature === 'f16') {
    const has = (t: Type): boolean =>
      typeof t === 'string'
        ? isValueName(t) && scalarOf(t) === 'f16'
        : t.kind === 'array' || t.kind === 'ptr'
          ? has(t.of)
          : t.kind === 'struct'
            ? t.fields.some((f) => has(f.type))
            : t.kind === 'subgroup_matrix' && t.of === 'f16'
    for (const b of kernel.bindings) if (has(b.type)) add(`binding '${b.name}' holds f16 and so`)
    for (const p of kernel.params) if (has(p.type)) add(`param '${p.name}' is f16 and so`)
    for (const v of kernel.variables) if (has(v.type)) add(`variable '${v.name}' holds f16 and so`)
    inBodies(kernel, (body) =>
      forEachExpr(body, (e) => has(e.type) && add('a value of type f16', 'at' in e ? e.at : -1)),
    )
  }
  if (feature === 'subgroup-size-control' && kernel.subgroupSize !== null) add('a required subgroup size')
  if (feature === 'pointer-parameters') for (const f of kernel.functions) add(`a pointer parameter of '${f.name}'`)
  if (feature === 'buffer-view') add('a view of a buffer')
  if (feature === 'read-write-textures')
    for (const b of kernel.bindings)
      if (b.texture?.format && b.access !== 'write') add(`texture '${b.name}', which is read and storage,`)
  inBodies(kernel, (body) => {
    forEachStmt(body, (s) => {
      if (s.kind !== 'effect') return
      const row = EFFECTS[s.op]
      if ('feature' in row && row.feature === feature) add(s.op, s.at)
      if (feature === 'read-write-textures' && s.op === 'textureBarrier') add(s.op, s.at)
    })
    forEachExpr(body, (e) => {
      if (e.kind === 'builtin') {
        const row = BUILTINS[e.name]
        if ('feature' in row && row.feature === feature) add(`the built-in value ${e.name}`)
      } else if (e.kind === 'op' && feature === 'packed-dot' && PACKED.has(e.op)) add(e.op, e.at)
    })
  })
  return found[0] ?? { what: 'the kernel', at: -1 }
}

function inBodies(kernel: Kernel, f: (body: Block) => void): void {
  for (const func of kernel.functions) f(func.body)
  f(kernel.body)
}
