import { checkKeys, positionOf, WeftError } from '../diagnostics'
import type { Binding, Extent, Kernel, OverrideDecl } from '../ir'
import { FEATURES } from '../ops'
import { isKind, type ScalarName, spell, type TextureType, type Type } from '../types'
import { DEFAULT_LIMITS } from '../validate/limits'
import type { BindingDecl, Override } from './declarations'
import { fail } from './fail'
import { describe, expected, type Handle, isCount } from './handle'
import { HostNumber } from './host'
import type { AnyDecl } from './kernel'
import { checkName } from './lift'
import { reference, rootPlace, value } from './place'
import { typeFrom } from './schema'
import type { Session } from './session'

/** What a kernel is before its body is built: the declaration, checked. */

export type Shell = Omit<Kernel, 'launch' | 'variant' | 'constants' | 'variables' | 'functions' | 'body'>

const named = <D, R>(
  declared: Readonly<Record<string, D>> | undefined,
  what: string,
  make: (name: string, d: D) => R,
): R[] => Object.entries(declared ?? {}).map(([name, d]) => make(checkName(name, what), d))

const KEYS = Object.keys({
  workgroupSize: true,
  bindings: true,
  params: true,
  overrides: true,
  workgroups: true,
  cost: true,
  aliases: true,
  variants: true,
  doc: true,
  subgroupSize: true,
  limits: true,
  guards: true,
} satisfies Record<keyof AnyDecl, true>)

function checkDeclared(name: string, { variants, limits, guards }: AnyDecl): void {
  for (const [variant, needs] of Object.entries(variants ?? {}))
    for (const feature of [needs].flat())
      if (!Object.hasOwn(FEATURES, feature))
        fail(
          'unknown-name',
          `variant '${variant}' of kernel '${name}' needs '${feature}', which is no feature`,
          `features: ${Object.keys(FEATURES).join(', ')}`,
        )
  checkKeys(`limits of kernel '${name}'`, limits ?? {}, Object.keys(DEFAULT_LIMITS))
  if (guards !== undefined && guards !== 'off' && guards !== 'required')
    expected('bad-argument', `guards of kernel '${name}'`, "'required' or 'off'", guards)
}

export function declare(name: string, decl: AnyDecl): Shell {
  checkKeys(`kernel '${name}'`, decl, KEYS)
  checkDeclared(name, decl)
  const bindings = named(decl.bindings, 'a binding', bindingOf)
  const params = named(decl.params, 'a param', (n, schema) => ({ name: n, type: paramType(n, typeFrom(schema, n)) }))
  const overrides = named(decl.overrides, 'an override', overrideOf)
  const names = [...bindings, ...params, ...overrides].map((x) => x.name)
  const twice = names.find((n, i) => names.indexOf(n) !== i)
  if (twice !== undefined)
    fail(
      'duplicate-name',
      `'${twice}' is declared twice in kernel '${name}'`,
      'bindings, params and overrides share one set of names',
    )
  return {
    kind: 'kernel',
    name,
    workgroupSize: extents(name, decl.workgroupSize, overrides),
    subgroupSize: decl.subgroupSize ?? null,
    bindings,
    params,
    overrides,
    aliases: decl.aliases ?? [],
    guards: decl.guards ?? 'required',
  }
}

/** Params are values, or arrays of values: what the host can pack by itself. */
function paramType(name: string, type: Type): Type {
  const element = isKind(type, 'array') && type.count !== null ? type.of : type
  if (typeof element === 'string') return type
  return fail(
    'bad-type',
    `param '${name}' has type ${spell(type)}`,
    'params are values and arrays of them; put a struct into a binding: uniform(d.struct({ … }))',
  )
}

function bindingOf(name: string, decl: BindingDecl): Binding {
  if (typeof decl !== 'object' || decl === null || !('schema' in decl))
    return expected(
      'bad-argument',
      `binding '${name}'`,
      'input(…), output(…), inout(…), uniform(…) or texture(…)',
      decl,
    )
  const { kind, access, writes } = decl
  const type = typeFrom(decl.schema, name)
  const base = { name, kind, access, type }
  if (kind === 'texture') return { ...base, texture: type as TextureType }
  return writes ? { ...base, writes } : base
}

function overrideOf(name: string, decl: Override): OverrideDecl {
  if (typeof decl === 'object' && decl !== null && 'default' in decl) return { name, ...decl }
  return expected('bad-argument', `override '${name}'`, 'override(type, …)', decl)
}

function extents(name: string, size: unknown, overrides: readonly OverrideDecl[]): Kernel['workgroupSize'] {
  const given: readonly unknown[] = [size].flat()
  if (given.length < 1 || given.length > 3)
    fail(
      'workgroup-size',
      `kernel '${name}' has a workgroup size of ${given.length} dimensions`,
      'give one to three: [256], [16, 16], [8, 8, 4]',
    )
  const extent = (e: unknown): Extent => {
    if (isCount(e)) return e
    if (typeof e !== 'string')
      return fail(
        'workgroup-size',
        `${describe(e)} is not a workgroup size`,
        'sizes are integers from 1 on, or names of overrides',
      )
    if (overrides.some((o) => o.name === e)) return { override: e }
    return fail(
      'unknown-name',
      `the workgroup size names override '${e}', which is not declared`,
      `declare overrides: { ${e}: override(u32) }`,
    )
  }
  return [extent(given[0]), extent(given[1] ?? 1), extent(given[2] ?? 1)]
}

/** What a rule of the host makes of what the kernel declares. */
export function ruled<R>({ name, bindings, params, overrides }: Shell, rule: (view: never) => R): R {
  const known: Record<string, unknown> = {}
  for (const { name } of bindings) known[name] = { length: new HostNumber({ kind: 'length', binding: name }) }
  for (const { name } of params) known[name] = new HostNumber({ kind: 'param', name })
  for (const { name } of overrides) known[name] = new HostNumber({ kind: 'override', name })
  return seeing(name, known, rule)
}

/**
 * Runs what the author wrote on what the kernel declares. It may look whether there is a name; where it fails over
 * something undefined, a name that there is not is why.
 */
export function seeing<R>(kernel: string, known: Record<string, unknown>, body: (view: never) => R): R {
  let missing: string | undefined
  const get = (_: object, name: string): unknown => {
    if (!(name in known)) missing ??= String(name)
    return known[name]
  }
  try {
    return body(new Proxy(known, { get }) as never)
  } catch (error) {
    const { position, stack, message } = error as Partial<WeftError>
    if (missing === undefined || !message?.includes('undefined')) throw error
    throw new WeftError({
      code: 'unknown-name',
      message: `kernel '${kernel}' declares no '${missing}'`,
      position: position ?? positionOf(stack),
      note: `it declares ${Object.keys(known).join(', ')}`,
    })
  }
}

/** How the body sees what the kernel declares. */
export function views({ module }: Session, { bindings, params, overrides }: Shell): Record<string, Handle> {
  const out: Record<string, Handle> = {}
  for (const { name, type, access } of bindings)
    out[name] = reference(rootPlace({ kind: 'binding', name }, type), module, access, `'${name}'`)
  for (const { name, type } of params) out[name] = value({ kind: 'param', type, name }, module, `param '${name}'`)
  for (const { name, type } of overrides)
    out[name] = value({ kind: 'override', type: type as ScalarName, name }, module, `override '${name}'`)
  return out
}
