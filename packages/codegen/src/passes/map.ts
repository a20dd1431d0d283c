import { type Block, type Expr, forEachStmt, isPlace, type Kernel, type Place, type Stmt } from '@weft/dsl/ir'
import { rebuildPlace } from './places'

/** Rewriting of statements. What does not change stays the same object, so that a pass without effect is free. */

/** `map` that gives back the same list when no element changes. */
export function mapSame<T>(list: readonly T[], f: (item: T) => T): readonly T[] {
  let out: T[] | null = null
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as T
    const next = f(item)
    if (next !== item) (out ??= list.slice())[i] = next
  }
  return out ?? list
}

/** A kernel with `f` applied to the body of each function and of the entry point. */
export function mapBodies(kernel: Kernel, f: (body: Block) => Block): Kernel {
  const functions = mapSame(kernel.functions, (func) => {
    const body = f(func.body)
    return body === func.body ? func : { ...func, body }
  })
  const body = f(kernel.body)
  return functions === kernel.functions && body === kernel.body ? kernel : { ...kernel, functions, body }
}

/** A statement with `f` applied to the expressions that it evaluates and `g` to the blocks nested in it. */
export function mapStmt(s: Stmt, f: (e: Expr) => Expr, g: (b: Block) => Block): Stmt {
  switch (s.kind) {
    case 'let': {
      const value = f(s.value)
      return value === s.value ? s : { ...s, value }
    }
    case 'var': {
      if (!s.variable.init) return s
      const init = f(s.variable.init)
      return init === s.variable.init ? s : { ...s, variable: { ...s.variable, init } }
    }
    case 'load': {
      const place = rebuildPlace(s.place, f)
      return place === s.place ? s : { ...s, place }
    }
    case 'store': {
      const place = rebuildPlace(s.place, f)
      const value = f(s.value)
      return place === s.place && value === s.value ? s : { ...s, place, value }
    }
    case 'effect': {
      const place = s.place && rebuildPlace(s.place, f)
      const args = mapSame(s.args, f)
      return place === s.place && args === s.args ? s : { ...s, place, args }
    }
    case 'call': {
      const args = mapSame(s.args, (a): Expr | Place => (isPlace(a) ? rebuildPlace(a, f) : f(a)))
      return args === s.args ? s : { ...s, args }
    }
    case 'if': {
      const test = f(s.test)
      const then = g(s.then)
      const otherwise = g(s.else)
      return test === s.test && then === s.then && otherwise === s.else ? s : { ...s, test, then, else: otherwise }
    }
    case 'switch': {
      const selector = f(s.selector)
      const cases = mapSame(s.cases, (c) => {
        const body = g(c.body)
        return body === c.body ? c : { ...c, body }
      })
      const otherwise = g(s.default)
      return selector === s.selector && cases === s.cases && otherwise === s.default
        ? s
        : { ...s, selector, cases, default: otherwise }
    }
    case 'range': {
      const start = f(s.start)
      const end = f(s.end)
      const step = f(s.step)
      const body = g(s.body)
      return start === s.start && end === s.end && step === s.step && body === s.body
        ? s
        : { ...s, start, end, step, body }
    }
    case 'loop': {
      const header = g(s.header)
      const test = s.test && f(s.test)
      const body = g(s.body)
      const continuing = g(s.continuing)
      const breakIf = s.breakIf && f(s.breakIf)
      const same =
        header === s.header &&
        test === s.test &&
        body === s.body &&
        continuing === s.continuing &&
        breakIf === s.breakIf
      return same ? s : { ...s, header, test, body, continuing, breakIf }
    }
    case 'return': {
      if (!s.value) return s
      const value = f(s.value)
      return value === s.value ? s : { ...s, value }
    }
    case 'break':
    case 'continue':
      return s
  }
}

/** A block in which every statement is replaced by any number of statements. */
export function flatMapBlock(block: Block, f: (s: Stmt) => readonly Stmt[] | Stmt): Block {
  let out: Stmt[] | null = null
  for (let i = 0; i < block.length; i++) {
    const s = block[i] as Stmt
    const next = f(s)
    if (next === s) {
      out?.push(s)
      continue
    }
    out ??= block.slice(0, i)
    if (Array.isArray(next)) for (const n of next) out.push(n)
    else out.push(next as Stmt)
  }
  return out ?? block
}

export const bodiesOf = (kernel: Kernel): readonly Block[] => [...kernel.functions.map((f) => f.body), kernel.body]

/** Numbers for new results and variables: above all that the kernel has. */
export function freshIds(kernel: Kernel): () => number {
  let next = 0
  const see = (x: { readonly id: number } | null): void => {
    if (x && x.id >= next) next = x.id + 1
  }
  kernel.variables.forEach(see)
  for (const body of bodiesOf(kernel)) {
    forEachStmt(body, (s) => {
      if (s.kind === 'range') see(s.index)
      else if (s.kind === 'var') see(s.variable)
      else if ('result' in s) see(s.result)
      if (s.kind === 'effect') see(s.exchanged)
    })
  }
  return () => next++
}
