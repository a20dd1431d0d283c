import { type Diagnostic, positionOf, WeftError } from '../diagnostics'
import {
  type Binding,
  type CostRule,
  type Extent,
  type Kernel,
  type KernelSource,
  type Position,
  serialize,
} from '../ir'
import type { FeatureName } from '../ops'
import { type Access, isKind, type ScalarName, spell, type TextureType, type Type, type ValueName } from '../types'
import { makeBuilder } from './builder'
import type { Builder } from './builder-types'
import { fail, Scope, Session } from './context'
import { type BindingDecl, type BindingView, type Override, overrideDecl } from './declarations'
import { exprState, Handle } from './handle'
import { costRule, type HostArg, HostNumber, launchRule } from './host'
import { describe } from './lift'
import { installMethods } from './methods'
import { checkName } from './names'
import { rootPlace } from './place'
import { makeRef, makeValue } from './ref'
import { namingStructs, typeFrom } from './schema'
import type { Expr, ShapeOf, Value } from './types'

type Bindings = Readonly<Record<string, BindingDecl>>
type Params = Readonly<Record<string, unknown>>
type Overrides = Readonly<Record<string, Override>>

/** What rules of the host see: params and overrides as numbers, and the lengths of bindings. */
type HostView<B, O, N extends string> = { readonly [K in N | keyof O]: HostNumber } & {
  readonly [K in keyof B]: { readonly length: HostNumber }
}

/**
 * What a kernel declares. One declaration gives the WGSL variables, the bind-group layout and the caller's types.
 *
 * `N` are the names of the params. The launch rule is typed by them alone: TypeScript would infer `P` from a rule that
 * mentions it, before it has looked at calls among the params (`d.arrayOf(d.u32, 4)`).
 */
export interface KernelDecl<
  B extends Bindings,
  P extends Params,
  O extends Overrides,
  N extends string = keyof P & string,
> {
  /** Invocations of a workgroup in x, y, z: numbers, or names of overrides. */
  readonly workgroupSize: readonly (number | (keyof O & string))[]
  readonly bindings: B
  /** Values given at each dispatch: uniform over it, and laid out by weft. No name may be that of a binding. */
  readonly params?: P & Readonly<Record<N, unknown>>
  readonly overrides?: O
  /**
   * The launch rule: how many workgroups to dispatch. One count is linear: `k.workgroupIndex` runs over it, 0 is
   * skipped, and a count above what the device takes in one dimension is folded.
   */
  readonly workgroups?: (n: HostView<B, O, N>) => readonly HostArg[]
  /**
   * What a dispatch costs, for profilers: bytes that it has to move, and floating-point operations, of which a
   * multiply-add is two. `({ n }) => ({ bytes: n.mul(12), operations: n.mul(2) })`
   */
  readonly cost?: (n: HostView<B, O, N>) => { readonly bytes?: HostArg; readonly operations?: HostArg }
  /** Pairs of an input and an output that may be the same buffer. */
  readonly aliases?: readonly (readonly [keyof B & string, keyof B & string])[]
  /** Versions of the body, best first, with the features that each needs; `k.variant` tells the body which it is. */
  readonly variants?: Readonly<Record<string, readonly FeatureName[]>>
  /** What it computes, for kernels that a factory makes; others are described by the doc comment of their export. */
  readonly doc?: string
  /** Needs the feature `subgroup-size-control`. */
  readonly subgroupSize?: number
  /** `off`: stores whose index nothing limits are accepted. */
  readonly guards?: 'required' | 'off'
}

/** What the body sees: bindings, params and overrides by name. */
export type BodyView<B extends Bindings, P extends Params, O extends Overrides> = {
  readonly [K in keyof B]: BindingView<B[K]>
} & { readonly [K in keyof P]: Value<ShapeOf<P[K]>> } & {
  readonly [K in keyof O]: O[K] extends Override<infer T> ? Expr<T> : never
}

/** A kernel as a value: its declaration and its body, built when it is first compiled or run. */
export interface KernelOf<B extends Bindings, P extends Params, O extends Overrides> extends KernelSource {
  /** The types of the interface, for callers; not there at run time. */
  readonly $types?: { readonly bindings: B; readonly params: P; readonly overrides: O }
}

/** What a caller gives a kernel: its bindings (`texture` or `buffer`) and the types of its params, by name. */
export type SignatureOf<K> = K extends { readonly $types?: { readonly bindings: infer B; readonly params: infer P } }
  ? {
      readonly bindings: {
        readonly [N in keyof B]: B[N] extends BindingDecl<{ readonly type: `texture_${string}` }> ? 'texture' : 'buffer'
      }
      readonly params: { readonly [N in keyof P]: ShapeOf<P[N]> extends infer T extends ValueName ? T : 'composed' }
    }
  : never

type None = Record<never, never>

/** Refuses names that bindings and params share. (Apart from `params`, whose types it would keep from being inferred.) */
type Disjoint<Shared extends PropertyKey> = [Shared] extends [never]
  ? unknown
  : { readonly params: { readonly [K in Shared]: never } }

