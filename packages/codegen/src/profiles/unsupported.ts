import {
  BUILTINS,
  type BuiltinRow,
  type Diagnostic,
  EFFECTS,
  type EffectRow,
  FEATURES,
  type FeatureName,
  featuresOf,
  forEachExpr,
  forEachStmt,
  type Kernel,
  type Type,
} from '@weft/dsl/ir'
import { PACKED } from '../passes/legalize/packed'
import { atOf } from '../passes/nodes'
import { bodiesOf } from '../passes/walk'
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
  const add = (what: string, at = -1): void => void found.push({ what, at })
  const nothing = {
    subgroupSize: null,
    bindings: [],
    overrides: [],
    constants: [],
    variables: [],
    functions: [],
    body: [],
  }
  const isOf = (type: Type): boolean => featuresOf({ ...kernel, ...nothing, params: [{ name: '', type }] }).has(feature)

  if (kernel.subgroupSize !== null && feature === 'subgroup-size-control') add('a required subgroup size')
  for (const b of kernel.bindings)
    if (isOf(b.type))
      add(
        feature === 'f16'
          ? `binding '${b.name}' holds f16 and so`
          : b.texture
            ? `texture '${b.name}', which is read and storage,`
            : 'a view of a buffer',
      )
  for (const p of kernel.params) if (isOf(p.type)) add(`param '${p.name}' is f16 and so`)
  if (feature === 'f16')
    for (const v of kernel.variables) if (isOf(v.type)) add(`variable '${v.name}' holds f16 and so`)
  if (feature === 'pointer-parameters') for (const f of kernel.functions) add(`a pointer parameter of '${f.name}'`)
  for (const body of bodiesOf(kernel)) {
    forEachStmt(body, (s) => {
      if (s.kind !== 'effect') return
      const { feature: needed }: EffectRow = EFFECTS[s.op]
      if (needed === feature || (feature === 'read-write-textures' && s.op === 'textureBarrier')) add(s.op, s.at)
    })
    forEachExpr(body, (e) => {
      if (e.kind === 'builtin') {
        const { feature: needed }: BuiltinRow = BUILTINS[e.name]
        if (needed === feature) add(`the built-in value ${e.name}`)
      } else if (e.kind === 'op' && feature === 'packed-dot' && PACKED.has(e.op)) add(e.op, e.at)
      if (feature === 'f16' && isOf(e.type)) add('a value of type f16', atOf(e))
    })
  }
  return found[0] ?? { what: 'the kernel', at: -1 }
}
