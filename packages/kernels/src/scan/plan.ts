/** Elements of a block of the scan: what one workgroup takes. */
export const SCAN_BLOCK = 1024

/** Elements of a tile where sums of tiles come first: 32 KiB. */
export const SCAN_TILE = 8192

/** So many tiles have their sums added up by whoever needs them; the sums of more are scanned. */
export const SCAN_SUMS = 16_384

/** Elements of a tile where x is read once. */
export const SCAN_ONCE_TILE = 4096

/** Tiles of a block where x is read once: their sums are one sum for the tiles behind it. */
export const SCAN_ONCE_BLOCK = 128