/**
 * Declares a kernel.
 *
 *     export const scale = kernel('scale', {
 *       workgroupSize: [64],
 *       bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
 *       params: { n: d.u32, factor: d.f32 },
 *       workgroups: ({ n }) => [ceilDiv(n, 64)],
 *     }, ({ x, y, n, factor }, k) => {
 *       const i = k.globalIndex
 *       k.if(i.lt(n), () => y.at(i).set(x.at(i).mul(factor)))
 *     })
 *
 * Errors in the body are thrown as WeftError, with the line, when the kernel is first built.
 */
export function kernel<
  const B extends Bindings,
  const P extends Params = None,
  const O extends Overrides = None,
  N extends string = never,
>(
  name: string,
  decl: KernelDecl<B, P, O, N> & Disjoint<keyof B & keyof P>,
  body: (view: BodyView<B, P, O>, k: Builder) => void,
): KernelOf<B, P, O> {
  checkName(name, 'a kernel')
  if (typeof body !== 'function') fail('bad-argument', `the body of kernel '${name}' is ${describe(body)}`)
  return new Source(name, decl as unknown as AnyDecl, body as (view: never, k: Builder) => void) as KernelOf<B, P, O>
}

type AnyDecl = KernelDecl<Bindings, Params, Overrides>

interface Built {
  readonly kernel: Kernel
  readonly positions: readonly (Position | null)[]
}

class Source implements KernelSource {
  readonly variants: KernelSource['variants']
  private readonly built = new Map<string, Built>()
  private readonly traced = new Map<string, readonly (Position | null)[]>()
  /** Taken as it is; a stack costs something only when it is read. */
  private readonly stack = new Error()

  constructor(
    readonly name: string,
    private readonly decl: AnyDecl,
    private readonly body: (view: never, k: Builder) => void,
  ) {
    this.variants = Object.entries(decl.variants ?? { portable: [] }).map(([variant, needs]) => ({
      name: variant,
      needs,
    }))
  }

  get doc(): string | undefined {
    return this.decl.doc
  }

  get cost(): CostRule | null {
    const { cost } = this.decl
    if (!cost) return null
    return this.atDeclaration(() => {
      const { bindings, params, overrides } = namingStructs(() => declare(this.name, this.decl))
      const isArray = (name: string) => bindings.some((b) => b.name === name && isKind(b.type, 'array'))
      return costRule(cost(hostView(bindings, [...params, ...overrides]) as never), isArray)
    })
  }

  ir(variant = this.first): Kernel {
    let found = this.built.get(variant)
    if (!found) {
      found = this.build(variant, false)
      this.built.set(variant, found)
    }
    return found.kernel
  }

  positions(variant = this.first): readonly (Position | null)[] {
    let found = this.traced.get(variant)
    if (!found) {
      const { kernel, positions } = this.build(variant, true)
      const first = this.built.get(variant)?.kernel
      if (first && serialize(first) !== serialize(kernel)) {
        throw new WeftError({
          code: 'not-deterministic',
          message: `the body of kernel '${this.name}' built something else when it was run again`,
          position: this.declared,
          note: 'a body must do the same each time: no random numbers, no counters or lists from outside that it changes',
        })
      }
      found = positions
      this.traced.set(variant, found)
    }
    return found
  }

  get declared(): Position | null {
    return positionOf(this.stack.stack)
  }

  private get first(): string {
    return this.variants[0]?.name ?? 'portable'
  }

  private build(variant: string, trace: boolean): Built {
    if (!this.variants.some((v) => v.name === variant)) {
      fail(
        'unknown-name',
        `kernel '${this.name}' has no variant '${variant}'`,
        `its variants: ${this.variants.map((v) => v.name).join(', ')}`,
      )
    }
    installMethods()
    return namingStructs(() => this.run(variant, trace))
  }

  private run(variant: string, trace: boolean): Built {
    const session = new Session(this.name, trace)
    const shell = this.atDeclaration(() => declare(this.name, this.decl))
    const rule = this.decl.workgroups?.(hostView(shell.bindings, [...shell.params, ...shell.overrides]) as never)
    const launch = rule === undefined ? null : this.atDeclaration(() => launchRule(rule))
    const scope = new Scope(session, `kernel '${this.name}'`, false)
    const { stmts } = session.within(scope, () =>
      scope.block(() => {
        const k = makeBuilder({ session, invocations: invocationsOf(shell.workgroupSize), variant })
        return this.body(views(session, shell) as never, k)
      }),
    )
    if (!trace) this.refuseUnused(session, variant)
    const kernel: Kernel = Object.freeze({
      ...shell,
      launch: launch && session.seesGrid ? { ...launch, folds: false } : launch,
      variant,
      constants: session.constants,
      variables: session.variables,
      functions: [...session.functions.values()],
      body: stmts,
    })
    return { kernel, positions: session.positions }
  }

