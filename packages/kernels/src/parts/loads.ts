import type { Storage } from './storage'

/** Elements of a load of 16 bytes, which rows begin at multiples of. */
export const perLoad = (storage: Storage): 4 | 8 => (storage === 'f16' ? 8 : 4)
