import { paritySuite } from '../parity/harness.js'
import { matmulSerialCases } from './matmul-serial.cases.js'

await paritySuite('kernels: matmul for the CPU', matmulSerialCases)
