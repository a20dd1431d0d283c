import {
  type Block,
  blocksOf,
  EFFECTS,
  type Expr,
  type Func,
  forEachStmt,
  isPlace,
  type Kernel,
  loopTests,
  type Place,
  type Range,
  type Stmt,
  statementOperands,
} from '@weft/dsl/ir'
import type { Working } from './graph'
import { bodiesOf, mapStmt } from './map'
import { argsOf, numberOf } from './node'
import { working } from './rewrite'

/**
 * Removes what has no effect: branches that are never taken, statements after a jump, values that nobody uses, variables
 * that nobody reads, functions that nobody calls. Constant errors of WGSL fire in dead code too, so it has to go.
 */
export function dce(kernel: Kernel): Kernel {
  let current = working(kernel)
  let read = readVariables(current)
  for (;;) {
    const left = new Set<number>()
    const next = sweep(current, read, left)
    // values go in one round; another is needed where the last reader of a variable went, or a function became pure
    if (next === current || (left.size === read.size && next.functions.length === 0)) return next
    current = next
    read = left
  }
}

// Control flow.

/** What stands for a statement whose test is a constant; null: itself. */
function taken(s: Stmt): Block | null {
  switch (s.kind) {
    case 'if':
      return s.test.kind === 'const' ? (s.test.lanes[0] ? s.then : s.else) : null
    case 'switch': {
      if (s.selector.kind !== 'const') return null
      const value = s.selector.lanes[0] as number
      const body = s.cases.find((c) => c.selectors.includes(value))?.body ?? s.default
      return breaks(body) ? null : body
    }
    case 'range':
      return runsNever(s) ? [] : null
    case 'loop':
      // left after the header has run once
      return s.test?.kind === 'const' && !s.test.lanes[0] ? s.header : null
    default:
      return null
  }
}

/** Whether no statement after `s` is reached. */
function isJump(s: Stmt): boolean {
  switch (s.kind) {
    case 'return':
    case 'break':
    case 'continue':
      return true
    case 'if':
      return s.test.kind === 'const' ? leaves(taken(s) as Block) : s.else.length > 0 && leaves(s.then) && leaves(s.else)
    default:
      return taken(s)?.some(isJump) ?? false
  }
}
const leaves = (block: Block): boolean => block.some(isJump)

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

/** One walk from the end to the beginning: users come before what they use. `left` gets the variables still read. */
function sweep(kernel: Working, read: ReadonlySet<number>, left: Set<number>): Working {
  const pure = pureFunctions(kernel)
  const called = new Set<string>()
  const seen = new Uint8Array(kernel.graph.size)
  const used = new Set<number>()

  const use = (e: Expr): void => {
    const n = numberOf(e)
    if (seen[n]) return
    seen[n] = 1
    if (e.kind === 'result') used.add(e.id)
    else for (const o of argsOf(e)) use(o)
  }
  const see = (place: Place | null): void => {
    if (place?.root.kind === 'variable') left.add(place.root.id)
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
  const keep = (s: Stmt): void => {
    for (const e of statementOperands(s)) use(e)
    if (s.kind === 'load' || s.kind === 'effect') see(s.place)
    else if (s.kind === 'call') {
      called.add(s.func)
      for (const a of s.args) if (isPlace(a)) see(a)
    }
  }
  const block = (b: Block): Block => {
    const jump = b.findIndex(isJump)
    const end = jump < 0 ? b.length : jump + 1
    const out: Stmt[] = []
    let same = end === b.length
    for (let i = end - 1; i >= 0; i--) {
      const s = b[i] as Stmt
      const instead = taken(s)
      if (instead) {
        same = false
        const inner = block(instead)
        for (let j = inner.length - 1; j >= 0; j--) out.push(inner[j] as Stmt)
        continue
      }
      const next = inside(s)
      if (isDead(next)) {
        same = false
        continue
      }
      keep(next)
      if (next !== s) same = false
      out.push(next)
    }
    return same ? b : out.reverse()
  }
  const none = (e: Expr): Expr => e
  const inside = (s: Stmt): Stmt => {
    switch (s.kind) {
      case 'loop': {
        for (const e of loopTests(s)) use(e)
        const continuing = block(s.continuing)
        const body = block(s.body)
        const header = block(s.header)
        const endless = s.test?.kind === 'const'
        return header === s.header && body === s.body && continuing === s.continuing && !endless
          ? s
          : { ...s, header, test: endless ? null : s.test, body, continuing }
      }
      case 'if':
      case 'switch':
      case 'range':
        return mapStmt(s, none, block)
      default:
        return s
    }
  }

  const body = block(kernel.body)
  let same = body === kernel.body
  const functions: Func[] = []
  for (const f of kernel.functions.slice().reverse()) {
    const inner = called.has(f.name) ? block(f.body) : null
    if (inner) functions.push(inner === f.body ? f : { ...f, body: inner })
    if (inner !== f.body) same = false
  }
  for (const v of kernel.variables) if (v.space === 'workgroup') left.add(v.id)
  const variables = kernel.variables.filter((v) => read.has(v.id))
  if (same && variables.length === kernel.variables.length) return kernel
  return { ...kernel, body, functions: functions.reverse(), variables }
}

/** Variables whose values reach something; what is workgroup memory is left alone. */
function readVariables(kernel: Kernel): ReadonlySet<number> {
  const read = new Set<number>()
  for (const v of kernel.variables) if (v.space === 'workgroup') read.add(v.id)
  const see = (place: Place | null): void => {
    if (place?.root.kind === 'variable') read.add(place.root.id)
  }
  for (const body of bodiesOf(kernel)) {
    forEachStmt(body, (s) => {
      if (s.kind === 'load' || s.kind === 'effect') see(s.place)
      else if (s.kind === 'call') for (const a of s.args) if (isPlace(a)) see(a)
    })
  }
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
