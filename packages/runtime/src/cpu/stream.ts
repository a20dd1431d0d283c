import type { Stream } from '../backend'
import type { Outcome } from '../memory'

const DONE: Outcome = Promise.resolve(null)

/** On the CPU work is done when it is handed over: a batch is kept in mind, and nothing waits for its end. */
export class CpuStream implements Stream {
  readonly submits = 0
  #depth = 0

  get batching(): boolean {
    return this.#depth > 0
  }

  enter(): void {
    this.#depth++
  }

  leave(): Outcome {
    this.#depth--
    return DONE
  }

  flush(): Outcome {
    return DONE
  }

  room(): null {
    return null
  }
}
