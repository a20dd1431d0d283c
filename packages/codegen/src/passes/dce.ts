import {
  type Block,
  blocksOf,
  EFFECTS,
  type Expr,
  type Func,
  isPlace,
  type Kernel,
  loopTests,
  type Place,
  type Result,
  type Stmt,
  statementOperands,
} from '@weft/dsl/ir'
import type { Working } from './graph'
import { type Node, numberOf } from './node'
import { working } from './rewrite'
import { Walk } from './walk'

/**
 * Removes what has no effect: values that nobody uses, variables that nobody reads, functions that nobody calls. Calls
 * stay. What is never reached is gone already.
 */
export function dce(kernel: Kernel): Kernel {
  let current = working(kernel)
  let { read }: { read: ReadonlySet<number> } = current.graph
  for (;;) {
    const sweep = new Sweep(current, read)
    current = sweep.run()
    // values go in one round; another is needed where the last reader of a variable went
    if (!sweep.changed || sweep.read.size === read.size) return current
    read = sweep.read
  }
}

/** A walk from the end to the beginning: users come before what they use. */
class Sweep extends Walk {
  /** Whether anything went. */
  changed = false
  /** The variables that are read by what is left. */
  readonly read = new Set<number>()
  readonly #called = new Set<string>()
  /** By the number of a node. */
  readonly #used: boolean[] = []

  constructor(
    readonly kernel: Working,
    readonly wasRead: ReadonlySet<number>,
  ) {
    super()
    for (const v of kernel.variables) if (v.space === 'workgroup') this.read.add(v.id)
  }

  run(): Working {
    const { kernel } = this
    const body = this.block(kernel.body)
    const functions: Func[] = []
    for (const f of kernel.functions.slice().reverse()) {
      if (this.#called.has(f.name)) functions.unshift({ ...f, body: this.block(f.body) })
      else this.changed = true
    }
    return { ...kernel, body, functions, variables: kernel.variables.filter((v) => this.wasRead.has(v.id)) }
  }

  override block(block: Block): Block {
    const out: Stmt[] = []
    for (let i = block.length - 1; i >= 0; i--) this.stmt(block[i] as Stmt, out)
    return out.reverse()
  }

  override stmt(s: Stmt, out: Stmt[]): void {
    const next = this.#inside(s)
    if (this.#isDead(next)) this.changed = true
    else {
      this.#keep(next)
      out.push(next)
    }
  }

  #inside(s: Stmt): Stmt {
    switch (s.kind) {
      case 'loop': {
        for (const e of loopTests(s)) this.#use(e)
        const continuing = this.block(s.continuing)
        const body = this.block(s.body)
        return { ...s, header: this.block(s.header), body, continuing }
      }
      case 'if':
      case 'switch':
      case 'range':
        return this.rebuild(s)
      default:
        return s
    }
  }

  #keep(s: Stmt): void {
    for (const e of statementOperands(s)) this.#use(e)
    if (s.kind === 'load' || s.kind === 'effect') this.#see(s.place)
    else if (s.kind === 'call') {
      this.#called.add(s.func)
      for (const a of s.args) if (isPlace(a)) this.#see(a)
    }
  }

  #see(place: Place | null): void {
    if (place?.root.kind === 'variable') this.read.add(place.root.id)
  }

  #use(e: Expr): void {
    const { n, args } = e as Node
    if (this.#used[n]) return
    this.#used[n] = true
    for (let i = 0; i < args.length; i++) this.#use(args[i] as Node)
  }

  #isDead(s: Stmt): boolean {
    switch (s.kind) {
      case 'let':
      case 'load':
        return !this.#isUsed(s.result)
      case 'var':
        return !this.wasRead.has(s.variable.id)
      case 'store':
        return s.place.root.kind === 'variable' && !this.wasRead.has(s.place.root.id)
      case 'effect': {
        const { family, memory } = EFFECTS[s.op]
        return family !== 'barrier' && memory !== 'write' && memory !== 'read_write' && !this.#isUsed(s.result)
      }
      case 'if':
      case 'switch':
      case 'range':
        return blocksOf(s).every((block) => block.length === 0)
      default:
        return false
    }
  }

  #isUsed(result: Result | null): boolean {
    return result !== null && this.#used[numberOf(result)] === true
  }
}
