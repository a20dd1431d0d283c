import { TAKEN, WORDS } from './reserved'

/**
 * Names of a module and of its functions. A name that the author gave stays as it is unless WGSL has it reserved or
 * something visible is called so already; then a suffix makes it unique, so two names never become one.
 */
export interface Names {
  /** Declares a name that is visible until the scope that is open now closes, and gives its spelling. */
  declare(wanted: string): string
  open(): void
  close(): void
}

/** `parent`: the names of the module, for the names of a function. */
export function names(parent: ReadonlySet<string> = new Set()): Names & { readonly visible: ReadonlySet<string> } {
  const visible = new Set<string>()
  const scopes: string[][] = [[]]
  const free = (name: string): boolean => !visible.has(name) && !parent.has(name) && !TAKEN.has(name)
  return {
    visible,
    declare(wanted) {
      const base = identifier(wanted)
      let name = TAKEN.has(base) ? `${base}_` : base
      for (let n = 1; !free(name); n++) name = `${base}_${n}`
      visible.add(name)
      scopes.at(-1)?.push(name)
      return name
    },
    open() {
      scopes.push([])
    },
    close() {
      for (const name of scopes.pop() ?? []) visible.delete(name)
    },
  }
}

/** The members of one struct, by the author's name. */
export function memberNames(fields: readonly { readonly name: string }[]): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  const out = new Map<string, string>()
  for (const { name } of fields) {
    const base = identifier(name)
    let spelling = WORDS.has(base) ? `${base}_` : base
    for (let n = 1; taken.has(spelling) || WORDS.has(spelling); n++) spelling = `${base}_${n}`
    taken.add(spelling)
    out.set(name, spelling)
  }
  return out
}

const PLAIN = /^(?!__|_$)[A-Za-z_][A-Za-z0-9_]*$/
const LEGAL = /^(?:[\p{XID_Start}][\p{XID_Continue}]*|_[\p{XID_Continue}]+)$/u

/** A legal identifier: the name itself where it is one. */
function identifier(name: string): string {
  if (PLAIN.test(name)) return name
  if (LEGAL.test(name) && !name.startsWith('__')) return name
  const cleaned = name.replace(/[^\p{XID_Continue}]/gu, '_').replace(/^_+/, '')
  return /^[\p{XID_Start}]/u.test(cleaned) ? cleaned : `v_${cleaned}`
}

/** Whether WGSL can have the name as it is, if nothing else has it. */
export const keepsName = (name: string): boolean => identifier(name) === name && !TAKEN.has(name)
