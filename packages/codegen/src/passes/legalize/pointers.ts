import {
  type Call,
  type Expr,
  type Func,
  type FuncParam,
  isPlace,
  isValueName,
  isVector,
  type Kernel,
  type Place,
  type PtrType,
  type Stmt,
  type Variable,
} from '@weft/dsl/ir'
import type { Body } from '../body'
import type { Module } from '../module'
import { mapPlace, placeKey } from '../places'

const pointerOf = ({ type }: FuncParam): PtrType | null =>
  typeof type !== 'string' && type.kind === 'ptr' ? type : null

export const takesPointers = (kernel: Kernel): boolean => kernel.functions.some((f) => f.params.some(pointerOf))

/**
 * Functions that take pointers to workgroup or storage memory, or to a part of a variable, are not for all compilers.
 *
 * - A pointer to module-scope memory: the function is made once for each place that it is called with, as `f_tile`; the
 *   indices of the place become value parameters.
 * - A pointer to a part of a function's own variable: the part is copied into a variable, and back after the call. The
 *   validator has made sure that nothing else refers to it meanwhile.
 *
 * Where pointers are taken as they are (`native`), this is left for lanes of vectors, which have no address anywhere.
 */
export class Pointers {
  /** The functions that are called, callees before callers. */
  readonly functions: Func[] = []
  readonly #made = new Map<string, string>()
  readonly #names: Set<string>

  constructor(
    readonly kernel: Kernel,
    readonly module: Module,
    readonly native: boolean,
  ) {
    this.#names = new Set(kernel.functions.map((f) => f.name))
  }

  /** The call itself, with what has to stand before and after it. */
  call(s: Call, body: Body, out: Stmt[]): void {
    const func = this.kernel.functions.find((f) => f.name === s.func) as Func
    const params: FuncParam[] = []
    const args: (Expr | Place)[] = []
    const after: Stmt[] = []
    const bound = new Map<string, Place>()
    let key = func.name
    let name = key
    func.params.forEach((p, i) => {
      const a = body.argument(s.args[i] as Expr | Place)
      const isTaken = !isPlace(a) || (this.native && !this.#isLane(a))
      if (!isTaken && this.#isShared(a)) {
        const place = parameterized(a, p.name, params, args)
        bound.set(p.name, place)
        key += `|${p.name}:${placeKey(place)}`
        name += `_${this.#rootName(a)}`
      } else {
        params.push(p)
        args.push(isTaken || a.steps.length === 0 ? a : copied(a, p, s.at, body, out, after))
      }
    })
    const made = this.#made.get(key) ?? this.#make(func, key, name, params, bound)
    out.push({ ...s, func: made, args, result: s.result && body.result(s.result) }, ...after)
  }

  #make(func: Func, key: string, wanted: string, params: FuncParam[], bound: ReadonlyMap<string, Place>): string {
    let name = wanted
    if (bound.size > 0) for (let n = 1; this.#names.has(name); n++) name = `${wanted}_${n}`
    this.#names.add(name)
    this.#made.set(key, name)
    const body = this.module.body(func.body, bound)
    this.functions.push({ ...func, name, params, body })
    return name
  }

  #isShared({ root }: Place): boolean {
    return root.kind !== 'pointer' && (root.kind !== 'variable' || this.#variable(root.id) !== undefined)
  }

  #rootName({ root }: Place): string {
    return root.kind === 'variable' ? (this.#variable(root.id) as Variable).name : root.name
  }

  #variable(id: number): Variable | undefined {
    return this.kernel.variables.find((v) => v.id === id)
  }

  /** Whether a place is a lane of a vector. */
  #isLane({ root, steps }: Place): boolean {
    const whole = steps.at(-2)?.type ?? this.module.typeOf(root)
    return steps.length > 0 && isValueName(whole) && isVector(whole)
  }
}

/** A place whose variable indices are parameters, which are added with what to give for them. */
function parameterized(place: Place, name: string, params: FuncParam[], args: (Expr | Place)[]): Place {
  let count = 0
  return mapPlace(place, (e) => {
    if (e.kind === 'const') return e
    const param: FuncParam = { name: `${name}_index${count++ || ''}`, type: e.type }
    params.push(param)
    args.push(e)
    return { kind: 'argument', ...param }
  })
}

/** A variable in the place of a part of one, from which it is copied before, and to which after. */
function copied(part: Place, p: FuncParam, at: number, body: Body, before: Stmt[], after: Stmt[]): Place {
  const { type } = part
  const old = body.fresh(type)
  const copy = body.local(type)
  const variable = { id: copy.root.id, name: p.name, space: 'function', type, init: old } as const
  before.push({ kind: 'load', at, place: part, result: old }, { kind: 'var', at, variable })
  if (pointerOf(p)?.access !== 'read') {
    const changed = body.fresh(type)
    after.push({ kind: 'load', at, place: copy, result: changed }, { kind: 'store', at, place: part, value: changed })
  }
  return copy
}
