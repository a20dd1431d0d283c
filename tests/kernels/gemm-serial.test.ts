import { paritySuite } from '../parity/harness.js'
import { gemmSerialCases } from './gemm-serial.cases.js'

await paritySuite('kernels: gemm for the CPU', gemmSerialCases)
