import type { Expr } from '@weft/dsl'

/**
 * Counter-based random numbers: the bits are a function of a seed and a place, with no state between them. So any kernel can make the
 * number of any element again – the backward of a dropout needs no stored mask – and the CPU makes the same ones.
 *
 * Each part of the key goes through `lowbias32` (C. Wellons, "hash-prospector"), a bijection of two multiplications in which every bit of
 * the argument flips every bit of the result about half of the time. Parts that do not change in a loop leave it, so that the innermost one
 * costs one round. (PCG4D, of similar cost, was tried: the low bits of neighbouring rows are correlated.)
 */

const [FIRST, SECOND] = [0x21f0aaad, 0x735a2d97]
/** So that seed 0 at place 0 is not 0, which the bijection maps to itself. */
const START = 0x9e3779b9

/** E.g. the head, the query and the key; the last one changes the fastest. */
type Place<T> = readonly [stream: T, row: T, column: T]

/** 32 random bits for a place. */
export function randomBits(seed: Expr<'u32'>, place: Place<Expr<'u32'>>): Expr<'u32'> {
  const mix = (value: Expr<'u32'>): Expr<'u32'> => {
    const once = value.bitXor(value.shr(16)).mul(FIRST)
    const twice = once.bitXor(once.shr(15)).mul(SECOND)
    return twice.bitXor(twice.shr(15))
  }
  return place.reduce((bits, part) => mix(bits.bitXor(part)), mix(seed.bitXor(START)))
}

/** The same bits on the CPU. */
export function randomBitsOf(seed: number, place: Place<number>): number {
  const mix = (value: number): number => {
    const once = Math.imul(value ^ (value >>> 16), FIRST)
    const twice = Math.imul(once ^ (once >>> 15), SECOND)
    return (twice ^ (twice >>> 15)) >>> 0
  }
  return place.reduce((bits, part) => mix((bits ^ part) >>> 0), mix((seed ^ START) >>> 0))
}

/** Bits below this are dropped with probability p: p · 2³², rounded; none for 0. p < 1. */
export const dropThreshold = (p: number): number => Math.min(Math.round(p * 2 ** 32), 2 ** 32 - 1)
