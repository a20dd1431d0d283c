import { EFFECTS, type EffectName, PURE, type PureName, type Row } from '../ops'
import { apply } from './apply'
import { atomic } from './effects'
import { Handle, STATE } from './handle'
import { ArrayHandle, AtomicHandle, BufferHandle, lanesOf, lengthOf, set, step, swizzle, TextureHandle } from './place'
import { textureMethods } from './textures'
import { byteLength, view } from './views'

/**
 * Puts the operators of the op table, lanes, assignment and the rest on handles. A function and not an effect of
 * importing this module: bundlers drop modules whose exports nobody uses.
 */

type Method = (handle: Handle, ...args: readonly never[]) => unknown

const define = (of: typeof Handle, name: string, method: Method): void => {
  Object.defineProperty(of.prototype, name, {
    configurable: true,
    value(this: Handle, ...args: never[]): unknown {
      return method(this, ...args)
    },
  })
}
const getter = (of: typeof Handle, name: string, get: (handle: Handle) => unknown): void => {
  Object.defineProperty(of.prototype, name, {
    configurable: true,
    get(this: Handle): unknown {
      return get(this)
    },
  })
}

let installed = false

export function installMethods(): void {
  if (installed) return
  installed = true
  for (const [name, row] of Object.entries<Row>(PURE)) {
    if (row.form === 'call') continue
    const op = name as PureName
    const unary = row.in.length === 1
    define(Handle, name, (a, b) => apply(op, unary ? [a] : [a, b]))
    // bitAnd is andAssign; comparisons give another type
    const assign = `${name.replace('bit', '').toLowerCase()}Assign`
    if (!unary && row.out === 'T' && !row.over.includes('bool'))
      define(Handle, assign, (a, b) => set(a, apply(op, [a, b])))
  }
  // `&&` takes no vectors: lane by lane it is `&`
  const isVector = (a: Handle): boolean => a.type.startsWith('vec')
  define(Handle, 'and', (a, b) => apply(isVector(a) ? 'boolAnd' : 'and', [a, b]))
  define(Handle, 'or', (a, b) => apply(isVector(a) ? 'boolOr' : 'or', [a, b]))
  define(Handle, 'at', (a, ...indices) => indices.reduce<Handle>(step, a))
  define(Handle, 'swizzle', (a, pattern) => swizzle(a, String(pattern)))
  for (const pattern of ['x', 'y', 'z', 'w', 'xy', 'yz', 'zw', 'xz', 'yw', 'xyz', 'yzw']) {
    const lanes = lanesOf(pattern)
    getter(Handle, pattern, (a) => swizzle(a, pattern, lanes))
  }
  define(Handle, 'set', set)

  getter(ArrayHandle, 'length', lengthOf)
  getter(BufferHandle, 'byteLength', byteLength)
  define(BufferHandle, 'view', view)
  for (const [name, method] of Object.entries(textureMethods)) define(TextureHandle, name, method as Method)
  for (const [op, row] of Object.entries(EFFECTS)) {
    // atomicCompareExchangeWeak is compareExchangeWeak
    const name = op.slice('atomic'.length).replace(/^./, (c) => c.toLowerCase())
    if (row.family === 'atomic') define(AtomicHandle, name, (a, ...args) => atomic(a, op as EffectName, args))
  }
}

type BuiltinFunction = (...args: readonly unknown[]) => unknown

/** One of two results: who asks for both need not use both. */
function optional(op: PureName, x: unknown): Handle {
  const made = apply(op, [x])
  made[STATE].used = true
  return made
}

/** The built-in functions, by their WGSL names. */
export const builtinFunctions: Readonly<Record<string, BuiltinFunction>> = Object.freeze({
  ...Object.fromEntries(
    Object.entries(PURE)
      .filter(([, row]) => row.form === 'call' && !('member' in row))
      .map(([op]): [string, BuiltinFunction] => [op, (...args) => apply(op as PureName, args)]),
  ),
  frexp: (x: unknown) => ({ fract: optional('frexpFract', x), exp: optional('frexpExp', x) }),
  modf: (x: unknown) => ({ fract: optional('modfFract', x), whole: optional('modfWhole', x) }),
})
