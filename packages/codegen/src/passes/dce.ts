import {
  type Block,
  blocksOf,
  EFFECTS,
  type Expr,
  forEachStmt,
  isPlace,
  type Kernel,
  loopTests,
  type Place,
  type Range,
  type Stmt,
  statementOperands,
} from '@weft/dsl/ir'
import { eachOperand } from './children'
import { flatMapBlock, mapStmt } from './rewrite'

/**
 * Removes what has no effect: branches that are never taken, statements after a jump, values that nobody uses, variables
 * that nobody reads, functions that nobody calls. Constant errors of WGSL fire in dead code too, so it has to go.
 */
export function dce(kernel: Kernel): Kernel {
  let current = prune(kernel)
  let read = readVariables(current)
  for (;;) {
    const next = sweep(current, read)
    if (next === current) return current
    // values go in one round; another is needed where the last reader of a variable went, or the last call of a function
    const left = readVariables(next)
    const done = left.size === read.size && next.functions.length === current.functions.length
    current = next
    read = left
    if (done) return current
  }
}

const withBodies = (kernel: Kernel, f: (body: Block) => Block): Kernel => {
  const body = f(kernel.body)
  let changed = body !== kernel.body
  const functions = kernel.functions.map((func) => {
    const inner = f(func.body)
    if (inner === func.body) return func
    changed = true
    return { ...func, body: inner }
  })
  return changed ? { ...kernel, body, functions } : kernel
}

// Control flow.

const prune = (kernel: Kernel): Kernel => withBodies(kernel, pruneBlock)

/** Whether no statement after `s` is reached. */
const isJump = (s: Stmt): boolean =>
  s.kind === 'return' ||
  s.kind === 'break' ||
  s.kind === 'continue' ||
  (s.kind === 'if' && leaves(s.then) && leaves(s.else))
const leaves = (block: Block): boolean => {
  const last = block.at(-1)
  return last !== undefined && isJump(last)
}

function pruneBlock(block: Block): Block {
  const out = flatMapBlock(block, (s) => pruneStmt(mapStmt(s, same, pruneBlock)))
  const jump = out.findIndex(isJump)
  return jump >= 0 && jump < out.length - 1 ? out.slice(0, jump + 1) : out
}

const same = (e: Expr): Expr => e

function pruneStmt(s: Stmt): Stmt | readonly Stmt[] {
  switch (s.kind) {
    case 'if':
      if (s.test.kind === 'const') return s.test.lanes[0] ? s.then : s.else
      return s
    case 'switch': {
      if (s.selector.kind !== 'const') return s
      const value = s.selector.lanes[0] as number
      const body = s.cases.find((c) => c.selectors.includes(value))?.body ?? s.default
      return breaks(body) ? s : body
    }
    case 'range':
      return runsNever(s) ? [] : s
    case 'loop':
      if (s.test?.kind !== 'const') return s
      // never left by its test; or left after the header has run once
      return s.test.lanes[0] ? { ...s, test: null } : s.header
    default:
      return s
  }
}

function runsNever(s: Range): boolean {
  if (s.start.kind !== 'const' || s.end.kind !== 'const') return false
  const start = s.start.lanes[0] as number
  const end = s.end.lanes[0] as number
  return s.step.kind === 'const' && (s.step.lanes[0] as number) < 0 ? start <= end : start >= end
}

/** Whether a block has a `break` of its own switch. */
const breaks = (block: Block): boolean =>
  block.some(
    (s) =>
      s.kind === 'break' ||
      (s.kind !== 'loop' && s.kind !== 'range' && s.kind !== 'switch' && blocksOf(s).some(breaks)),
  )

// Values.

/** One walk from the end to the beginning: users come before what they use. */
function sweep(kernel: Kernel, read: ReadonlySet<number>): Kernel {
  const pure = pureFunctions(kernel)
  const called = new Set<string>()
  const next = withBodies(kernel, (body) => sweepBody(body, read, pure))
  for (const body of [next.body, ...next.functions.map((f) => f.body)])
    forEachStmt(body, (s) => s.kind === 'call' && called.add(s.func))
  const functions = next.functions.filter((f) => called.has(f.name))
  const variables = next.variables.filter((v) => read.has(v.id) || v.space === 'workgroup')
  if (functions.length === next.functions.length && variables.length === next.variables.length) return next
  return { ...next, functions, variables }
}

