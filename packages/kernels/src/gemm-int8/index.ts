export { chooseGemmInt8, type GemmInt8Choice, type GemmInt8Problem } from './choose'
export { type GemmInt8Args, type GemmInt8Options, gemmInt8 } from './host'
export { type GemmInt8ReferenceArgs, gemmInt8Reference } from './reference'
