import {
  type Block,
  type Call,
  type Expr,
  type Func,
  isPlace,
  type Kernel,
  type Let,
  mapPlace,
  type Place,
  type Result,
  type Stmt,
  type Type,
  type Variable,
  withOperands,
  withParts,
} from '@weft/dsl/ir'

/**
 * Calls are expanded: each gets its own instance of the function's body, with results and variables of its own and
 * pointers replaced by the places that they were given. So everything after knows only one body, and a pointer
 * costs nothing.
 */

/** The instance of a function for one call: its parameters as lets, then its body. */
export interface Expansion {
  readonly params: readonly Let[]
  readonly body: Block
}

export interface Expanded {
  readonly body: Block
  readonly calls: ReadonlyMap<Call, Expansion>
  /** A result of that type with an id of its own. */
  readonly fresh: (type: Type) => Result
}

interface Instance {
  readonly results: Map<number, Result>
  readonly variables: Map<number, number>
  readonly values: ReadonlyMap<string, Expr>
  readonly pointers: ReadonlyMap<string, Place>
  readonly memo: Map<Expr, Expr>
}

export function expandCalls(kernel: Kernel): Expanded {
  const functions = new Map(kernel.functions.map((f) => [f.name, f]))
  const calls = new Map<Call, Expansion>()
  let next = kernel.variables.reduce((most, v) => Math.max(most, v.id + 1), 0)
  const id = (): number => next++
  const fresh = (type: Type): Result => Object.freeze({ kind: 'result', type, id: id() })
  const expander = new Expander(functions, calls, id, fresh)
  return { body: expander.block(kernel.body, instance(new Map(), new Map())), calls, fresh }
}

const instance = (values: ReadonlyMap<string, Expr>, pointers: ReadonlyMap<string, Place>): Instance => ({
  results: new Map(),
  variables: new Map(),
  values,
  pointers,
  memo: new Map(),
})

class Expander {
  constructor(
    private readonly functions: ReadonlyMap<string, Func>,
    private readonly calls: Map<Call, Expansion>,
    private readonly id: () => number,
    private readonly fresh: (type: Type) => Result,
  ) {}

  block(block: Block, self: Instance): Block {
    return block.map((s) => this.statement(s, self))
  }

  private statement(s: Stmt, self: Instance): Stmt {
    if (s.kind === 'range') this.rename(s.index, self)
    const t = withParts(
      s,
      (e) => this.expr(e, self),
      (b) => this.block(b, self),
    )
    switch (t.kind) {
      case 'let':
        return { ...t, result: this.rename(t.result, self) }
      case 'load':
        return { ...t, place: this.root(t.place, self), result: this.rename(t.result, self) }
      case 'store':
        return { ...t, place: this.root(t.place, self) }
      case 'var':
        return { ...t, variable: this.declare(t.variable, self) }
      case 'range':
        return { ...t, index: self.results.get(t.index.id) ?? t.index }
      case 'effect':
        return {
          ...t,
          place: t.place && this.root(t.place, self),
          result: t.result && this.rename(t.result, self),
          exchanged: t.exchanged && this.rename(t.exchanged, self),
        }
      case 'call':
        return this.call(t, self)
      default:
        return t
    }
  }

  /** `s` has its arguments in terms of the caller's instance already, but for the roots of places. */
  private call(s: Call, self: Instance): Call {
    const func = this.functions.get(s.func)
    if (!func) throw new RangeError(`no function '${s.func}'`)
    const values = new Map<string, Expr>()
    const pointers = new Map<string, Place>()
    const params: Let[] = []
    for (const [i, { name }] of func.params.entries()) {
      const arg = s.args[i] as Expr | Place
      if (isPlace(arg)) {
        pointers.set(name, this.root(arg, self))
        continue
      }
      const result = this.fresh(arg.type)
      params.push({ kind: 'let', at: s.at, name, value: arg, result })
      values.set(name, result)
    }
    const call: Call = { ...s, result: s.result && this.rename(s.result, self) }
    this.calls.set(call, { params, body: this.block(func.body, instance(values, pointers)) })
    return call
  }

  private rename(result: Result, self: Instance): Result {
    const renamed = this.fresh(result.type)
    self.results.set(result.id, renamed)
    return renamed
  }

  private declare(variable: Variable, self: Instance): Variable {
    const id = this.id()
    self.variables.set(variable.id, id)
    return { ...variable, id }
  }

  private expr(e: Expr, self: Instance): Expr {
    const known = self.memo.get(e)
    if (known) return known
    const made = this.rebuild(e, self)
    self.memo.set(e, made)
    return made
  }

  private rebuild(e: Expr, self: Instance): Expr {
    if (e.kind === 'argument') return self.values.get(e.name) ?? e
    if (e.kind === 'result') return self.results.get(e.id) ?? e
    if (e.kind === 'length')
      return {
        ...e,
        of: this.root(
          mapPlace(e.of, (x) => this.expr(x, self)),
          self,
        ),
      }
    return withOperands(e, (x) => this.expr(x, self))
  }

  private root(place: Place, self: Instance): Place {
    const { root } = place
    if (root.kind === 'variable') {
      const id = self.variables.get(root.id)
      return id === undefined ? place : { ...place, root: { kind: 'variable', id } }
    }
    if (root.kind !== 'pointer') return place
    const target = self.pointers.get(root.name)
    if (!target) throw new RangeError(`no pointer '${root.name}'`)
    return { ...place, root: target.root, steps: [...target.steps, ...place.steps] }
  }
}
