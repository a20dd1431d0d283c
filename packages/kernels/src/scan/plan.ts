/** Elements of a block of the scan: what one workgroup takes. */
export const SCAN_BLOCK = 1024

/** Elements of a tile where sums of tiles come first: 32 KiB. */
export const SCAN_TILE = 8192

/** So many tiles have their sums added up by whoever needs them; the sums of more are scanned. */
export const SCAN_SUMS = 16_384
