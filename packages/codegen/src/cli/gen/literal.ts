const WIDTH = 100

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/** A string literal in single quotes. */
export const quote = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

export const key = (name: string): string => (IDENTIFIER.test(name) ? name : quote(name))

/** Code that stands in a literal in place of data. */
export class Code {
  constructor(readonly text: string) {}
}

/** Data as a TypeScript literal: on one line where it fits, else one entry a line. */
export function literal(value: unknown, indent = ''): string {
  if (value instanceof Code) return value.text
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return number(value)
  const inner = `${indent}  `
  const list = Array.isArray(value)
  const parts = (deeper: string): string[] =>
    list
      ? value.map((item) => literal(item, deeper))
      : Object.entries(value)
          .filter(([, item]) => item !== undefined)
          .map(([name, item]) => `${key(name)}: ${literal(item, deeper)}`)
  const [open, close] = list ? ['[', ']'] : ['{', '}']
  const flat = parts(inner)
  if (flat.length === 0) return `${open}${close}`
  const line = list ? `[${flat.join(', ')}]` : `{ ${flat.join(', ')} }`
  if (!line.includes('\n') && indent.length + line.length <= WIDTH) return line
  return `${open}\n${flat.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

const number = (value: unknown): string => (Object.is(value, -0) ? '-0' : String(value))

/** A template literal that holds exactly `text`. */
export const template = (text: string): string =>
  `\`${text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${')}\``

/** A doc comment of TypeScript, or '' of no text. */
export function docComment(text: string, indent = ''): string {
  if (text === '') return ''
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}
