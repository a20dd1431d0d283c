import { TAKEN } from './reserved'

/**
 * Names of a module, of one function, or of members. A name that the author gave stays as it is unless WGSL has it
 * reserved or something visible is called so already; then a suffix makes it unique, so two names never become one.
 */
export class Names {
  /** For each visible name, the first suffix that may be free. */
  readonly #next: Map<string, number>
  /** Names and what `#next` held of them before each change, and how many there were when each open scope was opened. */
  readonly #undo: (string | number | undefined)[] = []
  readonly #scopes: number[] = []

  /** `visible`: names from outside that must not be hidden. */
  constructor(
    visible: readonly string[] = [],
    readonly reserved = TAKEN,
  ) {
    this.#next = new Map(visible.map((name) => [name, 1]))
  }

  /** Declares a name that is visible until the scope that is open now closes, and gives its spelling. */
  declare(wanted: string): string {
    const base = identifier(wanted)
    let name = this.reserved.has(base) ? `${base}_` : base
    if (this.#next.has(name)) {
      let n = this.#next.get(base) ?? 1
      do name = `${base}_${n++}`
      while (this.#next.has(name))
      this.#set(base, n)
    }
    this.#set(name, 1)
    return name
  }

  open(): void {
    this.#scopes.push(this.#undo.length)
  }

  close(): void {
    const length = this.#scopes.pop() ?? 0
    while (this.#undo.length > length) {
      const next = this.#undo.pop() as number | undefined
      const name = this.#undo.pop() as string
      if (next === undefined) this.#next.delete(name)
      else this.#next.set(name, next)
    }
  }

  #set(name: string, next: number): void {
    this.#undo.push(name, this.#next.get(name))
    this.#next.set(name, next)
  }
}

const LEGAL = /^(?!__|_$)[\p{XID_Start}_]\p{XID_Continue}*$/u

/** A legal identifier: the name itself where it is one. */
function identifier(name: string): string {
  if (LEGAL.test(name)) return name
  const cleaned = name.replace(/[^\p{XID_Continue}]/gu, '_').replace(/^_+/, '')
  return LEGAL.test(cleaned) ? cleaned : `v_${cleaned}`
}

/** Whether WGSL can have the name as it is, if nothing else has it. */
export const keepsName = (name: string): boolean => identifier(name) === name && !TAKEN.has(name)