  /** What is wrong with a declaration is reported there, and not where the kernel is first built. */
  private atDeclaration<R>(check: () => R): R {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof WeftError)) throw error
      const [first, ...more] = error.diagnostics.map((d) => ({ ...d, position: this.declared })) as [
        Diagnostic,
        ...Diagnostic[],
      ]
      throw new WeftError(first, ...more)
    }
  }

  private refuseUnused(session: Session, variant: string): void {
    const unused = session.operations.filter((o) => !o.used)
    if (unused.length === 0) return
    const positions = this.positions(variant)
    const [first, ...more] = unused.map(
      (o): Diagnostic => ({
        code: 'unused-value',
        message: `the value of ${o.label} is not used`,
        at: o.at,
        position: positions[o.at] ?? null,
        note: 'an expression alone does nothing: store it (.set), name it (k.let), or remove it',
      }),
    )
    throw new WeftError(first as Diagnostic, ...more)
  }
}

const invocationsOf = (size: Kernel['workgroupSize']): number | null =>
  size.every((n) => typeof n === 'number') ? size.reduce<number>((product, n) => product * (n as number), 1) : null

type Shell = Omit<Kernel, 'launch' | 'variant' | 'constants' | 'variables' | 'functions' | 'body'>

function declare(name: string, decl: AnyDecl): Shell {
  const bindings = Object.entries(decl.bindings ?? {}).map(([n, b]) => bindingOf(n, b))
  const params = Object.entries(decl.params ?? {}).map(([n, schema]) => ({
    name: checkName(n, 'a param'),
    type: paramType(n, typeFrom(schema, n)),
  }))
  const overrides = Object.entries(decl.overrides ?? {}).map(([n, o]) => overrideDecl(checkName(n, 'an override'), o))
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
    workgroupSize: extents(
      name,
      decl,
      overrides.map((o) => o.name),
    ),
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
  const isPlain = (t: Type): boolean => typeof t === 'string'
  if (isPlain(type) || (typeof type === 'object' && type.kind === 'array' && type.count !== null && isPlain(type.of)))
    return type
  return fail(
    'bad-type',
    `param '${name}' has type ${spell(type)}`,
    'params are scalars, vectors, matrices and arrays of them; put a struct into a binding: uniform(d.struct({ … }))',
  )
}

function bindingOf(name: string, decl: BindingDecl): Binding {
  checkName(name, 'a binding')
  if (typeof decl !== 'object' || decl === null || !('schema' in decl)) {
    return fail(
      'bad-argument',
      `binding '${name}' is declared as ${describe(decl)}`,
      'declare it input(…), output(…), inout(…), uniform(…) or texture(…)',
    )
  }
  const type = typeFrom(decl.schema, name)
  const access: Access = decl.access
  const base = { name, kind: decl.kind, access, type }
  if (decl.kind === 'texture') return { ...base, texture: type as TextureType }
  return decl.writes ? { ...base, writes: decl.writes } : base
}

function extents(name: string, decl: AnyDecl, overrides: readonly string[]): Kernel['workgroupSize'] {
  const given: readonly unknown[] = [decl.workgroupSize].flat()
  if (given.length < 1 || given.length > 3)
    fail(
      'workgroup-size',
      `kernel '${name}' has a workgroup size of ${given.length} dimensions`,
      'give one to three: [256], [16, 16], [8, 8, 4]',
    )
  const one = (e: unknown): Extent => {
    if (typeof e === 'string')
      return overrides.includes(e)
        ? { override: e }
        : fail('unknown-name', `the workgroup size names override '${e}', which is not declared`)
    if (typeof e === 'number' && Number.isInteger(e) && e >= 1) return e
    return fail(
      'workgroup-size',
      `${describe(e)} is not a workgroup size`,
      'sizes are integers from 1 on, or names of overrides',
    )
  }
  return [one(given[0]), one(given[1] ?? 1), one(given[2] ?? 1)]
}

function hostView(
  bindings: readonly Binding[],
  scalars: readonly { readonly name: string; readonly type: unknown }[],
): Record<string, unknown> {
  const overrides = new Set(scalars.filter((s) => 'default' in s).map((s) => s.name))
  return Object.fromEntries([
    ...bindings.map((b) => [b.name, { length: new HostNumber({ kind: 'length', binding: b.name }) }]),
    ...scalars.map((s) => [
      s.name,
      new HostNumber({ kind: overrides.has(s.name) ? 'override' : 'param', name: s.name }),
    ]),
  ])
}

/** How the body sees what the kernel declares. */
function views(session: Session, shell: Shell): Record<string, unknown> {
  const owner = { session, scope: null, home: null }
  const out: Record<string, unknown> = {}
  for (const b of shell.bindings) {
    const label = `'${b.name}'`
    out[b.name] = makeRef(rootPlace({ kind: 'binding', name: b.name }, b.type), {
      session,
      scope: null,
      access: b.access,
      label,
      eager: false,
    })
  }
  for (const p of shell.params) {
    out[p.name] = makeValue(
      exprState(Object.freeze({ kind: 'param', type: p.type, name: p.name }), owner, 0, `param '${p.name}'`),
    )
  }
  for (const o of shell.overrides) {
    out[o.name] = new Handle(
      exprState(
        Object.freeze({ kind: 'override', type: o.type as ScalarName, name: o.name }),
        owner,
        0,
        `override '${o.name}'`,
      ),
    )
  }
  return out
}
