import type { WeftError } from './errors'

/** The life of a device: once it has ended, everything pending rejects with the reason, and so does all that comes later. */
export class Life {
  #ended: WeftError | null = null
  #failure: WeftError | null = null
  readonly #pending = new Set<(reason: WeftError) => void>()

  get ended(): WeftError | null {
    return this.#ended
  }

  /** Throws the reason when the life has ended. */
  check(): void {
    if (this.#ended) throw this.#ended
  }

  /** Notes that something failed, for those who ask later; the first failure is kept. */
  failed(error: WeftError): void {
    this.#failure ??= error
  }

  /** The first failure since the last call. */
  takeFailure(): WeftError | null {
    const failure = this.#failure
    this.#failure = null
    return failure
  }

  end(reason: WeftError): void {
    if (this.#ended) return
    this.#ended = reason
    for (const reject of this.#pending) reject(reason)
    this.#pending.clear()
  }

  /**
   * `promise`, or a rejection as soon as the life ends. Not `Promise.race` with one long-lived promise, which would
   * keep a reaction for every call ever made.
   */
  during<T>(promise: Promise<T>): Promise<T> {
    if (this.#ended) {
      promise.catch(() => undefined)
      return Promise.reject(this.#ended)
    }
    return new Promise<T>((resolve, reject) => {
      this.#pending.add(reject)
      promise.then(
        (value) => {
          this.#pending.delete(reject)
          resolve(value)
        },
        (error: unknown) => {
          this.#pending.delete(reject)
          reject(this.#ended ?? error)
        },
      )
    })
  }
}
