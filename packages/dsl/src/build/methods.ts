import { PURE, type PureName } from '../ops'
import { laneCount } from '../types'
import { apply } from './apply'
import { Handle, STATE } from './handle'
import { step, swizzle } from './ref'

/**
 * Puts the operators of the op table, and lanes, on expressions. A function and not an effect of importing this module:
 * bundlers drop modules whose exports nobody uses.
 */

const METHODS: readonly PureName[] = [
  'add',
  'sub',
  'mul',
  'div',
  'rem',
  'neg',
  'eq',
  'ne',
  'lt',
  'le',
  'gt',
  'ge',
  'bitAnd',
  'bitOr',
  'bitXor',
  'bitNot',
  'shl',
  'shr',
  'not',
]

const define = (name: string, value: (this: Handle, ...args: unknown[]) => unknown): void => {
  Object.defineProperty(Handle.prototype, name, { value, configurable: true })
}

let installed = false

export function installMethods(): void {
  if (installed) return
  installed = true
  for (const op of METHODS) {
    const unary = PURE[op].in.length === 1
    define(op, function (...args) {
      return apply(op, unary ? [this] : [this, args[0]])
    })
  }

  // On vectors of bools `&&` does not exist: lane by lane it is `&`.
  for (const [name, vector] of [
    ['and', 'boolAnd'],
    ['or', 'boolOr'],
  ] as const) {
    define(name, function (other) {
      return apply(laneCount(this.type) > 1 ? vector : name, [this, other])
    })
  }

  define('at', function (...indices) {
    return indices.reduce<Handle>(step, this)
  })
  define('swizzle', function (pattern) {
    return swizzle(this, String(pattern))
  })
  for (const pattern of ['x', 'y', 'z', 'w', 'xy', 'yz', 'zw', 'xz', 'yw', 'xyz', 'yzw']) {
    Object.defineProperty(Handle.prototype, pattern, {
      configurable: true,
      get(this: Handle) {
        return swizzle(this, pattern)
      },
    })
  }
}

/** The built-in functions, by their WGSL names. */
const functions: Record<string, unknown> = {}
for (const [name, row] of Object.entries(PURE)) {
  if (row.form === 'call' && !('member' in row)) functions[name] = (...args: unknown[]) => apply(name as PureName, args)
}
functions.frexp = (x: unknown) => ({ fract: optional('frexpFract', x), exp: optional('frexpExp', x) })
functions.modf = (x: unknown) => ({ fract: optional('modfFract', x), whole: optional('modfWhole', x) })

/** One of two results: who asks for both need not use both. */
function optional(op: PureName, x: unknown): Handle {
  const made = apply(op, [x])
  made[STATE].used = true
  return made
}

export const builtinFunctions: Readonly<Record<string, unknown>> = Object.freeze(functions)
