/**
 * Messages over a byte stream: two little-endian lengths, then JSON, then the bytes of all `Uint8Array`s in it, for
 * which the JSON holds `{ "$bytes": [start, end] }`. Used by both ends of a worker's standard streams.
 */
const HEAD = 12
const MAGIC = 0x54464557 // 'WEFT'

export function encodeFrame(message: unknown): Uint8Array {
  const parts: Uint8Array[] = []
  let length = 0
  const json = JSON.stringify(message, (_key, value: unknown) => {
    if (!(value instanceof Uint8Array)) return value
    parts.push(value)
    length += value.byteLength
    return { $bytes: [length - value.byteLength, length] }
  })
  const text = new TextEncoder().encode(json)
  const frame = new Uint8Array(HEAD + text.byteLength + length)
  const head = new DataView(frame.buffer)
  head.setUint32(0, MAGIC, true)
  head.setUint32(4, text.byteLength, true)
  head.setUint32(8, length, true)
  frame.set(text, HEAD)
  let at = HEAD + text.byteLength
  for (const part of parts) {
    frame.set(part, at)
    at += part.byteLength
  }
  return frame
}

function decodeFrame(text: Uint8Array, bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(text), (_key, value: unknown) => {
    const range = typeof value === 'object' && value !== null && '$bytes' in value ? value.$bytes : undefined
    // a copy, which starts at an offset that every typed array accepts; a Buffer's own `slice` would not copy
    return Array.isArray(range) ? new Uint8Array(bytes.subarray(Number(range[0]), Number(range[1]))) : value
  })
}

/** Takes chunks as they arrive and calls `onMessage` for each whole frame. */
export function frameReader(onMessage: (message: unknown) => void): (chunk: Uint8Array) => void {
  let chunks: Uint8Array[] = []
  let have = 0
  let need = HEAD
  return (chunk) => {
    chunks.push(chunk)
    have += chunk.byteLength
    // joined only when a frame is whole, so that a large one is not copied once per chunk
    while (have >= need) {
      const all = afterNoise(join(chunks, have))
      chunks = [all]
      have = all.byteLength
      need = HEAD
      if (have < HEAD) return
      const head = new DataView(all.buffer, all.byteOffset, HEAD)
      const text = head.getUint32(4, true)
      const end = HEAD + text + head.getUint32(8, true)
      need = end
      if (have < end) return
      const rest = all.subarray(end)
      chunks = rest.byteLength > 0 ? [rest] : []
      have = rest.byteLength
      need = HEAD
      onMessage(decodeFrame(all.subarray(HEAD, HEAD + text), all.subarray(HEAD + text, end)))
    }
  }
}

/** Without what stands before the next frame: Dawn prints the warnings of modules to stdout by itself. */
function afterNoise(all: Uint8Array): Uint8Array {
  if (new DataView(all.buffer, all.byteOffset, HEAD).getUint32(0, true) === MAGIC) return all
  const start = new TextDecoder('latin1').decode(all).indexOf('WEFT')
  // the first letters of it may be the last bytes so far
  return all.subarray(start < 0 ? Math.max(0, all.byteLength - 3) : start)
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks
  if (chunks.length === 1 && first !== undefined) return first
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}
