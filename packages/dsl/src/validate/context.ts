import type { Code, Diagnostic } from '../diagnostics'
import type { Binding, ConstantDecl, Extent, Func, Kernel, OverrideDecl, Stmt, Variable } from '../ir'
import type { ArrayType, Field } from '../types'
import { DEFAULT_LIMITS, type Limits } from './limits'
import { Nodes } from './nodes'

export interface ValidateOptions {
  /** Limits of the device, where they are above the defaults. */
  readonly limits?: Partial<Limits>
  /** Requires that the params fit into immediates. */
  readonly immediates?: boolean
}

/** What the checks of one kernel share: its declarations by name, and where faults go. */
export class Context {
  readonly diagnostics: Diagnostic[] = []
  readonly limits: Limits
  readonly bindings = new Map<string, Binding>()
  readonly params = new Map<string, Field>()
  readonly overrides = new Map<string, OverrideDecl>()
  readonly constants = new Map<string, ConstantDecl>()
  readonly functions = new Map<string, Func>()
  /** By id: all variables, and the statement that makes each result. Known once the bodies were checked, as are the next ones. */
  readonly variables = new Map<number, Variable>()
  readonly makers: (Stmt | undefined)[] = []
  /** How many statements of the entry point it takes until nothing waits for other invocations or exchanges values with them. */
  synchronized = 0
  readonly nodes = new Nodes()
  /** The variables that each function declares; null is the entry point. */
  readonly locals = new Map<Func | null, readonly Variable[]>()
  /** Bindings that something writes, by name. */
  readonly written = new Set<string>()

  constructor(
    readonly kernel: Kernel,
    readonly options: ValidateOptions,
  ) {
    this.limits = options.limits ? { ...DEFAULT_LIMITS, ...options.limits } : DEFAULT_LIMITS
    for (const b of kernel.bindings) this.bindings.set(b.name, b)
    for (const p of kernel.params) this.params.set(p.name, p)
    for (const o of kernel.overrides) this.overrides.set(o.name, o)
    for (const c of kernel.constants) this.constants.set(c.name, c)
    for (const f of kernel.functions) this.functions.set(f.name, f)
  }

  /** The statement that is checked: where expressions of constants alone stand, which belong to no run of a builder. */
  statement = -1

  report(code: Code, message: string, given?: number, note?: string): void {
    const at = given !== undefined && given < 0 ? this.statement : given
    if (this.diagnostics.some((d) => d.at === at && d.code === code && d.message === message)) return
    this.diagnostics.push({
      code,
      message,
      ...(at === undefined ? {} : { at }),
      ...(note === undefined ? {} : { note }),
    })
  }

  /** Reports a number above a limit of WGSL; `has` and `unit` stand around it. */
  limit(code: Code, has: string, n: number, unit: string, most: number, note?: string, at?: number): void {
    if (n > most) this.report(code, `${has} ${n}${unit}, more than ${most}`, at, note)
  }

  /** The same for a limit that devices raise: a declaration may count on more. `less` is how to do with what all have. */
  deviceLimit(
    code: Code,
    has: string,
    n: number,
    unit: string,
    name: keyof Limits,
    less = 'make it smaller',
    at?: number,
  ): void {
    const note = `${less} or, for devices that have more, declare limits: { ${name}: ${n} }`
    this.limit(code, has, n, unit, this.limits[name], note, at)
  }

  /** The number that an extent or count stands for: that of an override is its default, null where it has none. */
  extent(e: Extent | ArrayType['count']): number | null {
    if (e === null || typeof e === 'number') return e
    return this.overrides.get(e.override)?.default ?? null
  }
}
