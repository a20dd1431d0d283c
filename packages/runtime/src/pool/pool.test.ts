import { beforeEach, expect, it } from 'vitest'
import { type Block, nextBlock, Pool } from './pool'

const STORAGE = 0x80
const UNIFORM = 0x40

let dropped: number[]
let recording: boolean
let pool: Pool

beforeEach(() => {
  dropped = []
  recording = false
  const make = (capacity: number, usage: number): Block => ({
    id: nextBlock(),
    capacity,
    usage,
    gpu: null,
    bytes: new Uint8Array(capacity),
    failure: null,
    retired: false,
  })
  const nothing = () => undefined
  const drop = ({ id }: Block) => void dropped.push(id)
  pool = new Pool(
    { make, drop, recording: () => recording, forget: nothing, clear: nothing, unclear: nothing, settle: nothing },
    4096,
  )
})

const take = (capacity: number, usage = STORAGE) => pool.acquire(capacity, usage, 'x')

it('hands a block out again, to the same size and usage only', () => {
  const { block, recycled } = take(512)
  expect(recycled).toBe(false)
  pool.release(block)
  expect(take(512, UNIFORM).recycled).toBe(false)
  expect(take(256).recycled).toBe(false)
  expect(take(512)).toEqual({ block, recycled: true })
  expect(pool.stats).toMatchObject({ hits: 1, misses: 3, idle: 0, idleBytes: 0, bytes: 1280, peakBytes: 1280 })
})

it('[prior-R06] [case-R14] keeps what is freed while work is recorded until that is submitted', () => {
  const { block } = take(512)
  recording = true
  pool.release(block)
  expect(take(512).recycled).toBe(false)
  expect(pool.stats).toMatchObject({ waiting: 1, idle: 0 })
  recording = false
  pool.submitted()
  expect(pool.stats).toMatchObject({ waiting: 0, idle: 1 })
  expect(take(512).block).toBe(block)
})

it('keeps no more idle bytes than allowed, and lets go of the least recently used', () => {
  const blocks = [1024, 1024, 2048, 512].map((size) => take(size).block)
  for (const block of blocks) pool.release(block)
  expect(dropped).toEqual([blocks[0]?.id]) // 4,608 bytes are 512 too many
  expect(pool.stats).toMatchObject({ idle: 3, idleBytes: 3584, trimmed: 1, bytes: 3584, peakBytes: 4608 })
  pool.trim(2560)
  expect(dropped).toEqual([blocks[0]?.id, blocks[1]?.id])
  expect(take(1024).recycled).toBe(false)
  pool.trim()
  expect(pool.stats).toMatchObject({ idle: 0, idleBytes: 0, bytes: 1024 })
})

it('hands out the block that was used last, so that the others grow old', () => {
  const [a, b, c] = [take(256).block, take(256).block, take(256).block]
  for (const block of [a, b, c]) pool.release(block)
  expect(take(256).block).toBe(c)
  pool.trim(256)
  expect(dropped).toEqual([a.id])
  expect(take(256).block).toBe(b)
})

it('destroys what is retired, and what alone is over the bound, once the work is submitted', () => {
  const [a, b] = [take(512).block, take(8192).block]
  a.retired = true
  recording = true
  for (const block of [a, b]) pool.release(block)
  expect(dropped).toEqual([])
  pool.submitted()
  expect(dropped).toEqual([a.id, b.id])
  expect(pool.stats).toMatchObject({ idle: 0, bytes: 0, trimmed: 0 })
})

it('keeps nothing after its end, and no trace of sizes that are gone', () => {
  for (let size = 256; size <= 4096; size += 256) pool.release(take(size).block)
  recording = true
  pool.release(take(4096).block)
  const late = take(256).block
  pool.destroy()
  recording = false
  pool.release(late)
  expect(pool.stats).toMatchObject({ idle: 0, idleBytes: 0, waiting: 0, bytes: 0 })
  expect(new Set(dropped).size).toBe(dropped.length)
})
