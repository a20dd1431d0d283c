import type { Block, Expr, Kernel, Let, Place, Variable } from '@weft/dsl/ir'
import type { Graph } from './graph'
import type { Node } from './node'
import { definedOperands, knownConstant } from './operands'
import { mapPlace } from './places'
import { working } from './rewrite'
import { isTrap } from './traps'
import { Walk } from './walk'

/**
 * Constant expressions that compilers refuse have values at run time: `sqrt(-1)`, an overflow, a bitcast to NaN. What
 * folding could not replace by a literal gets its constants from a `let`, which is not a constant to WGSL. Shifts and
 * divisions of integers, through whose `let`s naga looks, get operands that mean the same.
 */
export function runtimeConstants(kernel: Kernel): Kernel {
  const k = working(kernel)
  const { graph } = k
  if (!graph.traps && graph.constants.size === 0) return kernel
  const body = (block: Block): Block => new Constants(graph).body(block)
  return { ...k, functions: k.functions.map((f) => ({ ...f, body: body(f.body) })), body: body(k.body) }
}

class Constants extends Walk {
  /** The constants that have names, first in the body. */
  readonly #lets: Let[] = []
  readonly #done = new Map<Expr, Node>()

  constructor(readonly graph: Graph) {
    super()
  }

  body(block: Block): Block {
    const next = this.block(block)
    return [...this.#lets, ...next]
  }

  override place(place: Place): Place {
    return mapPlace(place, this.expr)
  }

  override variable(v: Variable): Variable {
    return v.init ? { ...v, init: this.expr(v.init) } : v
  }

  override readonly expr = (e: Expr): Node => {
    let made = this.#done.get(e)
    if (made) return made
    made = this.graph.rebuild(e as Node, this.expr)
    if (made.kind === 'op') made = this.graph.made(definedOperands(made, (o) => knownConstant(o, this.graph.constants)))
    if (isTrap(made)) made = this.graph.rebuild(made, this.#named)
    this.#done.set(e, made)
    return made
  }

  /** The name of a constant. */
  readonly #named = (e: Expr): Node => {
    if (e.kind !== 'const') return e as Node
    const known = this.#lets.find((s) => s.value === e)
    if (known) return known.result as Node
    const result = this.graph.result(e.type, 0)
    this.#lets.push({ kind: 'let', at: -1, name: 'constant', value: e, result })
    return result
  }
}
