/**
 * An own property that is computed when it is first read. It is enumerable, so `JSON.stringify` computes it, too:
 * what nobody asks for costs nothing, and data stay data.
 */
export function lazy<T extends object, K extends keyof T>(target: T, key: K, make: () => T[K]): void {
  Object.defineProperty(target, key, {
    enumerable: true,
    configurable: true,
    get() {
      const value = make()
      Object.defineProperty(target, key, { enumerable: true, configurable: true, value })
      return value
    },
  })
}
