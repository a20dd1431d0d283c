/** One execution of a section. */
export interface Execution {
  readonly name: string
  readonly parent: Execution | null
  /** Milliseconds of `performance.now()`. */
  readonly begin: number
  /** null while it runs. */
  end: number | null
  /** Something of it was not measured, so the sum of its times would be too small. */
  incomplete: boolean
}

/** `layer/attention`: an execution's name behind those of the executions around it. */
export const pathOf = ({ name, parent }: Execution): string => (parent ? `${pathOf(parent)}/${name}` : name)

/** The execution and those around it, the innermost first. */
export function* outward(execution: Execution | null): Generator<Execution> {
  for (let at = execution; at !== null; at = at.parent) yield at
}

/** The innermost execution that all of `executions` are in. */
export function common(executions: readonly (Execution | null)[]): Execution | null {
  const [first = null, ...others] = executions
  for (const candidate of outward(first)) {
    if (others.every((other) => [...outward(other)].includes(candidate))) return candidate
  }
  return null
}

/**
 * Which section the program is in. JavaScript does not say which of several interleaved async functions called, so
 * it is the one that was opened last and has not ended; sections that run side by side are counted as `overlaps`.
 */
export class Sections {
  executions: Execution[] = []
  overlaps = 0
  readonly #open: Execution[] = []

  get current(): Execution | null {
    return this.#open.at(-1) ?? null
  }

  async run<T>(name: string, body: () => T | Promise<T>): Promise<T> {
    const execution = {
      name,
      parent: this.current,
      begin: performance.now(),
      end: null as number | null,
      incomplete: false,
    }
    this.#open.push(execution)
    this.executions.push(execution)
    try {
      return await body()
    } finally {
      execution.end = performance.now()
      if (this.current !== execution) this.overlaps++
      this.#open.splice(this.#open.lastIndexOf(execution), 1)
    }
  }

  forget(): void {
    this.executions = [...this.#open]
    this.overlaps = 0
  }
}
