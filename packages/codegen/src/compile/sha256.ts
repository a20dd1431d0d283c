/** SHA-256 (FIPS 180-4) of a text in UTF-8, as hex: synchronous, and the same in every environment. */

const primes: number[] = []
for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p !== 0)) primes.push(n)
const fraction = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) >>> 0
const K = Uint32Array.from(primes, (p) => fraction(Math.cbrt(p)))
const START = Uint32Array.from(primes.slice(0, 8), (p) => fraction(Math.sqrt(p)))
const W = new Uint32Array(64)

export function sha256(text: string): string {
  const message = new TextEncoder().encode(text)
  const padded = new Uint8Array(Math.ceil((message.length + 9) / 64) * 64)
  padded.set(message)
  padded[message.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29))
  view.setUint32(padded.length - 4, (message.length * 8) >>> 0)
  const state = START.slice()
  for (let at = 0; at < padded.length; at += 64) block(view, at, state)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

function block(view: DataView, at: number, state: Uint32Array): void {
  const s = state.slice()
  const word = (i: number): number => s[i] as number
  for (let i = 0; i < 64; i++) {
    W[i] = i < 16 ? view.getUint32(at + i * 4) : extended(i)
    const [a, b, c, e] = [word(0), word(1), word(2), word(4)]
    const choice = (e & word(5)) ^ (~e & word(6))
    const t = word(7) + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + choice + (K[i] as number) + (W[i] as number)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    s.copyWithin(1, 0)
    s[4] = word(4) + t
    s[0] = t + (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + majority
  }
  for (let i = 0; i < 8; i++) state[i] = (state[i] as number) + word(i)
}

const rotated = (x: number, n: number): number => (x >>> n) | (x << (32 - n))

/** Word `i` of the message schedule, from 16 on. */
function extended(i: number): number {
  const [a, b, c, d] = [15, 2, 16, 7].map((n) => W[i - n]) as [number, number, number, number]
  return c + (rotated(a, 7) ^ rotated(a, 18) ^ (a >>> 3)) + d + (rotated(b, 17) ^ rotated(b, 19) ^ (b >>> 10))
}
