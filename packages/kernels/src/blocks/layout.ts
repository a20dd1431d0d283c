/**
 * Blocks of llama.cpp's formats (GGUF specification and `ggml-common.h`): so many values in so many bytes. d, dmin: f16; all little-endian.
 *
 * - q4_0: d, 16 bytes: nibble q of place j is the low half of byte j, of place 16 + j the high half. (q - 8) d
 * - q5_0: d, 32 bits with the fifth bits of all places, 16 bytes like q4_0. (q - 16) d
 * - q8_0: d, 32 signed bytes. q d
 * - q4_k: d, dmin, 12 bytes with 8 scales s and 8 minima m of 6 bits, 128 bytes of nibbles. q d s - dmin m
 * - q5_k: d, dmin, the same 12 bytes, 32 bytes with the fifth bits, 128 bytes of nibbles. q d s - dmin m
 * - q6_k: 128 bytes of low nibbles, 64 bytes of two high bits each, 16 signed bytes of scales s, d. (q - 32) d s
 */
export const BLOCKS = {
  q4_0: { size: 32, bytes: 18 },
  q5_0: { size: 32, bytes: 22 },
  q8_0: { size: 32, bytes: 34 },
  q4_k: { size: 256, bytes: 144 },
  q5_k: { size: 256, bytes: 176 },
  q6_k: { size: 256, bytes: 210 },
} as const
export type BlockName = keyof typeof BLOCKS
export const BLOCK_NAMES = Object.keys(BLOCKS) as readonly BlockName[]
