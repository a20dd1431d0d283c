import { PURE, type PureName } from '../ops'
import { laneCount } from '../types'
import { apply } from './apply'
import { Handle } from './handle'
import { Ref, step, swizzle } from './ref'

/** Puts the operators of the op table, and lanes, on expressions. */

const METHODS: readonly PureName[] = ['add', 'sub', 'mul', 'div', 'rem', 'neg', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'bitAnd', 'bitOr', 'bitXor', 'bitNot', 'shl', 'shr', 'not']

const define = (name: string, value: (this: Handle, ...args: unknown[]) => unknown): void => {
  Object.defineProperty(Handle.prototype, name, { value, configurable: true })
}

for (const op of METHODS) {
  define(op, function (...args) {
    return apply(op, [this, ...args])
  })
}

// On vectors of bools `&&` does not exist: lane by lane it is `&`.
for (const [name, vector] of [['and', 'boolAnd'], ['or', 'boolOr']] as const) {
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

/** The built-in functions, by their WGSL names. */
const functions: Record<string, unknown> = {}
for (const [name, row] of Object.entries(PURE)) {
  if (row.form === 'call' && !('member' in row)) functions[name] = (...args: unknown[]) => apply(name as PureName, args)
}
functions['frexp'] = (x: unknown) => ({ fract: apply('frexpFract', [x]), exp: apply('frexpExp', [x]) })
functions['modf'] = (x: unknown) => ({ fract: apply('modfFract', [x]), whole: apply('modfWhole', [x]) })

export const builtinFunctions: Readonly<Record<string, unknown>> = Object.freeze(functions)

export { Ref }
