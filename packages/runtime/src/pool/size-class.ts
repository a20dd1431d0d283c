import { roundUp } from '../bytes'

/** Offsets in a buffer are multiples of 256 on most devices, so a driver's smallest useful buffer has that size. */
const LEAST = 256
/** Pages of GPU memory: what is smaller than one more of them is rounded up by the driver anyway. */
const PAGE = 64 * 1024

/**
 * The bytes that a buffer of `size` bytes is made with, so that requests of about the same size can have each other's
 * buffers. Four classes for each doubling: with fewer, up to half of the memory would be waste; with more, sizes that
 * differ a little, as those of growing sequences do, would miss each other. The steps end at 64 KiB, where rounding
 * is a few per cent and shrinks: large buffers are weights and caches, which must not cost a quarter more.
 *
 *     size ≤ 1 KiB:  multiples of 256 bytes       4 MiB: +64 KiB at most (1.6 %)
 *     1 – 256 KiB:   1, 1¼, 1½, 1¾ of a power     1 GiB: +64 KiB at most (0.006 %)
 */
export function sizeClass(size: number): number {
  const power = 2 ** Math.floor(Math.log2(Math.max(size, 1)))
  // exactly on a power of two the step does not matter: it divides it
  return Math.max(LEAST, roundUp(size, Math.min(Math.max(power / 4, LEAST), PAGE)))
}

/** The next power of two, at least 256: for staging, where any size of buffer will do and few should serve all. */
export const powerOfTwo = (size: number): number => Math.max(LEAST, 2 ** Math.ceil(Math.log2(Math.max(size, 1))))
