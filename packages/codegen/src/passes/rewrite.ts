import { type Block, type Expr, type Func, isPlace, type Kernel, type Place, type Stmt } from '@weft/dsl/ir'
import { rebuild, rebuildList, rebuildPlace } from './children'

/** Rewriting of whole kernels. What does not change stays the same object, so that a pass without effect is free. */

/** A block with `f` applied to every statement. */
export function mapBlock(block: Block, f: (s: Stmt) => Stmt): Block {
  let out: Stmt[] | null = null
  for (let i = 0; i < block.length; i++) {
    const s = block[i] as Stmt
    const next = f(s)
    if (next !== s) out ??= block.slice()
    if (out) out[i] = next
  }
  return out ?? block
}

const mapSame = <T>(list: readonly T[], f: (item: T) => T): readonly T[] => {
  let changed = false
  const out = list.map((item) => {
    const next = f(item)
    if (next !== item) changed = true
    return next
  })
  return changed ? out : list
}

/** A kernel with `f` applied to every expression, operands first and each shared node once. */
export function mapExprs(kernel: Kernel, f: (e: Expr) => Expr): Kernel {
  const done = new Map<Expr, Expr>()
  const go = (e: Expr): Expr => {
    const known = done.get(e)
    if (known) return known
    const next = f(rebuild(e, go))
    done.set(e, next)
    return next
  }
  const stmt = (s: Stmt): Stmt => mapStmt(s, go, block)
  const block = (b: Block): Block => mapBlock(b, stmt)
  return mapBodies(kernel, block)
}

/** A kernel with `f` applied to the body of each function and of the entry point. */
export function mapBodies(kernel: Kernel, f: (body: Block, func: Func | null) => Block): Kernel {
  const functions = mapSame(kernel.functions, (func) => {
    const body = f(func.body, func)
    return body === func.body ? func : { ...func, body }
  })
  const body = f(kernel.body, null)
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
      const args = rebuildList(s.args, f)
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

/** Numbers for new results and variables: above all that the kernel has. */
export function freshIds(kernel: Kernel): () => number {
  let next = 0
  const see = (id: number): void => {
    if (id >= next) next = id + 1
  }
  for (const v of kernel.variables) see(v.id)
  const block = (b: Block): void => {
    for (const s of b) {
      switch (s.kind) {
        case 'let':
        case 'load':
          see(s.result.id)
          break
        case 'var':
          see(s.variable.id)
          break
        case 'effect':
          if (s.result) see(s.result.id)
          if (s.exchanged) see(s.exchanged.id)
          break
        case 'call':
          if (s.result) see(s.result.id)
          break
        case 'if':
          block(s.then)
          block(s.else)
          break
        case 'switch':
          for (const c of s.cases) block(c.body)
          block(s.default)
          break
        case 'range':
          see(s.index.id)
          block(s.body)
          break
        case 'loop':
          block(s.header)
          block(s.body)
          block(s.continuing)
          break
        default:
      }
    }
  }
  block(kernel.body)
  for (const f of kernel.functions) block(f.body)
  return () => next++
}
