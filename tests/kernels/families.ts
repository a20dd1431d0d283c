import type { ParityCase } from '../parity/case.js'
import { attentionCases } from './attention.cases.js'
import { attentionBackwardCases } from './attention-backward.cases.js'
import { attentionFlashCases } from './attention-flash.cases.js'
import { attentionUnfusedCases } from './attention-unfused.cases.js'
import { blocksCases } from './blocks.cases.js'
import { decodeCases } from './decode.cases.js'
import { elementwiseCases } from './elementwise.cases.js'
import { kvCacheCases } from './kv-cache.cases.js'
import { matmulCases } from './matmul.cases.js'
import { matmulFastCases } from './matmul-fast.cases.js'
import { matmulInt8Cases } from './matmul-int8.cases.js'
import { matmulPlainCases } from './matmul-plain.cases.js'
import { matmulSerialCases } from './matmul-serial.cases.js'
import { normCases } from './norm.cases.js'
import { normsCases } from './norms.cases.js'
import { optimizerCases } from './optimizer.cases.js'
import { quantCases } from './quant.cases.js'
import { quantizeCases } from './quantize.cases.js'
import { reduceCases } from './reduce.cases.js'
import { ropeCases } from './rope.cases.js'
import { rowsCases } from './rows.cases.js'
import { samplingCases } from './sampling.cases.js'
import { saxpyCases } from './saxpy.cases.js'
import { scanCases } from './scan.cases.js'
import { shapeCases } from './shape.cases.js'
import { softmaxCases } from './softmax.cases.js'
import { sortCases } from './sort.cases.js'
import { visionCases } from './vision.cases.js'

/** The parity cases of the library, by family: each on the edges of its tiles, with odd sizes, guarded outputs and every option. */
export const families: Readonly<Record<string, readonly ParityCase[]>> = {
  attention: attentionCases,
  'attention-backward': attentionBackwardCases,
  'attention-flash': attentionFlashCases,
  'attention-unfused': attentionUnfusedCases,
  decode: decodeCases,
  blocks: blocksCases,
  elementwise: elementwiseCases,
  'kv-cache': kvCacheCases,
  matmul: [...matmulCases, ...matmulSerialCases],
  'matmul-fast': matmulFastCases,
  'matmul-int8': matmulInt8Cases,
  'matmul-plain': matmulPlainCases,
  norm: normCases,
  norms: normsCases,
  optimizer: optimizerCases,
  quant: [...quantCases, ...quantizeCases],
  reduce: reduceCases,
  rope: ropeCases,
  rows: rowsCases,
  sampling: samplingCases,
  saxpy: saxpyCases,
  scan: scanCases,
  shape: shapeCases,
  softmax: softmaxCases,
  sort: sortCases,
  vision: visionCases,
}
