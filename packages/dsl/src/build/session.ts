import { here } from '../diagnostics'
import type { ConstantDecl, Func, Position, Result, Stmt, Variable } from '../ir'
import type { BuiltinName } from '../ops'
import type { Type } from '../types'
import { fail } from './fail'
import type { Handle, State } from './handle'

/** The body of the kernel or of one function. */
export class Scope {
  /** The type of what it returns, null for nothing; undefined as long as it has not returned. */
  result?: Type | null

  constructor(
    /** What it belongs to, for messages. */
    readonly owner: string,
    readonly isFunction: boolean,
  ) {}
}

/** What a block is to the jumps in it; null for a branch. */
export type BlockKind = 'loop' | 'continuing' | 'switch' | null

/** A block under construction. What is made in it can be used while it is open. */
export interface OpenBlock {
  readonly session: Session
  /** The body that it is part of; null for what belongs to the module. */
  readonly scope: Scope | null
  readonly outer: OpenBlock | null
  readonly kind: BlockKind
  readonly stmts: Stmt[]
  open: boolean
  /** How many blocks it lies in: of two open blocks the deeper is inside the other. */
  readonly depth: number
}

/**
 * One run of a kernel's builder: numbers nodes, results and variables, and keeps what belongs to the module.
 * With `trace`, it also notes the author's position of every number.
 */
export class Session {
  readonly positions: (Position | null)[] = []
  /** Workgroup and private variables. */
  readonly variables: Variable[] = []
  readonly constants: ConstantDecl[] = []
  readonly functions = new Map<object, Func>()
  /** Functions whose bodies are being built, outermost first. */
  readonly building: { readonly name: string }[] = []
  /** The operations that were made, so that those which nothing uses are reported. */
  readonly operations: State[] = []
  /** Whether the body looks at workgroups by x, y and z, and not by their linear index alone. */
  seesGrid = false
  /** Handles of built-in values, made at their first mention. */
  readonly builtins = new Map<BuiltinName, Handle>()
  /** Where bindings, params and variables of the module belong: in no body, and never ended. */
  readonly module: OpenBlock = { session: this, scope: null, outer: null, kind: null, stmts: [], open: true, depth: 0 }
  private block: OpenBlock | null = null
  private nextAt = 0
  private nextId = 0

  constructor(
    readonly kernelName: string,
    readonly variant: string,
    /** The number of invocations of a workgroup, where it is fixed. */
    readonly invocations: number | null,
    private readonly trace: boolean,
  ) {}

  /** The number of the author's call that is running. */
  at(): number {
    const at = this.nextAt++
    if (this.trace) this.positions[at] = here()
    return at
  }

  id(): number {
    return this.nextId++
  }

  /** The block that statements go to. */
  get current(): OpenBlock {
    return this.block ?? fail('out-of-scope', `kernel '${this.kernelName}' is finished: nothing can be added to it`)
  }

  get scope(): Scope {
    return this.current.scope as Scope
  }

  emit(stmt: Stmt): void {
    this.current.stmts.push(Object.freeze(stmt))
  }

  result(type: Type): Result {
    return Object.freeze({ kind: 'result', type, id: this.nextId++ })
  }

  /** Runs `body` with a new block, and gives the statements of the block and what `body` returned. */
  inside<R>(
    body: () => R,
    kind: BlockKind = null,
    stmts: Stmt[] = [],
    scope: Scope = this.scope,
  ): { readonly stmts: Stmt[]; readonly value: R } {
    const before = this.block
    const outer = before ?? this.module
    const block: OpenBlock = { session: this, scope, outer, kind, stmts, open: true, depth: outer.depth + 1 }
    this.block = block
    try {
      const value = body()
      if (value instanceof Promise) {
        // it will fail once more when it goes on, with nobody to catch it
        value.catch(() => {})
        fail('bad-argument', 'a body is an async function', 'remove async: bodies run once, to build the kernel')
      }
      return { stmts, value }
    } finally {
      block.open = false
      this.block = before
    }
  }

  /** The innermost block around the current statement, within its body, that is of one of these kinds. */
  enclosing(...kinds: readonly BlockKind[]): BlockKind {
    const { scope } = this
    let block: OpenBlock | null = this.current
    while (block !== null && block.scope === scope && !kinds.includes(block.kind)) block = block.outer
    return block?.scope === scope ? block.kind : null
  }
}

class Nowhere extends Session {
  override at(): number {
    return -1
  }
}

/** Where constants belong: to no kernel, and to any. */
export const NOWHERE: OpenBlock = new Nowhere('', '', null, false).module

/** The methods of the builder, as functions of the run. */
export type Methods = Readonly<Record<string, (session: Session, ...args: readonly never[]) => unknown>>
