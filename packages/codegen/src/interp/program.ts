import {
  type Binding,
  type Code,
  describe,
  type Expr,
  type Field,
  membersOf,
  type Result,
  type Type,
  WeftError,
} from '@weft/dsl/ir'
import type { Bounds } from './bounds'
import { ARRAY, type Frame, toKept } from './frame'
import type { Intent, OutOfRange } from './memory'
import type { Schedule } from './schedule'
import { type Lane, lanesOf } from './shape'
import type { Spills } from './spill'
import type { Storage, Unit } from './unit'

/** The module that a kernel becomes: its arrays, helpers and parameters, by name. */
export class Program {
  /** Constants of the module, each a line. */
  readonly declarations: string[] = []
  /** Set anew for each run: views of the bindings, their counts, params. */
  readonly perRun = new Map<string, RunValue>()
  /** Variables of the workgroup's function. */
  readonly locals = new Set<string>()
  readonly environment: Record<string, unknown> = {}
  /** Segments that are functions of their own. */
  readonly functions: string[] = []
  private readonly declared = new Set<string>()
  private readonly params: ReadonlyMap<string, readonly number[]>
  private names = 0

  constructor(
    readonly unit: Unit,
    readonly schedule: Schedule,
    readonly spills: Spills,
    readonly uses: ReadonlyMap<object, number>,
    readonly bounds: Bounds,
    readonly watch: ((access: OutOfRange) => void) | undefined,
  ) {
    this.params = paramLanes(unit.kernel.params)
  }

  name = (prefix: string): string => `${prefix}${this.names++}`

  /** Declares `$name` once; it is used as `name`. */
  declare(name: string, code: string): string {
    if (!this.declared.has(name)) {
      this.declared.add(name)
      this.declarations.push(`const $${name} = ${code};`)
    }
    return name
  }

  isDeclared = (name: string): boolean => this.declared.has(name)

  /** A function or object of the interpreter, by a name that says which one it is. */
  helper(name: string, value: unknown): string {
    if (!(name in this.environment)) {
      this.environment[name] = value
      this.declarations.push(`const ${name} = E.${name};`)
    }
    return name
  }

  binding(name: string): { readonly index: number; readonly binding: Binding } {
    const index = this.unit.kernel.bindings.findIndex((b) => b.name === name)
    const binding = this.unit.kernel.bindings[index]
    if (!binding) throw new RangeError(`no binding '${name}'`)
    return { index, binding }
  }

  /** A view of a binding: f, i, u, h, and bytes s, c; n its number of elements, z its bytes, t its texture. */
  bound(name: string, what: BoundPart): string {
    const local = `b${this.binding(name).index}${what}`
    this.perRun.set(local, { kind: 'binding', name, what })
    return local
  }

  /** A lane of a param. */
  param(name: string, lane: number): string {
    const index = this.params.get(name)?.[lane]
    if (index === undefined) throw new RangeError(`no param '${name}'`)
    const local = `p${index}`
    const scalar = (lanesOf(this.paramType(name))[lane] as Lane).scalar
    this.perRun.set(local, { kind: 'param', index, scalar })
    return local
  }

  private paramType = (name: string): Type => (this.unit.kernel.params.find((p) => p.name === name) as Field).type

  constant(name: string): Expr {
    const found = this.unit.kernel.constants.find((c) => c.name === name)
    if (!found) throw new RangeError(`no constant '${name}'`)
    return found.value
  }

  /** The author's call whose statement is being written. */
  at = -1

  /** What watched accesses call. */
  readonly outOfRange = (binding: string, does: Intent, index: number, length: number, at: number): void => {
    const { name: kernel, variant } = this.unit.kernel
    this.watch?.({ kernel, variant, binding, does, index, length, at })
  }

  /** What `fault(code, at)` of the generated code throws. */
  readonly fault = (code: Code, at: number): never => {
    throw new WeftError({ code, at, message: `in kernel '${this.unit.kernel.name}': ${describe(code)}` })
  }

  storage(id: number): Storage {
    const found = this.unit.variables.get(id)
    if (!found) throw new RangeError(`no variable ${id}`)
    return found
  }

  /** The array that keeps a lane of a result for each invocation. */
  keptResult(result: Result, lane: number): string {
    const { scalar } = lanesOf(result.type)[lane] as Lane
    return this.declare(`R${result.id}_${lane}`, `new ${ARRAY[scalar]}(${this.unit.count})`)
  }

  keptVariable(storage: Storage, lane: number): string {
    const { scalar } = lanesOf(storage.type)[lane] as Lane
    return this.declare(`V${storage.id}_${lane}`, `new ${ARRAY[scalar]}(${this.unit.count})`)
  }

  mask = (mask: number): string => this.declare(`k${mask}`, `new Uint8Array(${this.unit.count})`)

  isOnce = (result: number): boolean => this.schedule.once.results.has(result)
  isKept = (result: number): boolean => this.spills.results.has(result)
}

/** Gives a result its lanes: by name, and in its arrays where it outlives the segment. */
export function define(frame: Frame, result: Result, codes: readonly string[]): void {
  const { program } = frame
  const lanes = lanesOf(result.type)
  const names = codes.map((_, i) => `r${result.id}_${i}`)
  if (program.isOnce(result.id)) {
    codes.forEach((code, i) => {
      program.locals.add(names[i] as string)
      frame.line(`${names[i]} = ${code};`)
    })
    return
  }
  const again = frame.results.has(result.id)
  codes.forEach((code, i) => {
    if (!again) frame.line(`const ${names[i]} = ${code};`)
    if (!program.isKept(result.id)) return
    const kept = frame.use(program.keptResult(result, i))
    frame.line(
      `${kept}[${invocation(frame)}] = ${toKept(again ? code : (names[i] as string), (lanes[i] as Lane).scalar)};`,
    )
  })
  frame.results.set(result.id, names)
}

/** The index of what is kept for this invocation; the workgroup as a whole looks at the first. */
export const invocation = (frame: Frame): string => (frame.level === 'workgroup' ? '0' : 'li')

export type BoundPart = 'f' | 'i' | 'u' | 'h' | 's' | 'c' | 'n' | 'z' | 't'

export type RunValue =
  | { readonly kind: 'binding'; readonly name: string; readonly what: BoundPart }
  | { readonly kind: 'param'; readonly index: number; readonly scalar: Lane['scalar'] }

/** The positions of the lanes of each param in the list of all. */
export function paramLanes(params: readonly Field[]): ReadonlyMap<string, readonly number[]> {
  let next = 0
  return new Map(membersOf({ fields: params }).map((p) => [p.name, lanesOf(p.type).map(() => next++)]))
}
