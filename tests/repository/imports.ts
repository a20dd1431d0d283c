/** Every import of a TypeScript source, and where it leads; a lexer over comments and strings, no type checker. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Import {
  readonly specifier: string
  /** `import type`, `export type … from`, or every name of its braces marked `type`. */
  readonly typeOnly: boolean
  readonly dynamic: boolean
  readonly line: number
}

export function sourcesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((item) => (item.isDirectory() ? sourcesBelow(join(folder, item.name)) : [join(folder, item.name)]))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.includes('/testing/'))
    .sort()
}

/**
 * The text with comments blanked and the contents of strings and templates replaced by `\0`, each in its length, so
 * that a word `import` in either is not taken for one and offsets stay what they were. A regular expression is taken
 * for code: one with a quote in it could hide what follows on its line, and no further.
 */
export function blank(text: string): string {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`/g
  return text.replace(token, (found) =>
    found.startsWith('/')
      ? found.replace(/[^\n]/g, ' ')
      : found[0] + found.slice(1, -1).replace(/[^\n]/g, '\0') + found[0],
  )
}

const STATIC = /(?<![\w$.])(import|export)\b(\s+type\b(?!\s+from\b|\s*,))?([\s\w$*,{}]*?)\bfrom\s*(['"])(\0+)\4/g
const SIDE_EFFECT = /(?<![\w$.])import\s*(['"])(\0+)\1/g
const CALL = /(?<![\w$.])import\s*\(\s*(['"`])(\0+)\1/g
/** `import('x').Name` in a type: after `typeof`, in an alias, or where only a type can stand. */
const TYPE_CALL = /\btypeof\s+$|\btype\s[^=;]*=\s*$|[:<|&]\s*$/

export function importsOf(text: string): Import[] {
  const code = blank(text)
  const found: Import[] = []
  const add = (end: number, length: number, typeOnly: boolean, dynamic: boolean) => {
    const specifier = text.slice(end - 1 - length, end - 1)
    found.push({ specifier, typeOnly, dynamic, line: text.slice(0, end).split('\n').length })
  }
  for (const match of code.matchAll(STATIC)) {
    const [whole, , type, names = '', , path = ''] = match
    const braces = /^\s*\{([^}]*)\}\s*$/.exec(names)?.[1]
    const listed = braces?.split(',').filter((name) => name.trim() !== '')
    const typeOnly = type !== undefined || (listed?.length ? listed.every((name) => /^\s*type\s/.test(name)) : false)
    add(match.index + whole.length, path.length, typeOnly, false)
  }
  for (const match of code.matchAll(SIDE_EFFECT))
    add(match.index + match[0].length, match[2]?.length ?? 0, false, false)
  for (const match of code.matchAll(CALL)) {
    const typeOnly = TYPE_CALL.test(code.slice(Math.max(0, match.index - 100), match.index))
    add(match.index + match[0].length, match[2]?.length ?? 0, typeOnly, !typeOnly)
  }
  return found
}

export const importsOfFile = (path: string): Import[] => importsOf(readFileSync(path, 'utf8'))
