export { rmsnorm } from './rmsnorm'
