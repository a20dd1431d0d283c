export { scanApply, scanTail } from './apply'
export { SCAN_BLOCK, SCAN_TILE } from './plan'
export { scanBlocks, scanOffsets } from './scan'
