import type { Position } from '../ir'
import { CODES, type Code } from './codes'

/** One fault, as data. `at` is the number of the builder call (see ir/nodes.ts), resolved to a position on demand. */
export interface Diagnostic {
  readonly code: Code
  readonly message: string
  readonly at?: number
  readonly position?: Position | null
  /** A way out. */
  readonly note?: string | undefined
}

const place = (p: Position): string => `${p.file}:${p.line}:${p.column}`

/**
 * A code, a sentence, the author's line and a way out:
 *
 *     binding-access: 'x' is an input and cannot be written
 *       at kernels/scale.ts:12:5
 *       note: declare it inout(d.arrayOf(d.f32)) to read and write it
 */
export function render(d: Diagnostic): string {
  const lines = [`${d.code}: ${d.message}`]
  if (d.position) lines.push(`  at ${place(d.position)}`)
  if (d.note) lines.push(`  note: ${d.note}`)
  return lines.join('\n')
}

/** Every error that weft throws. `code` is stable; `diagnostics` has all that was found, the first one first. */
export class WeftError extends Error {
  override readonly name = 'WeftError'
  readonly code: Code
  readonly diagnostics: readonly Diagnostic[]

  constructor(first: Diagnostic, ...more: Diagnostic[]) {
    super([first, ...more].map(render).join('\n'))
    this.code = first.code
    this.diagnostics = [first, ...more]
  }

  /** The author's position of the first diagnostic. */
  get position(): Position | null {
    return this.diagnostics[0]?.position ?? null
  }
}

export const describe = (code: Code): string => CODES[code]
