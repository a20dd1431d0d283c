import type { Expr, Place, Root } from '../../ir'
import { factsOf, isMatrix, isScalar, isValue, isVector, scalarOf, spell, vectorName, type Access, type Type } from '../../types'
import { isIndexType, type Expressions } from './expressions'

/** What a statement does with a place. */
export type Use = 'read' | 'write' | 'read_write'

/** Places: that the root exists, that each step fits the type before it, and that the access is allowed. */
export class Places {
  constructor(private readonly x: Expressions) {}

  /** Checks a place without its use; gives the innermost scope that it needs. */
  check(place: Place, at: number): number {
    let { scope, type } = this.root(place.root, at)
    for (const step of place.steps) {
      if (step.kind === 'index') {
        scope = Math.max(scope, this.x.check(step.index, at))
        if (type) this.index(type, step.index, step.type, at)
      } else if (type) this.member(type, step.name, step.type, at)
      type = step.type
    }
    if (type) this.x.expect('the place', type, place.type, at)
    return scope
  }

  private root(root: Root, at: number): { scope: number; type: Type | null } {
    const { context, scopes } = this.x
    switch (root.kind) {
      case 'binding': {
        const found = context.bindings.get(root.name)
        if (!found) context.report('unknown-name', `there is no binding '${root.name}'`, at)
        return { scope: 0, type: found?.type ?? null }
      }
      case 'variable': {
        const found = scopes.variable(root.id)
        const seen = found && scopes.isOpen(found.scope)
        if (!seen) context.report('out-of-scope', `${found ? `'${found.what.name}'` : `variable ${root.id}`} is used outside the block that declares it`, at)
        return { scope: seen ? found.scope : 0, type: seen ? found.what.type : null }
      }
      case 'pointer': {
        const type = this.x.func?.params.find((p) => p.name === root.name)?.type
        if (!type || isValue(type) || type.kind !== 'ptr') {
          context.report('unknown-name', `there is no pointer parameter '${root.name}'`, at)
          return { scope: 0, type: null }
        }
        return { scope: this.x.funcScope, type: type.of }
      }
      case 'view': return { scope: this.view(root, at), type: root.type }
    }
  }

  private view(root: Extract<Root, { kind: 'view' }>, at: number): number {
    const type = this.x.context.bindings.get(root.name)?.type
    if (!type || isValue(type) || type.kind !== 'buffer') this.x.context.report('unknown-name', `there is no buffer binding '${root.name}' to view`, at)
    if (!isIndexType(root.offset.type)) this.x.fault(at, `the offset of a view must be u32 or i32, not ${spell(root.offset.type)}`)
    return this.x.check(root.offset, at)
  }

  /** An index into `of`, a value or a place, that gives `type`. */
  index(of: Type, index: Expr, type: Type, at: number): void {
    const { context } = this.x
    const inner = elementOf(of)
    if (inner === null) {
      this.x.fault(at, `${spell(of)} cannot be indexed`)
      return
    }
    if (inner !== type) this.x.expect(`an element of ${spell(of)}`, inner, type, at)
    if (!isIndexType(index.type)) {
      context.report('bad-index', `an index must be u32 or i32, not ${spell(index.type)}`, at)
      return
    }
    const known = this.x.constants.number(index)
    if (known === null) return
    const count = countOf(of)
    if (known < 0 || (count !== null && known >= count)) {
      context.report('bad-index', `index ${known} is out of range of ${spell(of)}`, at)
    }
  }

  member(of: Type, name: string, type: Type, at: number): void {
    const field = isValue(of) || of.kind !== 'struct' ? undefined : of.fields.find((f) => f.name === name)
    if (!field) this.x.context.report('unknown-name', `${spell(of)} has no member '${name}'`, at)
    else if (field.type !== type) this.x.expect(`member '${name}'`, field.type, type, at)
  }

  /** The access that the root allows; null where it is unknown and was reported. */
  access(root: Root): Access | null {
    switch (root.kind) {
      case 'binding': case 'view': return this.x.context.bindings.get(root.name)?.access ?? null
      case 'variable': return 'read_write'
      case 'pointer': {
        const type = this.x.func?.params.find((p) => p.name === root.name)?.type
        return type && !isValue(type) && type.kind === 'ptr' ? (type.space === 'uniform' ? 'read' : type.access) : null
      }
    }
  }

  /** Reports a use against the access of the root, and remembers what is written. */
  use(place: Place, use: Use, at: number): void {
    const { root } = place
    const { context } = this.x
    if (use !== 'read' && (root.kind === 'binding' || root.kind === 'view')) context.written.add(root.name)
    const access = this.access(root)
    if (access === null || access === 'read_write' || access === use) return
    const name = root.kind === 'variable' ? '' : root.name
    const type = root.kind === 'binding' ? context.bindings.get(name)?.type : undefined
    const note = `declare it inout(${type ? spell(type) : '…'}) to read and write it`
    if (use === 'read_write') context.report('binding-access', `'${name}' is ${ROLE[access]} and cannot be read and written at once`, at, note)
    else context.report('binding-access', `'${name}' is ${ROLE[access]} and cannot be ${use === 'read' ? 'read' : 'written'}`, at, note)
  }
}

const ROLE: { readonly [A in Access]: string } = { read: 'an input', write: 'an output', read_write: 'both' }

/** The type of an element of an array, a column of a matrix, a lane of a vector; null for what cannot be indexed. */
export function elementOf(type: Type): Type | null {
  if (!isValue(type)) return type.kind === 'array' ? type.of : null
  if (isScalar(type)) return null
  return isMatrix(type) ? vectorName(scalarOf(type), factsOf(type).rows) : scalarOf(type)
}

/** How many elements; null where that is known at run time only. */
export function countOf(type: Type): number | null {
  if (isValue(type)) return isVector(type) ? factsOf(type).rows : factsOf(type).cols
  return type.kind === 'array' && typeof type.count === 'number' ? type.count : null
}
