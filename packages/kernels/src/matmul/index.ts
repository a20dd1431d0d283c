export { chooseMatmul, type MatmulForm } from './choose'
export { type MatmulArgs, matmul } from './host'
export { matmulReference } from './reference'
