export { tuningFor } from './shipped'
export {
  type Sizes,
  type TunedDevice,
  type TunedResult,
  type TunedResults,
  type Tuning,
  tuningOf,
  tuningTo,
} from './tuning'
