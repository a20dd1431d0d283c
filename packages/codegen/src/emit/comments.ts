// biome-ignore lint/suspicious/noControlCharactersInRegex: everything that ends a line for WGSL
const LINE_END = /\r\n|[\n\r\u000b\u000c\u0085\u2028\u2029]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: what a compiler rejects or an editor hides
const UNPRINTABLE = /[\u0000-\u0008\u000e-\u001f\u007f\ufeff]/g

/**
 * A text of the author as lines of a comment. Everything that ends a line for WGSL is taken for a line end, so that no
 * text can leave its comment; the same for the end of a block comment, NUL and the byte order mark.
 */
export function comment(text: string): readonly string[] {
  const lines = text
    .split(LINE_END)
    .map((line) => line.replace(UNPRINTABLE, '').replace(/\*\//g, '* /').replace(/\s+$/, ''))
  while (lines.length > 0 && lines[0] === '') lines.shift()
  while (lines.length > 0 && lines.at(-1) === '') lines.pop()
  return lines.map((line) => (line === '' ? '//' : `// ${line}`))
}
