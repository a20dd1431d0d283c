import { type Diagnostic, type KernelSource, type Position, WeftError } from '@weft/dsl/ir'
import type { SourceMap } from '../artifact'
import { withinStack } from './deep'

/** The author's lines: of what was emitted, and of what is wrong. */

/** The lines of emitted text by the positions of the calls that made them. */
export function sourceMap(ats: readonly number[], positions: readonly (Position | null)[]): SourceMap {
  const files: string[] = []
  const lines = ats.map((at) => {
    const p = positions[at]
    if (!p) return null
    let file = files.indexOf(p.file)
    if (file < 0) file = files.push(p.file) - 1
    return [file, p.line, p.column] as const
  })
  return { files, lines }
}

/** A diagnostic with the line that it is about, or that of the kernel. */
export function withPosition(d: Diagnostic, source: KernelSource, variant: string): Diagnostic {
  if (d.position !== undefined) return d
  const position = (d.at !== undefined && d.at >= 0 ? source.positions(variant)[d.at] : null) ?? source.declared
  return position ? { ...d, position } : d
}

/** Errors from within get the author's lines. */
export function located<R>(source: KernelSource, variant: string, body: () => R): R {
  try {
    return withinStack(() => source.ir(variant), body)
  } catch (error) {
    if (!(error instanceof WeftError) || error.diagnostics.every((d) => d.position !== undefined)) throw error
    const [first, ...more] = error.diagnostics.map((d) => withPosition(d, source, variant)) as [
      Diagnostic,
      ...Diagnostic[],
    ]
    throw new WeftError(first, ...more)
  }
}
