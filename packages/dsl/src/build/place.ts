import type { Expr, Place, Root } from '../ir'
import type { Access, Type } from '../types'
import type { Scope, Session } from './context'

/** A place without steps: the whole of a variable, binding, pointer or view. */
export const rootPlace = (root: Root, type: Type): Place => Object.freeze({ kind: 'place', type, root, steps: [] })

export interface RefOptions {
  readonly session: Session
  readonly scope: Scope | null
  readonly access: Access
  readonly label: string
  /** Read when it is made (elements, lanes, fields), not at each mention (variables). */
  readonly eager: boolean
  /** The value of a lane of something that was read already. */
  readonly known?: Expr
}
