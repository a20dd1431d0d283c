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
  const current = working(kernel)
  let { read }: { read: ReadonlySet<number> } = current.graph
  for (;;) {
    const sweep = new Sweep(current, read)
    // values go in one round; another is needed where the last reader of a variable went
    if (!sweep.changed || sweep.read.size === read.size) return sweep.swept()
    read = sweep.read
  }
}

/** A walk from the end to the beginning, which marks what goes: users come before what they use. */
class Sweep extends Walk {
  /** The variables that are read by what is left. */
  readonly read = new Set<number>()
  readonly #dead = new Set<Stmt | Func>()
  readonly #called = new Set<string>()
  /** By the number of a node. */
  readonly #used: boolean[] = []

  constructor(
    readonly kernel: Working,
    readonly wasRead: ReadonlySet<number>,
  ) {
    super()
    for (const v of kernel.variables) if (v.space === 'workgroup') this.read.add(v.id)
    this.#look(kernel.body)
    for (const f of kernel.functions.slice().reverse()) {
      if (this.#called.has(f.name)) this.#look(f.body)
      else this.#dead.add(f)
    }
  }

  /** Whether anything goes. */
  get changed(): boolean {
    return this.#dead.size > 0
  }

  /** What is left. */
  swept(): Working {
    const { kernel } = this
    const variables = kernel.variables.filter((v) => this.wasRead.has(v.id))
    if (!this.changed && variables.length === kernel.variables.length) return kernel
    const functions = kernel.functions
      .filter((f) => !this.#dead.has(f))
      .map((f) => ({ ...f, body: this.block(f.body) }))
    return { ...kernel, body: this.block(kernel.body), functions, variables }
  }

  override stmt(s: Stmt, out: Stmt[]): void {
    if (!this.#dead.has(s)) out.push(blocksOf(s).length > 0 ? this.rebuild(s) : s)
  }

  /** Whether anything of a block stays. */
  #look(block: Block): boolean {
    let stays = false
    for (let i = block.length - 1; i >= 0; i--) {
      const s = block[i] as Stmt
      if (this.#stays(s)) stays = true
      else this.#dead.add(s)
    }
    return stays
  }

  #stays(s: Stmt): boolean {
    for (const e of loopTests(s)) this.#use(e)
    let inner = false
    const blocks = blocksOf(s)
    for (let i = blocks.length - 1; i >= 0; i--) if (this.#look(blocks[i] as Block)) inner = true
    if (!this.#does(s, inner)) return false
    for (const e of statementOperands(s)) this.#use(e)
    if (s.kind === 'load' || s.kind === 'effect') this.#see(s.place)
    else if (s.kind === 'call') {
      this.#called.add(s.func)
      for (const a of s.args) if (isPlace(a)) this.#see(a)
    }
    return true
  }

  /** Whether a statement has an effect; `inner`: whether anything in it has. */
  #does(s: Stmt, inner: boolean): boolean {
    switch (s.kind) {
      case 'let':
      case 'load':
        return this.#isUsed(s.result)
      case 'var':
        return this.wasRead.has(s.variable.id)
      case 'store':
        return s.place.root.kind !== 'variable' || this.wasRead.has(s.place.root.id)
      case 'effect': {
        const { family, memory } = EFFECTS[s.op]
        return family === 'barrier' || memory === 'write' || memory === 'read_write' || this.#isUsed(s.result)
      }
      case 'if':
      case 'switch':
      case 'range':
        return inner
      default:
        return true
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

  #isUsed(result: Result | null): boolean {
    return result !== null && this.#used[numberOf(result)] === true
  }
}
