import { roundUp } from '../bytes'
import { count, fault, shown, textOf } from '../errors'
import { checkHeader, type Places } from './check'
import { crc32 } from './crc'
import { type Sum, sumOf, type Trace } from './trace'

/**
 * A trace as a file: `WEFTRACE`, then the version, the length of the header and the CRC-32 of all other bytes as u32
 * (little endian), the header as JSON in UTF-8, and the contents, each at a multiple of 8 bytes behind it.
 */
const MAGIC = 'WEFTRACE'
const VERSION = 2
const CRC = 16
const START = 20
const ALIGN = 8

/** The bytes of a file that `load` reads. The same trace gives the same bytes. */
export function save(trace: Trace): Uint8Array<ArrayBuffer> {
  let end = 0
  const places: Record<string, readonly [number, number]> = {}
  for (const [sum, { byteLength }] of trace.contents) {
    places[sum] = [end, byteLength]
    end = roundUp(end + byteLength, ALIGN)
  }
  const { engine, kernels, buffers, steps } = trace
  const header = new TextEncoder().encode(JSON.stringify({ engine, kernels, buffers, steps, contents: places }))
  const body = roundUp(START + header.byteLength, ALIGN)
  const file = new Uint8Array(body + end)
  file.set(new TextEncoder().encode(MAGIC))
  const view = new DataView(file.buffer)
  view.setUint32(8, VERSION, true)
  view.setUint32(12, header.byteLength, true)
  file.set(header, START)
  for (const [sum, bytes] of trace.contents) file.set(bytes, body + (places[sum]?.[0] ?? 0))
  view.setUint32(CRC, checksumOf(file), true)
  return file
}

/** Of everything but itself. */
const checksumOf = (file: Uint8Array): number => crc32(file.subarray(0, CRC), file.subarray(START))

/**
 * Reads what `save` wrote, and checks it: all bytes against their checksum, contents against their sums, steps against
 * what they refer to. Rejects `bad-trace`.
 */
export async function load(file: Uint8Array): Promise<Trace> {
  if (!(file instanceof Uint8Array))
    throw fault('bad-trace', `the file is ${shown(file)}, expected a Uint8Array of its bytes`)
  const bytes = new Uint8Array(file) // of its own: contents are parts of it
  if (bytes.byteLength < START || new TextDecoder().decode(bytes.subarray(0, 8)) !== MAGIC)
    throw fault('bad-trace', `the file does not begin with '${MAGIC}', so it is no trace`)
  const view = new DataView(bytes.buffer)
  const version = view.getUint32(8, true)
  if (version !== VERSION)
    throw fault('bad-trace', `the file has version ${version}, and this reads version ${VERSION}`, 'capture it again')
  const length = view.getUint32(12, true)
  if (START + length > bytes.byteLength) throw short(bytes.byteLength, START + length)
  const [has, found] = [view.getUint32(CRC, true), checksumOf(bytes)]
  if (has !== found) {
    const sums = `its checksum is ${found.toString(16)}, expected ${has.toString(16)}`
    throw fault('bad-trace', `the file is damaged, or ends early: ${sums}`, 'copy it again, or capture it again')
  }
  const { trace, places } = checkHeader(parse(bytes.subarray(START, START + length)))
  return { ...trace, contents: await contentsOf(places, bytes, roundUp(START + length, ALIGN)) }
}

const short = (has: number, needs: number) =>
  fault('bad-trace', `the file ends after ${count(has)} bytes, expected at least ${count(needs)}`)

function parse(header: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(header))
  } catch (error) {
    throw fault('bad-trace', `the header of the file is no JSON: ${textOf(error)}`)
  }
}

async function contentsOf(places: Places, bytes: Uint8Array<ArrayBuffer>, body: number) {
  const contents = new Map<Sum, Uint8Array<ArrayBuffer>>()
  for (const [sum, [offset, size]] of Object.entries(places)) {
    const begin = body + offset
    if (begin + size > bytes.byteLength) throw short(bytes.byteLength, begin + size)
    const content = bytes.subarray(begin, begin + size)
    const found = await sumOf(content)
    if (found !== sum)
      throw fault('bad-trace', `a content of ${count(size)} bytes is damaged: its sum is ${found}, expected ${sum}`)
    contents.set(sum, content)
  }
  return contents
}
