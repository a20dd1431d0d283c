import {
  type Block,
  type Call,
  type Expr,
  type Func,
  type FuncParam,
  forEachStmt,
  isPlace,
  isValueName,
  isVector,
  type Kernel,
  type Place,
  type PtrType,
  type Result,
  type Step,
  type Stmt,
  type Type,
  type Variable,
} from '@weft/dsl/ir'
import { copyBlock } from '../copy'
import { bodiesOf, flatMapBlock, freshIds, mapStmt } from '../map'

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
export function specializePointers(kernel: Kernel, native: boolean): Kernel {
  if (!kernel.functions.some((f) => f.params.some((p) => pointerType(p) !== null))) return kernel
  const fresh = freshIds(kernel)
  const functions = new Map(kernel.functions.map((f) => [f.name, f]))
  const made = new Map<string, Func>()
  const out: Func[] = []
  const names = new Set(kernel.functions.map((f) => f.name))
  const moduleVariables = new Set(kernel.variables.map((v) => v.id))

  const isModule = (place: Place): boolean =>
    place.root.kind === 'binding' ||
    place.root.kind === 'view' ||
    (place.root.kind === 'variable' && moduleVariables.has(place.root.id))

  const isLane = laneTest(kernel)

  const unique = (wanted: string): string => {
    let name = wanted
    for (let n = 1; names.has(name); n++) name = `${wanted}_${n}`
    names.add(name)
    return name
  }

  const block = (b: Block): Block =>
    flatMapBlock(b, (s) => {
      const next = mapStmt(s, (e) => e, block)
      return next.kind === 'call' ? call(next) : next
    })

  /** The call itself, with what has to stand before and after it. */
  const call = (s: Call): readonly Stmt[] | Stmt => {
    const func = functions.get(s.func)
    if (!func) return s
    const before: Stmt[] = []
    const after: Stmt[] = []
    const args: (Expr | Place)[] = []
    const bound = new Map<string, Place>()
    const params: FuncParam[] = []
    let key = func.name
    let suffix = ''
    func.params.forEach((p, i) => {
      const a = s.args[i] as Expr | Place
      if (!isPlace(a)) {
        args.push(a)
        params.push(p)
        return
      }
      if (native && !isLane(a)) {
        params.push(p)
        args.push(a)
        return
      }
      if (isModule(a)) {
        const { place, values, kept } = parameterize(a, p.name)
        bound.set(p.name, place)
        params.push(...values)
        args.push(...kept)
        key += `|${p.name}:${JSON.stringify([place.root, place.steps])}`
        suffix += `_${rootNameOf(a)}`
        return
      }
      params.push(p)
      args.push(a.steps.length === 0 ? a : copyOut(a, p, s.at, before, after))
    })
    if (bound.size === 0) {
      ensure(func)
      return before.length === 0 ? s : [...before, { ...s, args }, ...after]
    }
    let special = made.get(key)
    if (!special) {
      const name = unique(func.name + suffix)
      special = { ...func, name, params, body: [] }
      made.set(key, special)
      const body = block(copyBlock(func.body, { fresh, pointers: bound }))
      special = { ...special, body }
      made.set(key, special)
      out.push(special)
    }
    const direct: Stmt = { ...s, func: special.name, args }
    return before.length === 0 ? direct : [...before, direct, ...after]
  }

  const rootNameOf = (p: Place): string =>
    p.root.kind === 'variable'
      ? (kernel.variables.find((v) => v.id === (p.root as { id: number }).id)?.name ?? 'variable')
      : p.root.name

  const copyOut = (a: Place, p: FuncParam, at: number, before: Stmt[], after: Stmt[]): Place => {
    const old: Result = Object.freeze({ kind: 'result', type: a.type, id: fresh() })
    const variable: Variable = { id: fresh(), name: p.name, space: 'function', type: a.type, init: old }
    const copy: Place = { kind: 'place', type: a.type, root: { kind: 'variable', id: variable.id }, steps: [] }
    const changed: Result = Object.freeze({ kind: 'result', type: a.type, id: fresh() })
    before.push({ kind: 'load', at, place: a, result: old }, { kind: 'var', at, variable })
    if (pointerType(p)?.access !== 'read')
      after.push({ kind: 'load', at, place: copy, result: changed }, { kind: 'store', at, place: a, value: changed })
    return copy
  }

  const ensure = (func: Func): void => {
    if (made.has(func.name)) return
    made.set(func.name, func)
    const body = block(func.body)
    out.push(body === func.body ? func : { ...func, body })
  }

  const body = block(kernel.body)
  return { ...kernel, body, functions: out }
}

/** Whether a place is a lane of a vector. */
function laneTest(kernel: Kernel): (place: Place) => boolean {
  const variables = new Map(kernel.variables.map((v) => [v.id, v.type]))
  for (const body of bodiesOf(kernel))
    forEachStmt(body, (s) => s.kind === 'var' && variables.set(s.variable.id, s.variable.type))
  const rootType = ({ root }: Place): Type | undefined =>
    root.kind === 'variable'
      ? variables.get(root.id)
      : root.kind === 'view'
        ? root.type
        : root.kind === 'binding'
          ? kernel.bindings.find((b) => b.name === root.name)?.type
          : undefined
  return (place) => {
    const of = place.steps.length > 1 ? place.steps.at(-2)?.type : rootType(place)
    return place.steps.length > 0 && isValueName(of) && isVector(of)
  }
}

const pointerType = (p: FuncParam): PtrType | null =>
  typeof p.type !== 'string' && p.type.kind === 'ptr' ? p.type : null

/** A place whose variable indices are parameters, with these parameters and what to give for them. */
function parameterize(place: Place, name: string): { place: Place; values: FuncParam[]; kept: Expr[] } {
  const values: FuncParam[] = []
  const kept: Expr[] = []
  const take = (e: Expr): Expr => {
    const param: FuncParam = { name: `${name}_index${values.length === 0 ? '' : values.length}`, type: e.type }
    values.push(param)
    kept.push(e)
    return { kind: 'argument', type: e.type, name: param.name }
  }
  const steps = place.steps.map(
    (step): Step =>
      step.kind === 'member' || step.index.kind === 'const' ? step : { ...step, index: take(step.index) },
  )
  const root =
    place.root.kind === 'view' && place.root.offset.kind !== 'const'
      ? { ...place.root, offset: take(place.root.offset) }
      : place.root
  return { place: { ...place, root, steps }, values, kept }
}
