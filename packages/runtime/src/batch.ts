import { type Gathered, quiet, type Work } from './work'

/**
 * A batch: from its start to its end everything is recorded into one submit, in the order of the calls. Batches nest;
 * the outermost one submits. Reads within it submit what is recorded so far.
 */
export class Batch {
  readonly #work: Work
  readonly #gathered: Gathered
  #ended: Promise<void> | null = null

  constructor(work: Work) {
    this.#work = work
    this.#gathered = work.gather()
    work.timeline.push(() => work.backend.stream.enter())
  }

  /**
   * Ends it; again: nothing. Resolves when the device has accepted what the batch did – a batch within another, which
   * submits nothing yet, resolves at once – and rejects with the first failure among it.
   */
  end(): Promise<void> {
    this.#ended ??= quiet(this.#end())
    return this.#ended
  }

  [Symbol.dispose](): void {
    void this.end()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end()
  }

  async #end(): Promise<void> {
    const { timeline, backend, life } = this.#work
    const left = timeline.push(() => {
      const outcome = backend.stream.leave()
      return { outcome, batched: backend.stream.batching }
    })
    this.#work.gatherNoMore(this.#gathered)
    await this.#work.promised(left)
    if ((await left).batched) return
    const failure = await life.during(this.#gathered.all())
    if (failure) throw failure
  }
}
