import type { Expr, Place, Root } from '../../ir'
import { isValue, spell, type Type } from '../../types'
import { elementOf, isIndexType, pointerType } from '../places'
import type { Expressions } from './expressions'

/** Places: that the root exists, and that each step fits the type before it. */
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
        if (!seen)
          context.report(
            'out-of-scope',
            `${found ? `'${found.what.name}'` : `variable ${root.id}`} is used outside the block that declares it`,
            at,
          )
        return { scope: seen ? found.scope : 0, type: seen ? found.what.type : null }
      }
      case 'pointer': {
        const type = pointerType(root.name, this.x.func)
        if (!type) context.report('unknown-name', `there is no pointer parameter '${root.name}'`, at)
        return { scope: this.x.funcScope, type: type?.of ?? null }
      }
      case 'view':
        return { scope: this.view(root, at), type: root.type }
    }
  }

  private view(root: Extract<Root, { kind: 'view' }>, at: number): number {
    const type = this.x.context.bindings.get(root.name)?.type
    if (!type || isValue(type) || type.kind !== 'buffer')
      this.x.context.report('unknown-name', `there is no buffer binding '${root.name}' to view`, at)
    if (!isIndexType(root.offset.type))
      this.x.fault(at, `the offset of a view must be u32 or i32, not ${spell(root.offset.type)}`)
    return this.x.check(root.offset, at)
  }

  /** An index into `of`, a value or a place, that gives `type`. */
  index(of: Type, index: Expr, type: Type, at: number): void {
    const inner = elementOf(of)
    if (inner === null) {
      this.x.fault(at, `${spell(of)} cannot be indexed`)
      return
    }
    if (inner !== type) this.x.expect(`an element of ${spell(of)}`, inner, type, at)
    if (!isIndexType(index.type))
      this.x.context.report('bad-index', `an index must be u32 or i32, not ${spell(index.type)}`, at)
  }

  member(of: Type, name: string, type: Type, at: number): void {
    const field = isValue(of) || of.kind !== 'struct' ? undefined : of.fields.find((f) => f.name === name)
    if (!field) this.x.context.report('unknown-name', `${spell(of)} has no member '${name}'`, at)
    else if (field.type !== type) this.x.expect(`member '${name}'`, field.type, type, at)
  }
}
