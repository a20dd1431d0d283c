import type { Call } from './call'

/** Something that was recorded, by which a rejected submit can be explained. */
export type Part = Call | Copying

/** What a submit consists of, in order. */
export type Recorded = readonly (Part | readonly Part[])[]

export interface Copying {
  readonly title: string
  encode(encoder: GPUCommandEncoder): void
  /** Encodes it once more, so that the device checks it and does nothing. */
  rehearse(encoder: GPUCommandEncoder): void
}

export function copying(
  title: string,
  from: GPUBuffer,
  fromOffset: number,
  to: GPUBuffer,
  toOffset: number,
  size: number,
): Copying {
  const copy = (encoder: GPUCommandEncoder, bytes: number): void =>
    encoder.copyBufferToBuffer(from, fromOffset, to, toOffset, bytes)
  return { title, encode: (encoder) => copy(encoder, size), rehearse: (encoder) => copy(encoder, 0) }
}
