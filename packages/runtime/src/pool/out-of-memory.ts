import { count, fault, type WeftError } from '../errors'

/** The device has refused memory, and said `text` about it. */
export const outOfMemory = (
  { size, label }: { readonly size: number; readonly label: string },
  text: string,
): WeftError =>
  fault(
    'out-of-memory',
    `the device gave no buffer of ${count(size)} bytes ('${label}'): ${text}`,
    'buffers that were kept for reuse are free now: try again, or destroy what is not needed',
  )
