// Seeded, counter-based random numbers: element i depends on the seed and on i only. So a longer array starts with the
// shorter one, any element can be made by itself, and every machine gets the same values.

/** 32 well-mixed bits of `(seed, counter)`: two rounds of the `lowbias32` finalizer (C. Wellons, "hash-prospector"). */
function bits(seed: number, counter: number): number {
  return mix(mix(seed ^ 0x9e3779b9) ^ counter)
}

function mix(value: number): number {
  let x = value
  x = Math.imul(x ^ (x >>> 16), 0x21f0aaad)
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97)
  return (x ^ (x >>> 15)) >>> 0
}

/** `n` values spread evenly over `[lo, hi)`, in steps of 2⁻²⁴ of it, rounded to f32 (which may give `hi` itself). */
export function uniform(seed: number, n: number, lo = 0, hi = 1): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: n }, (_, i) => lo + (hi - lo) * ((bits(seed, i) >>> 8) * 2 ** -24))
}

/** `n` values of mean 0 and standard deviation 1 (Box and Muller, 1958), rounded to f32. */
export function normal(seed: number, n: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length: n }, (_, i) => {
    const radius = Math.sqrt(-2 * Math.log((bits(seed, 2 * i) + 1) * 2 ** -32)) // + 1: the logarithm of 0 is not wanted
    return radius * Math.cos(2 * Math.PI * bits(seed, 2 * i + 1) * 2 ** -32)
  })
}

/** `n` integers in `[0, limit)`, for `0 < limit ≤ 2³²`. */
export function integers(seed: number, n: number, limit: number): Uint32Array<ArrayBuffer> {
  return Uint32Array.from({ length: n }, (_, i) => Math.floor(bits(seed, i) * 2 ** -32 * limit))
}
