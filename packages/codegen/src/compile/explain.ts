import {
  type Expr,
  FEATURES,
  type FeatureName,
  featuresOf,
  forEachExpr,
  forEachStmt,
  type Kernel,
  type KernelSource,
  type Position,
  type Use,
} from '@weft/dsl/ir'
import type { CompiledKernel, CompiledVariant } from '../artifact'
import { enablesOf } from '../emit'
import { mergeAlias } from '../layout'
import { lowerOp } from '../passes/legalize/ops'
import { PROFILES, type Profile } from '../profiles'
import { compile } from './compile'
import { type CompileOptions, countingOn } from './options'
import { runPasses } from './pipeline'
import { located } from './positions'

/**
 * In words: each variant, what it needs and why, what was lowered, and where every binding, enable and guard of its text
 * comes from.
 */
export function explain(source: KernelSource, given: CompileOptions = {}): string {
  const compiled = compile(source, given)
  const options = countingOn(source, given)
  const profile = PROFILES[options.profile ?? 'any']
  const lines = [
    `kernel '${compiled.name}' for profile '${profile.name}': ${plural(compiled.variants.length, 'variant')}`,
    '',
  ]
  lines.push(...interfaceLines(compiled))
  if (compiled.launch?.folds === false && source.ir(compiled.variants[0]?.source).launch?.folds)
    lines.push(
      '  not folded: u32 cannot follow the launch rule, so a launch has no more workgroups than one dimension of the device',
    )
  for (const v of compiled.variants) {
    lines.push('', `variant ${v.id}`)
    lines.push(...needLines(v))
    lines.push(...located(source, v.source, () => reasonLines(source, v, profile, options)))
  }
  return `${lines.join('\n')}\n`
}

const plural = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

function interfaceLines(k: CompiledKernel): string[] {
  const lines = k.bindings.map(
    (b) => `  binding ${b.name}: ${b.type}, ${b.access}${b.writes === null ? '' : `, ${b.writes} writes`}`,
  )
  if (k.params) {
    const inside = k.params.fields.map((f) => `${f.name} at ${f.offset}`).join(', ')
    lines.push(`  params: ${plural(k.params.size, 'byte')} (${inside})`)
  }
  for (const o of k.overrides)
    lines.push(`  override ${o.name}: ${o.type}${o.default === null ? ', to be given' : ` = ${o.default}`}`)
  for (const [a, b] of k.aliases)
    lines.push(`  alias: '${a}' and '${b}' may be one buffer, for which there are variants with one binding`)
  return lines
}

function needLines(v: CompiledVariant): string[] {
  const lines: string[] = []
  for (const f of v.needs.features) lines.push(`  needs the device feature ${f}`)
  for (const f of v.needs.languageFeatures) lines.push(`  needs the language feature ${f}`)
  if (v.params)
    lines.push(
      v.params.via === 'immediates'
        ? '  params come as immediates'
        : `  params come as a uniform block at binding ${v.params.binding} of group ${v.params.group}`,
    )
  for (const s of v.slots) lines.push(`  ${s.name} is at binding ${s.binding} of group ${s.group}`)
  return lines
}

function reasonLines(
  source: KernelSource,
  { source: variant, needs: { alias } }: CompiledVariant,
  profile: Profile,
  options: CompileOptions,
): string[] {
  const plain = source.ir(variant)
  const before = alias ? mergeAlias(plain, alias) : plain
  const after = runPasses(before, profile, options)
  let positions: readonly (Position | null)[] | null = null
  const place = (at: number): string => {
    if (at < 0) return ''
    positions ??= source.positions(variant)
    const p = positions[at]
    return p ? ` at ${p.file}:${p.line}:${p.column}` : ''
  }
  const lines: string[] = []
  const left = featuresOf(after)
  for (const [feature, use] of left) {
    const [name] = enablesOf(new Set([feature]))
    if (!name) continue
    lines.push(`  enable ${name}: for ${said(use)}${place(use.at)}`)
  }
  for (const [feature, use] of featuresOf(before)) {
    if (left.has(feature)) continue
    lines.push(`  lowered: ${said(use)}${place(use.at)}, instead of ${nameOf(feature)}`)
  }
  for (const [op, text] of LOWERED) {
    const at = firstLowered(before, after, op, profile)
    if (at !== null) lines.push(`  lowered: ${text}${place(at)}`)
  }
  if (before.overrides.length > 0 && after.overrides.length === 0)
    lines.push('  lowered: overrides are baked by their defaults')
  if (isGuarded(after)) {
    lines.push(
      '  guard: surplus workgroups of a folded launch leave first, since the launch is linear and the kernel counts workgroups',
    )
  }
  const unrolled = count(before, (s) => s === 'range') - count(after, (s) => s === 'range')
  if (unrolled > 0) lines.push(`  unrolled or dropped: ${plural(unrolled, 'loop')}`)
  for (const body of [after.body, ...after.functions.map((f) => f.body)])
    forEachStmt(body, (s) => {
      if (s.kind === 'range' && s.unroll === true)
        lines.push(
          `  not unrolled: the loop '${s.name}'${place(s.at)}, which has too many rounds or statements, or unknown bounds`,
        )
    })
  return lines
}

const said = ({ what, which }: Use): string => (which ? `${what}, which ${which}` : what)

function nameOf(feature: FeatureName): string {
  const { device, language }: { device?: string; language?: string } = FEATURES[feature]
  return device ?? language ?? feature
}

const LOWERED: readonly (readonly [string, string])[] = [
  ['tanh', 'the argument of tanh is clamped to ±15, beyond which engines give NaN'],
  ['pow', 'pow with a constant integer exponent is multiplied out'],
]

/** The first op of this name that the profile has rewritten, and of which the module still has something. */
function firstLowered(before: Kernel, after: Kernel, op: string, profile: Profile): number | null {
  const left = new Set<number>()
  forEachNode(after, (e) => void ('at' in e && left.add(e.at)))
  let found: number | null = null
  forEachNode(before, (e) => {
    if (found === null && e.kind === 'op' && e.op === op && lowerOp(e, profile) !== e && left.has(e.at)) found = e.at
  })
  return found
}

function forEachNode(kernel: Kernel, visit: (e: Expr) => void): void {
  for (const body of [kernel.body, ...kernel.functions.map((f) => f.body)]) forEachExpr(body, visit)
}

/** The `return` of the guard of linear launches is the only one that is no call of the builder. */
function isGuarded(kernel: Kernel): boolean {
  let found = false
  forEachStmt(kernel.body, (s) => {
    if (s.kind === 'return' && s.at < 0) found = true
  })
  return found
}

function count(kernel: Kernel, is: (kind: string) => boolean): number {
  let n = 0
  for (const body of [kernel.body, ...kernel.functions.map((f) => f.body)])
    forEachStmt(body, (s) => void (is(s.kind) && n++))
  return n
}
