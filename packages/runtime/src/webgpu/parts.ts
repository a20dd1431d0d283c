import type { Call } from './call'

/** Something that was recorded, by which a rejected submit can be explained. */
export type Part = Call | Copying

/** What a submit consists of, in order. */
export type Recorded = readonly (Part | readonly Part[])[]

export interface Copying {
  readonly title: string
  /** With 0 `bytes` the device checks it and does nothing. */
  encode(encoder: GPUCommandEncoder, bytes?: number): void
}

export function copying(
  title: string,
  from: GPUBuffer,
  fromOffset: number,
  to: GPUBuffer,
  toOffset: number,
  size: number,
): Copying {
  return {
    title,
    encode: (encoder, bytes = size) => encoder.copyBufferToBuffer(from, fromOffset, to, toOffset, bytes),
  }
}
