import type { Result, Variable } from '../../ir'
import type { Type } from '../../types'

interface Defined<T> {
  readonly scope: number
  readonly what: T
}

/**
 * Which results and variables can be seen. Scopes are numbered from 0, the module, as they are entered; a nested
 * scope has a higher number, so of several open scopes the highest is the innermost.
 */
export class Scopes {
  private readonly open: boolean[] = [true]
  private readonly stack: number[] = [0]
  private readonly results: (Defined<Type> | undefined)[] = []
  private readonly variables = new Map<number, Defined<Variable>>()

  get current(): number {
    return this.stack[this.stack.length - 1] ?? 0
  }

  get depth(): number {
    return this.stack.length - 1
  }

  enter(): void {
    this.stack.push(this.open.push(true) - 1)
  }

  leave(): void {
    const scope = this.stack.pop()
    if (scope !== undefined) this.open[scope] = false
  }

  isOpen(scope: number): boolean {
    return this.open[scope] ?? false
  }

  /** False where another statement has defined a result of this id. */
  define(r: Result): boolean {
    if (this.results[r.id] !== undefined) return false
    this.results[r.id] = { scope: this.current, what: r.type }
    return true
  }

  declare(v: Variable): boolean {
    if (this.variables.has(v.id)) return false
    this.variables.set(v.id, { scope: this.current, what: v })
    return true
  }

  result(id: number): Defined<Type> | undefined {
    return this.results[id]
  }

  variable(id: number): Defined<Variable> | undefined {
    return this.variables.get(id)
  }
}
