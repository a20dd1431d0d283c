import type { WeftError } from '@weft/dsl/ir'

/** By its form: the author's module may have loaded another copy of weft than this one. */
export const isWeftError = (error: unknown): error is WeftError =>
  error instanceof Error && error.name === 'WeftError' && 'diagnostics' in error

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
