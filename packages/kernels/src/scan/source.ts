export { scanApply, scanTail } from './apply'
export { scanOnce } from './once'
export { SCAN_BLOCK, SCAN_ONCE_BLOCK, SCAN_ONCE_TILE, SCAN_TILE } from './plan'
export { scanBlocks, scanOffsets } from './scan'
