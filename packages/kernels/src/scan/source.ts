export { SCAN_BLOCK } from './plan'
export { scanBlocks, scanOffsets } from './scan'
