import type { CompiledKernel, CompiledVariant } from '@weft/codegen'
import { type Diagnostic, type Position, WeftError } from '../errors'

/** The author's line of a line of the WGSL (from 1), where the artifact has a source map. */
export function authorOf({ sourceMap }: CompiledVariant, line: number): Position | null {
  const [file, row, column] = sourceMap?.lines[line - 1] ?? []
  const name = sourceMap?.files[file ?? -1]
  return name === undefined || row === undefined || column === undefined ? null : { file: name, line: row, column }
}

/** A rejected module or pipeline as an error with the author's line and the WGSL line of each message. */
export function compileError(
  { name }: CompiledKernel,
  variant: CompiledVariant,
  { messages }: GPUCompilationInfo,
  otherwise: string,
): WeftError {
  const lines = variant.wgsl.split('\n')
  const subject = `'${name}' (variant '${variant.id}')`
  const [first, ...more] = messages
    .filter(({ type }) => type === 'error')
    .map(({ message, lineNum, linePos }): Diagnostic => {
      const text = lines[lineNum - 1]?.trim()
      return {
        code: 'compile-failed',
        message: `${subject}: ${message}`,
        position: authorOf(variant, lineNum),
        ...(text !== undefined && { note: `WGSL line ${lineNum}:${linePos}: ${text}` }),
      }
    })
  return first
    ? new WeftError(first, ...more)
    : new WeftError({ code: 'compile-failed', message: `${subject}: ${otherwise}` })
}
