import type { CompiledKernel } from '@weft/codegen'
import * as g from '../../generated/sort'
import { canRun, type Device, hasSubgroupsOf } from '../parts/device'
import { RADIX_SUBGROUP, tileOf } from './plan'

export interface RadixChoice {
  readonly scatter: CompiledKernel
  /** Keys of a tile. */
  readonly tile: number
}

/** On every device. */
export const PORTABLE_RADIX: RadixChoice = { scatter: g.radix_scatter, tile: tileOf('portable') }

/** Tiles of 5,120 keys where all subgroups have 32 invocations and the device has room for them; of 1,024 elsewhere. Pure. */
export const chooseRadix = (device: Device): RadixChoice =>
  hasSubgroupsOf(RADIX_SUBGROUP, device) && canRun(g.radix_scatter_32, device)
    ? { scatter: g.radix_scatter_32, tile: tileOf('subgroups') }
    : PORTABLE_RADIX
