import type { Binding, Block, Place, Root, Type, Variable } from '@weft/dsl/ir'
import { Body } from './body'
import { type Flat, flatArrays } from './flatten'
import { Graph, Scope } from './graph'
import { Pointers, takesPointers } from './legalize/pointers'
import { mapPlace } from './places'
import type { Rewriting } from './rewrite'
import { declaresSpecial } from './special'

/** What the bodies of a kernel have in common. */
export class Module {
  readonly graph: Graph
  readonly pointers: Pointers | null
  /** Bindings that nobody writes, if what they hold is to be read once. */
  readonly readOnly: ReadonlySet<string>
  /** What stands for the variables of the kernel, by id; the types of these. */
  readonly roots: Root[] = []
  readonly types: Type[] = []
  /** The variables of the module, and which of them were arrays of arrays. */
  readonly variables: readonly Variable[]
  readonly flat: ReadonlyMap<number, Flat>

  constructor(readonly how: Rewriting) {
    const { kernel, rules, share, ranges, flatten, pointers } = how
    this.graph = new Graph(kernel, rules, share, ranges)
    this.graph.special = declaresSpecial(kernel)
    const isReadOnly = (b: Binding): boolean => share && b.kind !== 'texture' && b.access === 'read'
    this.readOnly = new Set(kernel.bindings.filter(isReadOnly).map((b) => b.name))
    this.flat = flatten ? flatArrays(kernel) : NO_ARRAYS
    this.variables = this.flat.size === 0 ? kernel.variables : kernel.variables.map((v) => this.flattened(v))
    for (const v of this.variables) {
      this.declare(v, v.id)
      // what is workgroup memory is left alone
      if (v.space === 'workgroup') this.graph.read.add(v.id)
    }
    this.pointers = pointers && takesPointers(kernel) ? new Pointers(kernel, this, pointers === 'native') : null
  }

  /** The type of what a root refers to, where that is not a parameter. */
  typeOf(root: Root): Type | undefined {
    switch (root.kind) {
      case 'variable':
        return this.types[root.id]
      case 'view':
        return root.type
      case 'binding':
        return this.how.kernel.bindings.find((b) => b.name === root.name)?.type
      default:
        return undefined
    }
  }

  flattened(v: Variable): Variable {
    const type = this.flat.get(v.id)?.type
    return type ? { ...v, type } : v
  }

  /** From now on, a variable of the kernel has this id. */
  declare(v: Variable, id: number): void {
    this.roots[v.id] = { kind: 'variable', id }
    this.types[id] = v.type
    if (id >= this.graph.ids) this.graph.ids = id + 1
  }

  /** A body, in which parameters refer to places. */
  body(block: Block, pointers: ReadonlyMap<string, Place> = NONE): Block {
    const { graph } = this
    const outer = graph.scope
    const body = new Body(this)
    graph.scope = new Scope(body.placed)
    for (const [name, place] of pointers) body.pointers.set(name, mapPlace(place, graph.made))
    const made = body.block(block)
    graph.scope = outer
    return made
  }
}

const NONE: ReadonlyMap<string, Place> = new Map()
const NO_ARRAYS: ReadonlyMap<number, Flat> = new Map()
