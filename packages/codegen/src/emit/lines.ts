/** Lines of WGSL, each with the number of the builder's call that it comes from, or −1. */
export class Output {
  #text = ''
  readonly ats: number[] = []
  #indent = ''
  #last = ''

  line(text: string, at = -1): void {
    this.#text += `${this.#indent + text}\n`
    this.#last = text
    this.ats.push(at)
  }

  /** An empty line, unless there is one. */
  gap(): void {
    if (this.#last !== '') this.line('')
  }

  /** The text since the last call of this. */
  take(): string {
    const text = this.#text
    this.#text = ''
    return text
  }

  indent(): void {
    this.#indent += '  '
  }

  dedent(): void {
    this.#indent = this.#indent.slice(2)
  }
}
