/** Elements of a block of the scan: what one workgroup takes. */
export const SCAN_BLOCK = 1024

/** Elements of a tile where sums of tiles are scanned first. */
export const SCAN_TILE = 2048
