import type { BuiltinName, PureName } from '../ops'
import { apply } from './apply'
import type { Body } from './body'
import type { Builder } from './builder-types'
import { fail, type Session } from './context'
import { control } from './control'
import { effects } from './effects'
import { exprState, Handle, type Owner, STATE } from './handle'
import { read } from './read'
import { wrapValue } from './ref'
import { variables } from './variables'

/** `k`: the methods of variables.ts, control.ts and effects.ts, and the built-in values. */

const BODY: unique symbol = Symbol('body')

class BodyBuilder {
  readonly [BODY]: Body
  readonly variant: string

  constructor(body: Body) {
    this[BODY] = body
    this.variant = body.variant
  }

  get workgroupSize(): number {
    return invocations(this[BODY])
  }

  /** The index of the workgroup over all dimensions, x fastest. */
  get workgroupIndex(): Handle {
    return linear(this[BODY].session)
  }

  get globalIndex(): Handle {
    const { session } = this[BODY]
    return quiet(
      'add',
      quiet('mul', linear(session), invocations(this[BODY])),
      builtin(session, 'local_invocation_index', 'u32'),
    )
  }
}

for (const [name, method] of Object.entries({ ...variables, ...control, ...effects })) {
  Object.defineProperty(BodyBuilder.prototype, name, {
    value(this: BodyBuilder, ...args: never[]): unknown {
      return method(this[BODY], ...args)
    },
  })
}

const BUILTIN_VALUES = {
  localIndex: ['local_invocation_index', 'u32'],
  localId: ['local_invocation_id', 'vec3u'],
  globalId: ['global_invocation_id', 'vec3u'],
  workgroupId: ['workgroup_id', 'vec3u'],
  numWorkgroups: ['num_workgroups', 'vec3u'],
  subgroupSize: ['subgroup_size', 'u32'],
  subgroupInvocationId: ['subgroup_invocation_id', 'u32'],
  subgroupId: ['subgroup_id', 'u32'],
  numSubgroups: ['num_subgroups', 'u32'],
} as const
/** Built-in values that depend on how workgroups are spread over dimensions. */
const GRID: ReadonlySet<string> = new Set(['global_invocation_id', 'workgroup_id', 'num_workgroups'])
for (const [name, [value, type]] of Object.entries(BUILTIN_VALUES)) {
  Object.defineProperty(BodyBuilder.prototype, name, {
    get(this: BodyBuilder): Handle {
      const { session } = this[BODY]
      if (GRID.has(value)) session.seesGrid = true
      return builtin(session, value, type)
    },
  })
}

export const makeBuilder = (body: Body): Builder => new BodyBuilder(body) as unknown as Builder

const moduleOwner = (session: Session): Owner => ({ session, scope: null, home: null })

/** One handle for each built-in value of a session. */
function builtin(session: Session, name: BuiltinName, type: 'u32' | 'vec3u'): Handle {
  let handle = session.builtins.get(name)
  if (!handle) {
    handle = new Handle(
      exprState(Object.freeze({ kind: 'builtin', type, name }), moduleOwner(session), 0, `built-in ${name}`),
    )
    session.builtins.set(name, handle)
  }
  return handle
}

const invocations = (body: Body): number =>
  body.invocations ??
  fail(
    'bad-argument',
    'the workgroup size is set by overrides, so its product is not known here',
    'use the overrides, or fixed numbers in workgroupSize',
  )

/** What weft itself puts in is not reported as unused. */
function quiet(op: PureName, a: Handle, b: Handle | number): Handle {
  const handle = apply(op, [a, b])
  handle[STATE].used = true
  return handle
}

function linear(session: Session): Handle {
  const lane = (of: Handle, i: number): Handle =>
    wrapValue(
      Object.freeze({ kind: 'swizzle', at: session.at(), type: 'u32', of: read(of, session), lanes: [i] }),
      moduleOwner(session),
      0,
      'a built-in',
    )
  const id = builtin(session, 'workgroup_id', 'vec3u')
  const count = builtin(session, 'num_workgroups', 'vec3u')
  const plane = quiet('add', quiet('mul', lane(id, 2), lane(count, 1)), lane(id, 1))
  return quiet('add', quiet('mul', plane, lane(count, 0)), lane(id, 0))
}
