/** Of each byte, by the polynomial of ISO 3309, its bits reversed. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1
  return rest
})

/**
 * CRC-32 (ISO 3309, as in gzip and PNG) of several pieces, one after the other. It tells damage, one bit or up to 32 in a
 * row for sure, and anything else but for one time in 2³².
 */
export function crc32(...pieces: readonly Uint8Array[]): number {
  let crc = 0xffffffff
  for (const bytes of pieces) {
    for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ (TABLE[(crc ^ (bytes[i] as number)) & 255] as number)
  }
  return ~crc >>> 0
}
