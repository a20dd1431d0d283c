const INDENTS = ['']

/** Lines of WGSL, each with the number of the builder's call that it comes from, or −1. */
export class Output {
  readonly ats: number[] = []
  #lines: string[] = []
  #last = ''
  #depth = 0

  line(text: string, at = -1): void {
    this.#lines.push(INDENTS[this.#depth] + text)
    this.#last = text
    this.ats.push(at)
  }

  /** An empty line, unless there is one. */
  gap(): void {
    if (this.#last !== '') this.line('')
  }

  /** The text since the last call of this. */
  take(): string {
    const lines = this.#lines
    this.#lines = []
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`
  }

  indent(): void {
    INDENTS[++this.#depth] ??= '  '.repeat(this.#depth)
  }

  dedent(): void {
    this.#depth--
  }
}
