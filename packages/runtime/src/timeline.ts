/**
 * Keeps effects in the order of the calls that asked for them. Usually nothing is waiting and a step runs at once;
 * while a pipeline compiles, what comes after its dispatch – other dispatches, uploads, readbacks – waits behind it.
 * Steps hand work over and return; a promise that they have to give goes inside an object, so that nobody awaits it.
 */
export class Timeline {
  #tail: Promise<void> | null = null

  /** Runs `step` after everything that was pushed before: at once, with its own result, when nothing is waiting. */
  push<T>(step: () => T): T | Promise<T> {
    return this.after(undefined, step)
  }

  /** The same, but not before `ready`, whose value the step gets. A step that fails, or whose `ready` does, holds up nothing. */
  after<R, T>(ready: R | Promise<R>, step: (ready: R) => T): T | Promise<T> {
    if (this.#tail === null && !(ready instanceof Promise)) return step(ready)
    const before = this.#tail
    const result = (async () => {
      await before
      return step(await ready)
    })()
    const tail: Promise<void> = result.then(
      () => this.#leave(tail),
      () => this.#leave(tail),
    )
    this.#tail = tail
    return result
  }

  get idle(): boolean {
    return this.#tail === null
  }

  /** Resolves when everything that was pushed so far has run or failed. */
  async settled(): Promise<void> {
    await this.#tail
  }

  #leave(tail: Promise<void>): void {
    if (this.#tail === tail) this.#tail = null
  }
}
