/**
 * An own property that is computed when it is first read. It is enumerable, so `JSON.stringify` computes it, too:
 * what nobody asks for costs nothing, and data stay data.
 *
 * All objects share the getter of a key: with one of their own, each would have a hidden class of its own, which lives
 * until a full collection of garbage and holds all that the getter knows.
 */
export function lazy<T extends object, K extends keyof T & string>(target: T, key: K, make: () => T[K]): void {
  let shared = SHARED.get(key)
  if (!shared) SHARED.set(key, (shared = sharedOf(key)))
  Object.defineProperty(target, shared.maker, { value: make })
  Object.defineProperty(target, key, shared.getter)
}

interface Shared {
  readonly maker: symbol
  readonly getter: PropertyDescriptor
}

const SHARED = new Map<string, Shared>()

function sharedOf(key: string): Shared {
  const maker = Symbol(key)
  return {
    maker,
    getter: {
      enumerable: true,
      configurable: true,
      get(this: Record<symbol, () => unknown>) {
        const value = this[maker]?.()
        Object.defineProperty(this, key, { enumerable: true, configurable: true, value })
        return value
      },
    },
  }
}
