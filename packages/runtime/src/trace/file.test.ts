import { describe, expect, it } from 'vitest'
import { start } from '../testing/cpu'
import { failure } from '../testing/expect'
import { fill, increment } from '../testing/fixtures'
import { crc32 } from './crc'
import { capture, load, save } from './index'

async function traced() {
  const { runtime } = await start()
  const [a, b] = [
    runtime.buffer(Uint32Array, 3, { label: 'a' }),
    runtime.buffer(new Uint32Array([7, 8, 9]), { label: 'b' }),
  ]
  return capture(
    runtime,
    async () => {
      await runtime.run(fill, { out: a, n: 3, value: 4 })
      await runtime.run(increment, { x: a, out: b, n: 2 })
    },
    { contents: 'all' },
  )
}

const trace = await traced()
const file = save(trace)
const changed = (change: (bytes: Uint8Array, view: DataView) => void) => {
  const copy = file.slice()
  change(copy, new DataView(copy.buffer))
  return copy
}
/** With the checksum that fits, as if somebody else had written it. */
const sealed = (bytes: Uint8Array) => {
  new DataView(bytes.buffer).setUint32(16, crc32(bytes.subarray(0, 16), bytes.subarray(20)), true)
  return bytes
}
const message = async (bytes: Uint8Array) => (await failure('bad-trace', () => load(bytes))).message

/** A file with another header: the value at `path` is replaced, or taken away by undefined. */
function withHeader(path: string, value: unknown): Uint8Array {
  const length = new DataView(file.buffer).getUint32(12, true)
  const root = { header: JSON.parse(new TextDecoder().decode(file.subarray(20, 20 + length))) as unknown }
  const keys = ['header', ...path.split('.').filter(Boolean)]
  const last = keys.pop() as string
  const parent = keys.reduce((at: unknown, key) => (at as Record<string, unknown>)[key], root)
  Object.assign(parent as object, { [last]: value })
  const text = new TextEncoder().encode(JSON.stringify(root.header))
  const bytes = new Uint8Array(20 + text.byteLength + 1000)
  bytes.set(file.subarray(0, 16))
  new DataView(bytes.buffer).setUint32(12, text.byteLength, true)
  bytes.set(text, 20)
  return sealed(bytes)
}

describe('a file', () => {
  it('holds all of a trace', async () => {
    expect(await load(file)).toEqual(trace)
    expect(save(await load(file))).toEqual(file)
    const shifted = new Uint8Array(file.byteLength + 3)
    shifted.set(file, 3)
    expect(await load(shifted.subarray(3))).toEqual(trace)
  })

  it('is refused where it is something else', async () => {
    expect(await message(new Uint8Array(0))).toBe(
      "bad-trace: the file does not begin with 'WEFTRACE', so it is no trace",
    )
    expect(await message(new TextEncoder().encode('{"traceEvents": []} and more'))).toContain(
      "does not begin with 'WEFTRACE'",
    )
    expect(await message('WEFTRACE' as unknown as Uint8Array)).toBe(
      "bad-trace: the file is 'WEFTRACE', expected a Uint8Array of its bytes",
    )
    expect(await message(changed((_, view) => view.setUint32(8, 1, true)))).toBe(
      'bad-trace: the file has version 1, and this reads version 2\n  note: capture it again',
    )
  })

  it('is refused where it ends early or is damaged', async () => {
    expect(await message(file.subarray(0, 100))).toMatch(
      /^bad-trace: the file ends after 100 bytes, expected at least [\d,]+$/,
    )
    const shorter = file.slice(0, file.byteLength - 8)
    expect(await message(shorter)).toMatch(
      /^bad-trace: the file is damaged, or ends early: its checksum is [0-9a-f]+, expected [0-9a-f]+\n/,
    )
    expect(await message(sealed(shorter))).toMatch(/ends after .* bytes/)
    for (const byte of [0x58, 0xff]) {
      const header = sealed(changed((bytes) => void bytes.fill(byte, 20, 24)))
      expect(await message(header)).toContain('the header of the file is no JSON')
    }
    const last = sealed(changed((bytes) => void (bytes[bytes.byteLength - 8] = 0x77)))
    expect(await message(last)).toMatch(
      /^bad-trace: a content of 12 bytes is damaged: its sum is [0-9a-f]{32}, expected [0-9a-f]{32}$/,
    )
  })

  it('is refused where one bit anywhere is another, or bytes follow', async () => {
    const own = file.slice()
    for (let at = 0; at < own.byteLength; at++) {
      const bit = 1 << (at % 8)
      own[at] = (own[at] as number) ^ bit
      await failure('bad-trace', () => load(own))
      own[at] = (own[at] as number) ^ bit
    }
    expect(await load(own)).toEqual(trace)
    const longer = new Uint8Array(own.byteLength + 1)
    longer.set(own)
    await failure('bad-trace', () => load(longer))
  })

  it('has the CRC-32 that others compute', () => {
    const text = (value: string) => new TextEncoder().encode(value)
    expect(crc32(text('123456789')).toString(16)).toBe('cbf43926')
    expect(crc32(text('1234'), text(''), text('56789'))).toBe(crc32(text('123456789')))
    expect(crc32(new Uint8Array(0))).toBe(0)
  })

  it.each<[expected: string, path: string, value: unknown]>([
    ['the header is a list, expected an object', '', []],
    ['engine is undefined, expected a text', 'engine', undefined],
    ["steps is 'none', expected a list", 'steps', 'none'],
    ["steps[0].kind is 'wait', expected 'write' or 'dispatch'", 'steps.0.kind', 'wait'],
    ['steps[0].buffer is 9, expected a whole number below 2', 'steps.0.buffer', 9],
    ['steps[1].kernel is 7, expected a whole number below 2', 'steps.1.kernel', 7],
    ['steps[1].workgroups is a list, expected a list of three', 'steps.1.workgroups', [1, 1]],
    ['steps[1].workgroups[1] is -1, expected a whole number below 4294967296', 'steps.1.workgroups', [1, -1, 1]],
    ["steps[1].params is '00', expected 16 bytes in hexadecimal digits", 'steps.1.params', '00'],
    ['kernels[0].params is undefined, expected an object', 'kernels.0.params', undefined],
    [
      'kernels[0].params.fields[1].offset is 99, expected a whole number below 17',
      'kernels.0.params.fields.1.offset',
      99,
    ],
    ['steps[1].overrides.a is true, expected a number', 'steps.1.overrides', { a: true }],
    ["steps[1].bindings.out is '4 + 12', expected a range of 12 bytes", 'steps.1.bindings.out.offset', 4],
    ['steps[1].after[0] is 1, expected a buffer and a sum', 'steps.1.after', [1]],
    ["steps[1].after[0][1] is 'x', expected a sum of 32 hexadecimal digits", 'steps.1.after.0.1', 'x'],
    ['kernels[0].format is 2, expected 1', 'kernels.0.format', 2],
    ['kernels[1].variants is undefined, expected a list', 'kernels.1.variants', undefined],
    ['buffers[0].size is 0.5, expected a whole number', 'buffers.0.size', 0.5],
    ["the name of a content is 'x', expected a sum of 32 hexadecimal digits", 'contents', { x: [0, 1] }],
    ['contents.x is a list, expected an offset and a size', 'contents', { x: [0] }],
  ])('says: %s', async (expected, path, value) => {
    expect(await message(withHeader(path, value))).toBe(`bad-trace: ${expected}`)
  })
})
