import type { Expr, Result } from '@weft/dsl/ir'
import { numberOf } from '../passes/node'
import type { Context } from './context'
import { print } from './expressions'
import { line, type Output } from './lines'
import { nameFor } from './naming'
import type { Region, Site } from './sites'

/**
 * Writes the body of one function. What writes statements is given to it, so that statements which hold blocks reach
 * the statements in them through the writer.
 */
export class Writer {
  /** How many `else if`s precede: compilers refuse more than 123. */
  chain = 0

  constructor(
    readonly c: Context,
    readonly out: Output,
    private readonly statements: (sites: readonly Site[], w: Writer) => void,
  ) {}

  line(text: string, at = -1): void {
    line(this.out, text, at)
  }

  /** A scope of names, and a level of indentation. */
  open(): void {
    this.c.names.open()
    this.indent()
  }

  close(): void {
    this.dedent()
    this.c.names.close()
  }

  indent(): void {
    this.out.indent += '  '
  }

  dedent(): void {
    this.out.indent = this.out.indent.slice(2)
  }

  sites(sites: readonly Site[]): void {
    this.statements(sites, this)
  }

  /** The statements of a block, within braces that the caller writes. */
  region(region: Region): void {
    this.open()
    this.sites(region.sites)
    this.close()
  }

  /** What was planned to be bound before a statement. */
  binds(at: Site): void {
    const { c } = this
    for (let i = at.binds.length - 1; i >= 0; i--) {
      const e = at.binds[i] as Expr
      const text = print(e, c)
      const name = c.names.declare(c.plan.hint(e) ?? nameFor(e, c))
      c.bound[numberOf(e)] = name
      this.line(`let ${name} = ${text};`, 'at' in e ? e.at : -1)
    }
  }

  /** Names the result of a statement. */
  let(result: Result, wanted: string, text: string, at: number): void {
    const name = this.c.names.declare(wanted)
    this.c.results.set(result.id, name)
    this.line(`let ${name} = ${text};`, at)
  }
}
