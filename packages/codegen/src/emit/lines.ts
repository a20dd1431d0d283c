/** Lines of WGSL, each with the number of the builder's call that it comes from, or −1. */
export interface Output {
  readonly lines: string[]
  readonly ats: number[]
  indent: string
}

export const output = (): Output => ({ lines: [], ats: [], indent: '' })

export function line(out: Output, text: string, at = -1): void {
  out.lines.push(out.indent + text)
  out.ats.push(at)
}

/** An empty line, unless there is one. */
export function gap(out: Output): void {
  if (out.lines.length > 0 && out.lines.at(-1) !== '') line(out, '')
}
