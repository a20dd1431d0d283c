export { reductions } from './kernels'
export { orderKey } from './order'
