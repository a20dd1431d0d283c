/** Elements of a block of the scan: what one workgroup takes. */
export const SCAN_BLOCK = 1024

/** Elements of a tile where sums of tiles are scanned first. */
export const SCAN_TILE = 2048

/** Elements of a tile of a scan by chunks: 32 KiB. */
export const SCAN_STEP_TILE = 8192
