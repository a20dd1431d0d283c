import type { CompiledKernel } from '@weft/codegen'
import { badArgument } from '../host'

export type NormType = 'f32' | 'f16'

export type Pair = Readonly<Record<NormType, CompiledKernel>>

export interface Rows {
  readonly rows: number
  readonly cols: number
  /** Added to the variance; 1e-5 when left out. */
  readonly eps?: number
  readonly type?: NormType
}

export interface Groups {
  readonly items: number
  /** All channels; a multiple of `groups`. */
  readonly channels: number
  /** The product of the axes after the channels. */
  readonly places: number
  readonly groups: number
  readonly eps?: number
  readonly type?: NormType
}

export function checkGroups(what: string, { channels, groups }: Pick<Groups, 'channels' | 'groups'>): void {
  if (channels % groups !== 0)
    throw badArgument(`${what}: channels must be a multiple of groups = ${groups}, got ${channels}`)
}
