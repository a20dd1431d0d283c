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
