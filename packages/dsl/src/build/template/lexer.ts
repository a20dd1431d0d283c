/** Splits the text of an expression template into tokens. A hole is a token of its own, between two parts of the text. */
export interface Lexeme {
  readonly kind: 'number' | 'name' | 'symbol' | 'hole' | 'end' | 'unknown'
  readonly text: string
  /** Which string of the template, and where in it. Hole `n` follows string `n`. */
  readonly part: number
  readonly offset: number
}

const LEXEME =
  /\s*(?:(?<number>0[xX][\da-fA-F]+[iu]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[iufh]?)|(?<name>[\p{XID_Start}_]\p{XID_Continue}*)|(?<symbol><<|>>|[<>=!]=|&&|\|\||[-+*/%&|^~!<>()[\],.])|(?<unknown>\S)|(?<end>$))/uy

export function lex(parts: readonly string[]): readonly Lexeme[] {
  const out: Lexeme[] = []
  parts.forEach((source, part) => {
    LEXEME.lastIndex = 0
    for (;;) {
      const groups = Object.entries(LEXEME.exec(source)?.groups ?? {})
      const [kind, text] = groups.find(([, text]) => text !== undefined) as [Lexeme['kind'], string]
      const offset = LEXEME.lastIndex - text.length
      const hole = kind === 'end' && part < parts.length - 1
      out.push({ kind: hole ? 'hole' : kind, text, part, offset })
      if (kind === 'end') break
    }
  })
  return out
}
