export { convolutions } from './conv'
export { pools } from './pool'
export { resamplers } from './resample'
