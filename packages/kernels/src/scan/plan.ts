/** Elements of a block of the scan: what one workgroup takes. */
export const SCAN_BLOCK = 1024
