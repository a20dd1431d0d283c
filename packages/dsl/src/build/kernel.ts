import { type Diagnostic, positionOf, WeftError } from '../diagnostics'
import { type CostRule, type Kernel, type KernelSource, type Position, serialize } from '../ir'
import type { FeatureName } from '../ops'
import { isKind, type ValueName } from '../types'
import { makeBuilder } from './builder'
import type { Builder } from './builder-types'
import type { BindingDecl, BindingView, Override } from './declarations'
import { fail } from './fail'
import { expected } from './handle'
import { costRule, type HostArg, type HostNumber, launchRule } from './host'
import { checkName } from './lift'
import { installMethods } from './methods'
import { namingStructs } from './schema'
import { Scope, Session } from './session'
import type { ShapeOf, Value } from './shapes'
import { declare, ruled, seeing, views } from './shell'
import type { Expr } from './types'

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
  /** Invocations of a workgroup in x, y, z: numbers, or names of overrides; a number alone is that of x. */
  readonly workgroupSize: number | readonly (number | (keyof O & string))[]
  readonly bindings: B
  /** Values given at each dispatch: uniform over it, and laid out by weft. No name may be that of a binding. */
  readonly params?: P & Readonly<Record<N, unknown>>
  readonly overrides?: O
  /**
   * The launch rule: how many workgroups to dispatch. One count is linear: `k.workgroupIndex` runs over it, 0 is
   * skipped, and a count above what the device takes in one dimension is folded; not so that of a rule which u32 cannot
   * follow, as a product over a param or over more than 2¹⁶, unless the body tests the linear index itself.
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
  /**
   * Limits that the kernel counts on, by their WebGPU names, where they are above what every device has:
   * `{ maxComputeWorkgroupStorageSize: 32768 }`. Its variants need what they use of them.
   */
  readonly limits?: Readonly<Record<string, number>>
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
  if (typeof decl !== 'object' || decl === null)
    expected('bad-argument', `the declaration of kernel '${name}'`, 'an object { workgroupSize, bindings, … }', decl)
  if (typeof body !== 'function') expected('bad-argument', `the body of kernel '${name}'`, 'a function', body)
  // the author's frame follows this one; a stack is cheap to take when it is shallow
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 2
  const stack = new Error()
  Error.stackTraceLimit = limit
  return new Source(name, decl as unknown as AnyDecl, body as AnyBody, stack) as KernelOf<B, P, O>
}

type AnyBody = (view: never, k: Builder) => void
export type AnyDecl = KernelDecl<Bindings, Params, Overrides>

interface Built {
  readonly kernel: Kernel
  readonly positions: readonly (Position | null)[]
}

class Source implements KernelSource {
  readonly variants: KernelSource['variants']
  private readonly built = new Map<string, Built>()
  private readonly traced = new Map<string, readonly (Position | null)[]>()

  constructor(
    readonly name: string,
    private readonly decl: AnyDecl,
    private readonly body: AnyBody,
    private readonly stack: Error,
  ) {
    this.variants = Object.entries(decl.variants ?? { portable: [] }).map(([name, needs]) => ({ name, needs }))
  }

  get doc(): string | undefined {
    return this.decl.doc
  }

  get limits(): Readonly<Record<string, number>> | undefined {
    return this.decl.limits
  }

  get cost(): CostRule | null {
    const { name, decl } = this
    const { cost } = decl
    if (!cost) return null
    return this.atDeclaration(() => {
      const shell = namingStructs(() => declare(name, decl))
      const isArray = (binding: string): boolean =>
        shell.bindings.some((b) => b.name === binding && isKind(b.type, 'array'))
      return ruled(shell, (view) => costRule(cost(view), isArray))
    })
  }

  ir(variant = this.first): Kernel {
    return remembered(this.built, variant, () => this.build(variant, false)).kernel
  }

  positions(variant = this.first): readonly (Position | null)[] {
    return remembered(this.traced, variant, () => {
      const { kernel, positions } = this.build(variant, true)
      const first = this.built.get(variant)?.kernel
      if (first && serialize(first) !== serialize(kernel))
        throw new WeftError({
          code: 'not-deterministic',
          message: `the body of kernel '${this.name}' built something else when it was run again`,
          position: this.declared,
          note: 'no random numbers, no counters outside that it changes',
        })
      return positions
    })
  }

  get declared(): Position | null {
    return positionOf(this.stack.stack)
  }

  private get first(): string {
    return this.variants[0]?.name ?? 'portable'
  }

  private build(variant: string, trace: boolean): Built {
    const names = this.variants.map((v) => v.name)
    if (!names.includes(variant))
      fail('unknown-name', `kernel '${this.name}' has no variant '${variant}'`, `its variants: ${names.join(', ')}`)
    installMethods()
    return namingStructs(() => this.run(variant, trace))
  }

  private run(variant: string, trace: boolean): Built {
    const { name, decl, body } = this
    const shell = this.atDeclaration(() => declare(name, decl))
    const launch = ruled(shell, (view) => {
      const rule = decl.workgroups?.(view)
      return rule === undefined ? null : this.atDeclaration(() => launchRule(rule))
    })
    const session = new Session(name, variant, invocationsOf(shell.workgroupSize), trace)
    const k = makeBuilder(session)
    const build = (): void => seeing(name, views(session, shell), (view) => body(view, k))
    const { stmts } = session.inside(build, null, [], new Scope(`kernel '${name}'`, false))
    if (!trace) this.refuseUnused(session)
    const built = {
      launch: launch && session.seesGrid ? { ...launch, folds: false } : launch,
      variant,
      constants: session.constants,
      variables: session.variables,
      functions: [...session.functions.values()],
      body: stmts,
    }
    const kernel: Kernel = Object.freeze(Object.assign(shell, built))
    return { kernel, positions: session.positions }
  }

  /** What is wrong with a declaration is reported there, and not where the kernel is first built. */
  private atDeclaration<R>(check: () => R): R {
    try {
      return check()
    } catch (error) {
      if (!(error instanceof WeftError)) throw error
      const [first, ...more] = error.diagnostics.map((d) => ({ ...d, position: this.declared }))
      throw new WeftError(first as Diagnostic, ...more)
    }
  }

  private refuseUnused({ operations, variant }: Session): void {
    const unused = operations.filter((o) => !o.used)
    if (unused.length === 0) return
    const positions = this.positions(variant)
    const [first, ...more] = unused.map(({ node, label }): Diagnostic => {
      const { at } = node as { readonly at: number }
      return {
        code: 'unused-value',
        message: `the value of ${label} is not used`,
        at,
        position: positions[at] ?? null,
        note: 'an expression alone does nothing: store it (.set), name it (k.let), or remove it',
      }
    })
    throw new WeftError(first as Diagnostic, ...more)
  }
}

function remembered<V>(known: Map<string, V>, key: string, make: () => V): V {
  let found = known.get(key)
  if (found === undefined) known.set(key, (found = make()))
  return found
}

const invocationsOf = (size: Kernel['workgroupSize']): number | null =>
  size.every((n) => typeof n === 'number') ? size.reduce<number>((product, n) => product * (n as number), 1) : null