function sweepBody(body: Block, read: ReadonlySet<number>, pure: ReadonlySet<string>): Block {
  const used = new Set<number>()
  const seen = new Set<Expr>()
  const use = (e: Expr): void => {
    if (e.kind === 'const' || seen.has(e)) return
    seen.add(e)
    if (e.kind === 'result') used.add(e.id)
    else eachOperand(e, use)
  }
  const isDead = (s: Stmt): boolean => {
    switch (s.kind) {
      case 'let':
      case 'load':
        return !used.has(s.result.id)
      case 'var':
        return !read.has(s.variable.id)
      case 'store':
        return s.place.root.kind === 'variable' && !read.has(s.place.root.id)
      case 'effect': {
        const row = EFFECTS[s.op]
        if (row.family === 'barrier' || row.memory === 'write' || row.memory === 'read_write') return false
        return !(s.result && used.has(s.result.id))
      }
      case 'call':
        return pure.has(s.func) && !(s.result && used.has(s.result.id))
      case 'if':
        return s.then.length === 0 && s.else.length === 0
      case 'switch':
        return s.default.length === 0 && s.cases.every((c) => c.body.length === 0)
      case 'range':
        return s.body.length === 0
      default:
        return false
    }
  }
  const block = (b: Block): Block => {
    let out: Stmt[] | null = null
    for (let i = b.length - 1; i >= 0; i--) {
      const s = b[i] as Stmt
      const next = inner(s)
      const dead = isDead(next)
      if (!dead) for (const e of statementOperands(next)) use(e)
      if (next !== s || dead) out ??= b.slice(i + 1).reverse()
      if (out && !dead) out.push(next)
    }
    return out ? out.reverse() : b
  }
  const inner = (s: Stmt): Stmt => {
    switch (s.kind) {
      case 'if': {
        const otherwise = block(s.else)
        const then = block(s.then)
        return then === s.then && otherwise === s.else ? s : { ...s, then, else: otherwise }
      }
      case 'loop': {
        for (const e of loopTests(s)) use(e)
        const continuing = block(s.continuing)
        const body = block(s.body)
        const header = block(s.header)
        return header === s.header && body === s.body && continuing === s.continuing
          ? s
          : { ...s, header, body, continuing }
      }
      case 'switch':
      case 'range':
        return mapStmt(s, same, block)
      default:
        return s
    }
  }
  return block(body)
}

/** Variables whose values reach something; what is workgroup memory is left alone. */
function readVariables(kernel: Kernel): ReadonlySet<number> {
  const read = new Set<number>()
  for (const v of kernel.variables) if (v.space === 'workgroup') read.add(v.id)
  const see = (place: Place | null): void => {
    if (place?.root.kind === 'variable') read.add(place.root.id)
  }
  const body = (b: Block): void =>
    forEachStmt(b, (s) => {
      if (s.kind === 'load' || s.kind === 'effect') see(s.place)
      else if (s.kind === 'call') for (const a of s.args) if (isPlace(a)) see(a)
    })
  body(kernel.body)
  for (const f of kernel.functions) body(f.body)
  return read
}

function pureFunctions(kernel: Kernel): ReadonlySet<string> {
  const pure = new Set<string>()
  for (const f of kernel.functions) {
    if (f.params.some((p) => typeof p.type !== 'string' && p.type.kind === 'ptr')) continue
    const locals = new Set<number>()
    let clean = true
    forEachStmt(f.body, (s) => {
      if (s.kind === 'var') locals.add(s.variable.id)
      // a loop may be endless, which is an effect of its own kind
      if (s.kind === 'loop') clean = false
      if (s.kind === 'store' && !(s.place.root.kind === 'variable' && locals.has(s.place.root.id))) clean = false
      if (s.kind === 'effect' && EFFECTS[s.op].memory !== 'none' && EFFECTS[s.op].memory !== 'read') clean = false
      if (s.kind === 'call' && !pure.has(s.func)) clean = false
    })
    if (clean) pure.add(f.name)
  }
  return pure
}
