import { firstOf } from '../errors'

/**
 * Runs `action` inside error scopes. Scopes are a stack of the whole device, so whatever is awaited between push and
 * pop could catch another caller's error: `action` is synchronous, and the promise is of its own errors only.
 */
export function scoped<T>(
  device: GPUDevice,
  filters: readonly GPUErrorFilter[],
  action: () => T,
): { readonly value: T; readonly error: Promise<GPUError | null> } {
  let value: T
  let errors: Promise<GPUError | null>[] = []
  for (const filter of filters) device.pushErrorScope(filter)
  try {
    value = action()
  } finally {
    // a lost device may refuse; its loss is reported elsewhere
    errors = filters.map(() => device.popErrorScope().catch(() => null))
  }
  return { value, error: firstOf(errors) }
}
