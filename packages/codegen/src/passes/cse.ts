import { withOperands, type Block, type Expr, type Kernel, type Load, type Place, type Result, type Root, type Stmt, type Type } from '@weft/dsl/ir'
import { mapBodies, mapStmt } from './rewrite'

/**
 * Makes equal expressions one node, so that the emitter binds them once, and reads read-only memory once.
 *
 * An expression is pure and says nothing of a place or a time, so equal ones are equal wherever they stand; where a
 * shared one is evaluated, the emitter decides by dominance. A load is a statement: a later one of the same element
 * takes the value of an earlier one only where that is visible, and only from bindings that nobody writes.
 */
export function cse(kernel: Kernel): Kernel {
  const readOnly = new Set(kernel.bindings.filter((b) => b.kind !== 'texture' && b.access === 'read').map((b) => b.name))
  const consed = new Map<Expr, Expr>()
  const numbers = new Map<Expr, number>()
  const byKey = new Map<string, Expr>()
  const same = new Map<number, Result>()

  const go = (e: Expr): Expr => {
    const known = consed.get(e)
    if (known) return known
    const next = e.kind === 'result' ? (same.get(e.id) ?? e) : withOperands(e, go)
    const key = keyOf(next, numbers)
    let first = byKey.get(key)
    if (!first) {
      first = next
      byKey.set(key, next)
      numbers.set(next, numbers.size)
    }
    consed.set(e, first)
    return first
  }

  /** What was loaded in the block that is open and in those around it. */
  const loaded: Map<string, Result>[] = []
  const find = (key: string): Result | undefined => {
    for (const scope of loaded) {
      const found = scope.get(key)
      if (found) return found
    }
    return undefined
  }

  const block = (b: Block): Block => {
    loaded.push(new Map())
    const out = statements(b)
    loaded.pop()
    return out
  }

  const statements = (b: Block): Block => {
    let changed = false
    const out: Stmt[] = []
    for (const s of b) {
      if (s.kind === 'loop') {
        // what the header loads is visible in the rest of the loop
        loaded.push(new Map())
        const header = statements(s.header)
        const next = mapStmt(header === s.header ? s : { ...s, header }, go, (inner) => (inner === header ? header : block(inner)))
        loaded.pop()
        if (next !== s) changed = true
        out.push(next)
        continue
      }
      const next = mapStmt(s, go, block)
      if (next !== s) changed = true
      if (next.kind === 'load' && isReadOnly(next.place.root, readOnly)) {
        const key = loadKey(next, numbers)
        const earlier = find(key)
        if (earlier) {
          same.set(next.result.id, earlier)
          changed = true
          continue
        }
        loaded.at(-1)?.set(key, next.result)
      }
      out.push(next)
    }
    return changed ? out : b
  }
  return mapBodies(kernel, (body) => block(body))
}

const isReadOnly = (root: Root, readOnly: ReadonlySet<string>): boolean => root.kind === 'binding' && readOnly.has(root.name)

type Numbers = ReadonlyMap<Expr, number>
const typeKey = (t: Type): string => (typeof t === 'string' ? t : JSON.stringify(t))

/** Equal nodes have equal keys; operands are one node each already. */
function keyOf(e: Expr, numbers: Numbers): string {
  switch (e.kind) {
    case 'const':
      return `c${e.type}${e.lanes.map(exact).join()}`
    case 'builtin':
      return `b${e.name}`
    case 'param':
      return `p${e.name}`
    case 'override':
      return `o${e.name}`
    case 'constant':
      return `k${e.name}`
    case 'argument':
      return `a${e.name}`
    case 'result':
      return `r${e.id}`
    case 'op':
      return `${e.op} ${list(e.args, numbers)}`
    case 'construct':
      return `n${typeKey(e.type)} ${list(e.args, numbers)}`
    case 'convert':
      return `v${e.type} ${numbers.get(e.arg)}`
    case 'bitcast':
      return `t${e.type} ${numbers.get(e.arg)}`
    case 'swizzle':
      return `s${e.lanes.join('')} ${numbers.get(e.of)}`
    case 'index':
      return `i${numbers.get(e.of)} ${numbers.get(e.index)}`
    case 'member':
      return `m${e.name} ${numbers.get(e.of)}`
    case 'length':
      return `l${placeKey(e.of, numbers)}`
  }
}

const exact = (x: number): string => (Object.is(x, -0) ? '-0' : String(x))

function list(args: readonly Expr[], numbers: Numbers): string {
  let out = ''
  for (const a of args) out += `${numbers.get(a)},`
  return out
}

function placeKey(place: Place, numbers: Numbers): string {
  const { root } = place
  let key = root.kind === 'variable' ? `v${root.id}` : `${root.kind}${root.name}`
  if (root.kind === 'view') key += `${numbers.get(root.offset)}${typeKey(root.type)}`
  for (const step of place.steps) key += step.kind === 'member' ? `.${step.name}` : `[${numbers.get(step.index)}`
  return key
}

const loadKey = (s: Load, numbers: Numbers): string => placeKey(s.place, numbers)

