import { type Expr, operands } from '@weft/dsl/ir'

/** Whether two expressions are equal in structure, names of `lets` standing for their values. */
export function sameExpr(a: Expr, b: Expr, lets: ReadonlyMap<number, Expr> = new Map()): boolean {
  const x = resolved(a, lets)
  const y = resolved(b, lets)
  if (x === y) return true
  if (x.kind !== y.kind || headOf(x) !== headOf(y)) return false
  const left = operands(x)
  const right = operands(y)
  return left.length === right.length && left.every((o, i) => sameExpr(o, right[i] as Expr, lets))
}

function resolved(e: Expr, lets: ReadonlyMap<number, Expr>): Expr {
  let current = e
  while (current.kind === 'result') {
    const value = lets.get(current.id)
    if (!value) return current
    current = value
  }
  return current
}

/** All of a node but its operands. */
function headOf(e: Expr): string {
  switch (e.kind) {
    case 'const':
      return `${e.type}${e.lanes.join()}`
    case 'builtin':
    case 'param':
    case 'override':
    case 'constant':
    case 'argument':
      return e.name
    case 'result':
      return String(e.id)
    case 'op':
      return e.op
    case 'swizzle':
      return e.lanes.join()
    case 'member':
      return e.name
    case 'length':
      return JSON.stringify([e.of.root, e.of.steps.length])
    case 'construct':
    case 'convert':
    case 'bitcast':
      return JSON.stringify(e.type)
    case 'index':
      return ''
  }
}
