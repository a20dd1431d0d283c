import type { RuntimeInfo } from '@weft/runtime'
import nvidiaH200 from '../../tuned/nvidia-h200.json'
import { type TunedDevice, type TunedResults, type Tuning, tuningOf } from './tuning'

/** What was measured for this version of the library: a file for each class of devices, written by `scripts/tuned.mjs`. */
const SHIPPED: readonly TunedResults[] = [nvidiaH200]

type Device = Pick<RuntimeInfo, 'vendor' | 'architecture' | 'device'>

/** Whether results of one device hold for another one: the same architecture of a vendor; where none is told, the same device. */
export const isLike = (measured: TunedDevice, { vendor, architecture, device }: Device): boolean =>
  vendor !== '' &&
  vendor === measured.vendor &&
  architecture === measured.architecture &&
  (architecture !== '' || (device !== '' && device === measured.device))

const found = new WeakMap<Device, Tuning>()

/** What ships for a device; it finds nothing on devices like which none was measured. */
export function tuningFor(info: Device, shipped: readonly TunedResults[] = SHIPPED): Tuning {
  const known = shipped === SHIPPED ? found.get(info) : undefined
  if (known) return known
  const tuning = tuningOf(...shipped.filter(({ device }) => isLike(device, info)))
  if (shipped === SHIPPED) found.set(info, tuning)
  return tuning
}
