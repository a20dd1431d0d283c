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
  for (let i = 0; i < 16; i++) W[i] = view.getUint32(at + i * 4)
  for (let i = 16; i < 64; i++) {
    const a = W[i - 15] as number
    const b = W[i - 2] as number
    const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3)
    const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10)
    W[i] = ((W[i - 16] as number) + s0 + (W[i - 7] as number) + s1) | 0
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] as number) + (W[i] as number)) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const next = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = (state[i] as number) + (next[i] as number)
}
