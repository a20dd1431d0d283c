import { BUILTINS, type BuiltinName, type PureName } from '../ops'
import { apply } from './apply'
import type { Builder } from './builder-types'
import { control } from './control'
import { effects } from './effects'
import { fail } from './fail'
import { type Handle, STATE } from './handle'
import { swizzle, value } from './place'
import type { Session } from './session'
import { variables } from './variables'

/** `k`: the methods of variables.ts, control.ts and effects.ts, and the built-in values. */

const SESSION: unique symbol = Symbol('session')

class BodyBuilder {
  readonly [SESSION]: Session

  constructor(session: Session) {
    this[SESSION] = session
  }
}

export const makeBuilder = (session: Session): Builder => new BodyBuilder(session) as unknown as Builder

// on one prototype, once: closures for a hundred methods would cost more than a small kernel
for (const [name, method] of Object.entries({ ...variables, ...control, ...effects })) {
  Object.defineProperty(BodyBuilder.prototype, name, {
    value(this: BodyBuilder, ...args: never[]): unknown {
      return method(this[SESSION], ...args)
    },
  })
}

const getter = (name: string, get: (session: Session) => unknown): void => {
  Object.defineProperty(BodyBuilder.prototype, name, {
    configurable: true,
    get(this: BodyBuilder): unknown {
      return get(this[SESSION])
    },
  })
}

for (const [wgsl, { type }] of Object.entries(BUILTINS)) {
  // local_invocation_index is localIndex, num_workgroups is numWorkgroups
  const name = wgsl.replace(/(?<=l)_invocation/, '').replace(/_(.)/g, (_, c: string) => c.toUpperCase())
  // of these the values depend on how workgroups are spread over dimensions
  const isGrid = type === 'vec3u' && name !== 'localId'
  getter(name, (session) => {
    if (isGrid) session.seesGrid = true
    return builtin(session, wgsl as BuiltinName)
  })
}
getter('workgroupSize', invocations)
getter('variant', (session) => session.variant)
// in terms of what every device has, and not the built-ins of these names
getter('workgroupIndex', linear)
getter('globalIndex', (session) =>
  quiet('add', quiet('mul', linear(session), invocations(session)), builtin(session, 'local_invocation_index')),
)

/** One handle for each built-in value of a session. */
function builtin(session: Session, name: BuiltinName): Handle {
  let handle = session.builtins.get(name)
  if (!handle) {
    handle = value({ kind: 'builtin', type: BUILTINS[name].type, name }, session.module, `built-in ${name}`)
    session.builtins.set(name, handle)
  }
  return handle
}

function invocations({ invocations }: Session): number {
  return (
    invocations ??
    fail(
      'bad-argument',
      'the workgroup size is set by overrides, so its product is not known here',
      'use the overrides, or fixed numbers in workgroupSize',
    )
  )
}

/** What weft itself puts in is not reported as unused. */
function quiet(op: PureName, a: Handle, b: Handle | number): Handle {
  const handle = apply(op, [a, b])
  handle[STATE].used = true
  return handle
}

/** The index of the workgroup over all dimensions, x fastest. */
function linear(session: Session): Handle {
  const id = builtin(session, 'workgroup_id')
  const count = builtin(session, 'num_workgroups')
  const plane = quiet('add', quiet('mul', swizzle(id, 'z'), swizzle(count, 'y')), swizzle(id, 'y'))
  return quiet('add', quiet('mul', plane, swizzle(count, 'x')), swizzle(id, 'x'))
}
