import { expect, it } from 'vitest'
import { device, gpu, runtime } from '../testing/gpu'
import { UniformArena } from './uniforms'

gpu('the arena of a submit', () => {
  it('gives no two uses of one submit the same bytes, and starts again after it', async () => {
    const arena = new UniformArena(device, 256)
    const uses = Array.from({ length: 600 }, (_, i) => ({ i, slot: arena.slot(new Uint8Array(20).fill(i)) }))
    expect(new Set(uses.map(({ slot }) => `${slot.memory.id}:${slot.offset}`)).size).toBe(600)
    expect(uses.every(({ slot }) => slot.offset % 256 === 0 && slot.size === 20)).toBe(true)
    const large = arena.slot(new Uint8Array(100_001).fill(7))
    const seen = device.createBuffer({ size: 600 * 4 + 100_004, usage: 4 | 8 })
    const encoder = device.createCommandEncoder()
    for (const { i, slot } of uses) encoder.copyBufferToBuffer(slot.memory.gpu, slot.offset + 16, seen, 4 * i, 4)
    encoder.copyBufferToBuffer(large.memory.gpu, large.offset, seen, 2400, 100_004)
    arena.write()
    device.queue.submit([encoder.finish()])
    arena.submitted()
    expect(arena.bytes).toBe(0)
    const again = arena.slot(new Uint8Array(4))
    expect([again.memory.id, again.offset]).toEqual([uses[0]?.slot.memory.id, 0])
    const bytes = await runtime.read(seen, Uint8Array)
    expect(uses.every(({ i }) => bytes.subarray(4 * i, 4 * i + 4).every((b) => b === i % 256))).toBe(true)
    expect(bytes.subarray(2400, 2400 + 100_001).every((b) => b === 7)).toBe(true)
    arena.destroy()
  })
})
