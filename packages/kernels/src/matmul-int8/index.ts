export { chooseMatmulInt8, type MatmulInt8Choice, type MatmulInt8Problem } from './choose'
export { type MatmulInt8Args, type MatmulInt8Options, matmulInt8 } from './host'
export { type MatmulInt8ReferenceArgs, matmulInt8Reference } from './reference'
