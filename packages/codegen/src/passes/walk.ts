import {
  type Block,
  type Expr,
  isPlace,
  type Kernel,
  type Place,
  type Range,
  type Result,
  type Stmt,
  type Variable,
} from '@weft/dsl/ir'

export const bodiesOf = (kernel: Kernel): readonly Block[] => [...kernel.functions.map((f) => f.body), kernel.body]

/** A walk down the statements of a body, which makes new ones: passes say what of. */
export class Walk {
  expr(e: Expr): Expr {
    return e
  }

  /** `stored`: and not read. */
  place(place: Place, _stored: boolean): Place {
    return place
  }

  result(result: Result): Result {
    return result
  }

  variable(variable: Variable): Variable {
    return variable
  }

  block(block: Block): Block {
    const out: Stmt[] = []
    for (const s of block) this.stmt(s, out)
    return out
  }

  /** What stands for `s` goes to the end of `out`. */
  stmt(s: Stmt, out: Stmt[]): void {
    out.push(this.rebuild(s))
  }

  /** A new statement of the parts that the walk makes, in order of evaluation. */
  rebuild(s: Stmt): Stmt {
    switch (s.kind) {
      case 'let':
        return { kind: 'let', at: s.at, name: s.name, value: this.expr(s.value), result: this.result(s.result) }
      case 'var':
        return { kind: 'var', at: s.at, variable: this.variable(s.variable) }
      case 'load':
        return { kind: 'load', at: s.at, place: this.place(s.place, false), result: this.result(s.result) }
      case 'store':
        return { kind: 'store', at: s.at, place: this.place(s.place, true), value: this.expr(s.value) }
      case 'effect': {
        const place = s.place && this.place(s.place, false)
        const args = s.args.map((e) => this.expr(e))
        const result = s.result && this.result(s.result)
        return { ...s, place, args, result, exchanged: s.exchanged && this.result(s.exchanged) }
      }
      case 'call':
        return { ...s, args: s.args.map((a) => this.argument(a)), result: s.result && this.result(s.result) }
      case 'if':
        return { kind: 'if', at: s.at, test: this.expr(s.test), then: this.block(s.then), else: this.block(s.else) }
      case 'switch': {
        const selector = this.expr(s.selector)
        const cases = s.cases.map(({ selectors, body }) => ({ selectors, body: this.block(body) }))
        return { ...s, selector, cases, default: this.block(s.default) }
      }
      case 'range': {
        const [start, end, step] = [this.expr(s.start), this.expr(s.end), this.expr(s.step)]
        return rangeWith(s, this.result(s.index), start, end, step, this.block(s.body))
      }
      case 'loop': {
        const header = this.block(s.header)
        const test = s.test && this.expr(s.test)
        const body = this.block(s.body)
        const continuing = this.block(s.continuing)
        return { ...s, header, test, body, continuing, breakIf: s.breakIf && this.expr(s.breakIf) }
      }
      case 'return':
        return { kind: 'return', at: s.at, value: s.value && this.expr(s.value) }
      case 'break':
      case 'continue':
        return s
    }
  }

  argument(a: Expr | Place): Expr | Place {
    return isPlace(a) ? this.place(a, false) : this.expr(a)
  }
}

/** A range with other parts. (A spread that replaces fields takes engines longer than the rest of the walk.) */
export const rangeWith = (s: Range, index: Result, start: Expr, end: Expr, step: Expr, body: Block): Range => ({
  kind: 'range',
  at: s.at,
  name: s.name,
  index,
  start,
  end,
  step,
  body,
  unroll: s.unroll,
})

/** Whether nothing after these is reached; what is not was left out before. */
export function leaves(block: Block): boolean {
  const s = block[block.length - 1]
  switch (s?.kind) {
    case 'return':
    case 'break':
    case 'continue':
      return true
    case 'if':
      return leaves(s.then) && leaves(s.else)
    default:
      return false
  }
}
