import { beforeEach, describe, expect, it } from 'vitest'
import { cpuBlocks } from '../cpu/blocks'
import type { Memory } from '../memory'
import { collectUntil } from '../testing/collect'
import { type Allocation, Heap } from './heap'

const DIRT = new Uint8Array(new Float32Array([7.5]).buffer)
let heap: Heap

beforeEach(() => {
  heap = new Heap(cpuBlocks, 2 ** 20)
})

const take = (size: number, options: Partial<Allocation> = {}): Memory =>
  heap.allocate(size, { label: 'x', zero: true, pooled: true, stack: null, ...options })

/** Leaves 7.5 in all the words of a freed block. */
function dirty(size: number): Memory {
  const memory = take(size)
  for (let i = 0; i < memory.capacity; i += 4) memory.bytes?.set(DIRT, i)
  heap.free(memory)
  return memory
}

const words = ({ bytes, size }: Memory) => [...new Float32Array(bytes?.buffer as ArrayBuffer, 0, size / 4)]

describe('[prior-R07] [case-R15] what was left by another buffer', () => {
  it('is cleared for whoever is promised zeros, in all of the bytes that a binding can see', () => {
    const before = dirty(4000)
    const after = take(3997)
    expect(after.block).toBe(before.block)
    expect(after.id).not.toBe(before.id)
    expect(after.bytes?.subarray(0, 4000)).toEqual(new Uint8Array(4000))
  })

  it('stays for whoever overwrites it all', () => {
    dirty(16)
    const memory = take(16, { zero: false })
    expect(memory.dirty).toBe(true)
    heap.use(memory, true)
    expect(words(memory)).toEqual([7.5, 7.5, 7.5, 7.5])
    heap.use(memory, false)
    expect(words(memory), 'only the first use decides').toEqual([7.5, 7.5, 7.5, 7.5])
  })

  it('is cleared before work that writes only a part of it, or reads it', () => {
    dirty(16)
    const memory = take(16, { zero: false })
    heap.use(memory, false)
    expect(words(memory)).toEqual([0, 0, 0, 0])
  })

  it('is not expected in what is new', () => {
    expect(take(16, { zero: false }).dirty).toBe(false)
  })
})

describe('blocks', () => {
  it('are shared by sizes of one class, and not by buffers that are not pooled', () => {
    const a = take(1000)
    expect(a).toMatchObject({ size: 1000, capacity: 1024 })
    heap.free(a)
    const exact = take(1000, { pooled: false })
    expect(exact).toMatchObject({ size: 1000, capacity: 1000 })
    heap.free(exact)
    expect(heap.pool.stats).toMatchObject({ idle: 1, hits: 0, misses: 1, bytes: 1024 })
    expect(take(900).block).toBe(a.block)
  })

  it('are not rounded over the largest size that there may be', () => {
    const small = new Heap(cpuBlocks, 5002)
    const most = small.allocate(5000, { label: 'x', zero: true, pooled: true, stack: null })
    expect(most.capacity).toBe(5000)
    small.free(most)
    expect(small.pool.stats.idle).toBe(1)
  })

  it('are freed once, however often it is asked', () => {
    const a = take(16)
    heap.free(a)
    heap.free(a)
    expect(heap.pool.stats.idle).toBe(1)
    expect(take(16).block).not.toBe(take(16).block)
  })
})

describe('accounts', () => {
  it('tell live bytes, their peak, and what is kept', () => {
    const [a, b] = [take(100), take(200)]
    heap.free(a)
    expect(heap.buffers).toEqual({ live: 1, bytes: 200, peakBytes: 300, collected: 0 })
    expect(heap.pool.stats).toMatchObject({ idle: 1, idleBytes: 256, bytes: 512, peakBytes: 512 })
    heap.free(b)
    heap.pool.trim(256)
    expect(heap.pool.stats).toMatchObject({ idle: 1, trimmed: 1, bytes: 256 })
    heap.destroy()
    expect(heap.pool.stats).toMatchObject({ idle: 0, bytes: 0 })
  })

  it('report what was not destroyed, oldest first', () => {
    take(8, { label: 'first' })
    heap.free(take(8))
    take(12, { label: 'second', stack: 'at here' })
    expect(heap.leaks().map(({ label, size, stack }) => ({ label, size, stack }))).toEqual([
      { label: 'first', size: 8, stack: null },
      { label: 'second', size: 12, stack: 'at here' },
    ])
    expect(heap.leaks().every(({ ageMs }) => ageMs >= 0)).toBe(true)
  })

  it('get back what nobody can reach', async () => {
    const kept = take(16)
    ;(() => void Array.from({ length: 10 }, () => take(100)))()
    await collectUntil(() => heap.buffers.collected === 10)
    expect(heap.buffers).toMatchObject({ live: 1, bytes: 16, collected: 10 })
    expect(heap.pool.stats.idle).toBe(10)
    heap.free(kept)
  })
})
