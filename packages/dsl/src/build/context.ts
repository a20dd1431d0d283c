import { type Code, here, WeftError } from '../diagnostics'
import type { Block, Expr, Func, Position, Result, Stmt, Variable } from '../ir'
import type { BuiltinName } from '../ops'
import type { Type } from '../types'
import type { Handle } from './handle'

/** Stops with an error at the author's line. */
export function fail(code: Code, message: string, note?: string): never {
  throw new WeftError({ code, message, position: here(), ...(note === undefined ? {} : { note }) })
}

/** A block under construction. Values made in it are visible while it is open. */
export interface OpenBlock {
  stmts: Stmt[]
  open: boolean
  /** How many blocks it lies in: of two open blocks the deeper is inside the other. */
  readonly depth: number
}

/** What an operation looks like to the search for unused values. */
interface Tracked {
  readonly used: boolean
  readonly at: number
  readonly label: string
}

/**
 * One run of a kernel's builder: numbers nodes, results and variables, and keeps what belongs to the module.
 * With `trace`, it also notes the author's position of every number.
 */
export class Session {
  readonly positions: (Position | null)[] = []
  /** Workgroup and private variables. */
  readonly variables: Variable[] = []
  readonly constants: { name: string; type: Type; value: Expr }[] = []
  readonly functions = new Map<object, Func>()
  /** Functions whose bodies are being built, outermost first. */
  readonly building: { readonly key: object; readonly name: string }[] = []
  readonly operations: Tracked[] = []
  /** Whether the body looks at workgroups by x, y and z, and not by their linear index alone. */
  seesGrid = false
  /** Handles of built-in values, made at their first mention. */
  readonly builtins = new Map<BuiltinName, Handle>()
  private readonly scopes: Scope[] = []
  private nextAt = 0
  private nextId = 0

  constructor(
    readonly kernelName: string,
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

  /** The body that is being built: the kernel's, or that of a function. */
  get scope(): Scope {
    return (
      this.scopes.at(-1) ?? fail('out-of-scope', `kernel '${this.kernelName}' is finished: nothing can be added to it`)
    )
  }

  within<R>(scope: Scope, body: () => R): R {
    this.scopes.push(scope)
    try {
      return body()
    } finally {
      this.scopes.pop()
    }
  }
}

export type Enclosing = 'loop' | 'continuing' | 'switch'

/** The body of the kernel or of one function: a stack of open blocks. */
export class Scope {
  private readonly blocks: OpenBlock[] = []
  /** Loops and switches around the current statement, innermost last. */
  readonly enclosing: Enclosing[] = []
  /** Types of the values returned so far. */
  readonly returned: (Type | null)[] = []

  constructor(
    readonly session: Session,
    /** What it belongs to, for messages. */
    readonly owner: string,
    readonly isFunction: boolean,
  ) {}

  get current(): OpenBlock {
    return (
      this.blocks.at(-1) ?? fail('out-of-scope', `the body of ${this.owner} is finished: nothing can be added to it`)
    )
  }

  emit(stmt: Stmt): void {
    this.current.stmts.push(Object.freeze(stmt))
  }

  /** Runs `body` with a new block and gives its statements and what it returned. */
  block<R>(
    body: () => R,
    enclosing?: Enclosing,
  ): { readonly stmts: Block; readonly value: R; readonly block: OpenBlock } {
    const block: OpenBlock = { stmts: [], open: true, depth: this.blocks.length }
    this.blocks.push(block)
    if (enclosing) this.enclosing.push(enclosing)
    try {
      const value = body()
      if (value instanceof Promise) {
        // it will fail once more when it goes on, with nobody to catch it
        value.catch(() => {})
        fail(
          'bad-argument',
          'a body is an async function',
          'bodies run once, synchronously, to build the kernel: remove async',
        )
      }
      return { stmts: block.stmts, value, block }
    } finally {
      block.open = false
      this.blocks.pop()
      if (enclosing) this.enclosing.pop()
    }
  }

  result(type: Type): Result {
    return Object.freeze({ kind: 'result', type, id: this.session.id() })
  }
}
