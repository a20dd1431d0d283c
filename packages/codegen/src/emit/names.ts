import { TAKEN } from './reserved'

interface Scope {
  isOpen: boolean
  /** Names from outside of it, and what suffix was the first to be free before it. */
  readonly counted: [Name, number][]
}

interface Name {
  scope: Scope
  /** The first suffix that may be free. */
  next: number
}

/**
 * Names of a module, of one function, or of members. A name that the author gave stays as it is unless WGSL has it
 * reserved or something visible is called so already; then a suffix makes it unique, so two names never become one.
 */
export class Names {
  /** All that were ever declared: those are visible whose scope is open. */
  readonly #names = new Map<string, Name>()
  readonly #outer: Scope[] = []
  #scope: Scope = { isOpen: true, counted: [] }

  /** `visible`: names from outside that must not be hidden. */
  constructor(
    visible: readonly string[] = [],
    readonly reserved = TAKEN,
  ) {
    for (const name of visible) this.#declare(name)
  }

  /** Declares a name that is visible until the scope that is open now closes, and gives its spelling. */
  declare(wanted: string): string {
    let base = wanted
    let known = this.#visible(base)
    if (known === undefined) {
      base = identifier(wanted)
      const name = this.reserved.has(base) ? `${base}_` : base
      known = this.#visible(name)
      if (known === undefined) return this.#declare(name)
    }
    let n = known.next
    while (this.#visible(`${base}_${n}`)) n++
    if (known.scope !== this.#scope) this.#scope.counted.push([known, known.next])
    known.next = n + 1
    return this.#declare(`${base}_${n}`)
  }

  open(): void {
    this.#outer.push(this.#scope)
    this.#scope = { isOpen: true, counted: [] }
  }

  close(): void {
    this.#scope.isOpen = false
    for (const [name, next] of this.#scope.counted.reverse()) name.next = next
    this.#scope = this.#outer.pop() as Scope
  }

  #visible(name: string): Name | undefined {
    const known = this.#names.get(name)
    return known?.scope.isOpen ? known : undefined
  }

  #declare(name: string): string {
    this.#names.set(name, { scope: this.#scope, next: 1 })
    return name
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
