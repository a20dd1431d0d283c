// The lab's device as one peer sees it: calls of the peer, and of nobody else, can be watched and mended there.

type Overrides<T extends object> = { [K in keyof T]?: T[K] }

/** An object that behaves as `target` but for `overrides`; what is set on it stays on it. */
export function facade<T extends object>(target: T, overrides: Overrides<T> = {}): T {
  const own: Record<PropertyKey, unknown> = { ...overrides }
  const bound = new Map<unknown, unknown>()
  return new Proxy(target, {
    get: (_, key) => {
      if (Object.hasOwn(own, key)) return own[key]
      const value = Reflect.get(target, key, target)
      if (typeof value !== 'function') return value
      // methods of native objects refuse any other `this`
      if (!bound.has(value)) bound.set(value, value.bind(target))
      return bound.get(value)
    },
    set: (_, key, value) => {
      own[key] = value
      return true
    },
  })
}

/** `navigator.gpu` for libraries that open a device by themselves: whatever they ask for, they get this one. */
export function gpuOf(gpu: GPU, device: GPUDevice): GPU {
  return facade(gpu, {
    requestAdapter: async (options) => {
      const adapter = await gpu.requestAdapter(options)
      return adapter && facade(adapter, { requestDevice: async () => device })
    },
  })
}

/** Runs `work` while `navigator.gpu` is another. */
export async function withGpu<T>(gpu: GPU, work: () => Promise<T>): Promise<T> {
  const usual = Object.getOwnPropertyDescriptor(globalThis, 'navigator') as PropertyDescriptor
  const value = { gpu, userAgent: 'node', hardwareConcurrency: 1 }
  Object.defineProperty(globalThis, 'navigator', { value, configurable: true })
  try {
    return await work()
  } finally {
    Object.defineProperty(globalThis, 'navigator', usual)
  }
}
