export { scanApply } from './apply'
export { SCAN_BLOCK, SCAN_STEP_TILE, SCAN_TILE } from './plan'
export { scanBlocks, scanOffsets } from './scan'
export { scanStep, scanTail } from './step'
