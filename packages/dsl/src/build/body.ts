import { fail, type Session } from './context'
import { exprState, Handle, isHandle, NOBODY } from './handle'
import { constant, describe } from './lift'

/** What the builder of one body works on. */
export interface Body {
  readonly session: Session
  /** The number of invocations of a workgroup, where it is fixed. */
  readonly invocations: number | null
  readonly variant: string
}

/**
 * A method of the builder, as a function of the body. They are put on one prototype, once: a builder is made for every
 * kernel and every function, and closures for a hundred methods would cost more than a small kernel.
 */
export type Method = (body: Body, ...args: readonly never[]) => unknown
export type Methods = Readonly<Record<string, Method>>

/** The value of `x`, which must be an expression or a JavaScript value that a type can be given. */
export function handleOf(x: unknown, what: string): Handle {
  if (isHandle(x)) return x
  if (typeof x === 'boolean') return new Handle(exprState(constant('bool', x), NOBODY, 0))
  if (typeof x === 'number')
    return fail(
      'untyped-number',
      `${what} is the number ${x}, which has no type`,
      `give it one: f32(${x}), u32(${x}), …`,
    )
  return fail('bad-argument', `${what} is ${describe(x)}`, 'an expression is expected')
}
