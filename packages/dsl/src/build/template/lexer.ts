/** Splits the text of an expression template into tokens. Holes are tokens of their own. */

export type Lexeme =
  | {
      readonly kind: 'number'
      readonly value: number
      readonly float: boolean
      readonly suffix: string
      readonly at: Spot
    }
  | { readonly kind: 'name'; readonly text: string; readonly at: Spot }
  | { readonly kind: 'symbol'; readonly text: string; readonly at: Spot }
  | { readonly kind: 'hole'; readonly index: number; readonly at: Spot }
  | { readonly kind: 'end'; readonly at: Spot }

/** Which string of the template, and where in it. */
export interface Spot {
  readonly part: number
  readonly offset: number
}

export class TemplateError extends Error {
  constructor(
    message: string,
    readonly at: Spot,
  ) {
    super(message)
  }
}

const SYMBOLS = [
  '<<',
  '>>',
  '<=',
  '>=',
  '==',
  '!=',
  '&&',
  '||',
  '+',
  '-',
  '*',
  '/',
  '%',
  '&',
  '|',
  '^',
  '~',
  '!',
  '<',
  '>',
  '(',
  ')',
  '[',
  ']',
  ',',
  '.',
]
const SPACE = /\s+/y
const NUMBER = /(?:0[xX][0-9a-fA-F]+|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)([iufh]?)/y
const NAME = /[\p{XID_Start}_][\p{XID_Continue}]*/uy

export function lex(parts: readonly string[]): readonly Lexeme[] {
  const out: Lexeme[] = []
  parts.forEach((text, part) => {
    for (let offset = 0; offset < text.length; ) {
      SPACE.lastIndex = offset
      if (SPACE.exec(text)) {
        offset = SPACE.lastIndex
        continue
      }
      const [lexeme, length] = next(text, { part, offset })
      out.push(lexeme)
      offset += length
    }
    if (part < parts.length - 1) out.push({ kind: 'hole', index: part, at: { part, offset: text.length } })
  })
  const last = parts.length - 1
  out.push({ kind: 'end', at: { part: last, offset: (parts[last] ?? '').length } })
  return out
}

function next(text: string, at: Spot): [Lexeme, number] {
  const { offset } = at
  NUMBER.lastIndex = offset
  const number = NUMBER.exec(text)
  if (number && /[\d.]/.test(text[offset] ?? '')) {
    const [whole, suffix = ''] = number
    const digits = suffix ? whole.slice(0, -1) : whole
    const hex = /^0[xX]/.test(whole)
    const float = suffix === 'f' || suffix === 'h' ? !hex : !hex && /[.eE]/.test(digits)
    return [
      {
        kind: 'number',
        value: Number(hex ? whole.replace(/[iu]$/, '') : digits),
        float,
        suffix: hex ? (/[iu]$/.exec(whole)?.[0] ?? '') : suffix,
        at,
      },
      whole.length,
    ]
  }
  NAME.lastIndex = offset
  const name = NAME.exec(text)
  if (name) return [{ kind: 'name', text: name[0], at }, name[0].length]
  const symbol = SYMBOLS.find((s) => text.startsWith(s, offset))
  if (symbol) return [{ kind: 'symbol', text: symbol, at }, symbol.length]
  throw new TemplateError(`'${text[offset]}' has no meaning in an expression`, at)
}
