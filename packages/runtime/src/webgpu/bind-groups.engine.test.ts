import { expect, it } from 'vitest'
import { type Memory, memory } from '../memory'
import { device, gpu } from '../testing/gpu'
import { BindGroupCache, type Resource } from './bind-groups'

gpu('the bind-group cache', () => {
  const layoutOf = (bindings: number) =>
    device.createBindGroupLayout({
      entries: Array.from({ length: bindings }, (_, binding) => ({
        binding,
        visibility: 4,
        buffer: { type: 'storage' as const },
      })),
    })
  const made = (): Memory =>
    memory({ label: 'm', size: 1024, capacity: 1024, gpu: device.createBuffer({ size: 1024, usage: 0x80 }) })
  const range = (of: Memory, offset = 0, size = 256): Resource => ({ memory: of, texture: null, offset, size })
  const get = (cache: BindGroupCache, layout: GPUBindGroupLayout, ...resources: Resource[]) =>
    cache.get(layout, resources, 'test', () =>
      resources.map(({ memory: of, offset, size }, binding) => ({
        binding,
        resource: { buffer: of?.gpu as GPUBuffer, offset, size },
      })),
    ).group

  it('[prior-R09] [case-R05] tells slots, buffers, offsets, sizes and layouts apart', () => {
    const cache = new BindGroupCache(device)
    const [one, two] = [layoutOf(2), layoutOf(2)]
    const [a, b] = [made(), made()]
    const requests: [GPUBindGroupLayout, Resource, Resource][] = [
      [one, range(a), range(b)],
      [one, range(b), range(a)],
      [one, range(a, 256), range(b)],
      [one, range(a, 0, 512), range(b)],
      [one, range(a), range(b, 256)],
      [two, range(a), range(b)],
    ]
    const groups = requests.map(([layout, ...slots]) => get(cache, layout, ...slots))
    expect(new Set(groups).size).toBe(6)
    requests.forEach(([layout, ...slots], i) => void expect(get(cache, layout, ...slots)).toBe(groups[i]))
    expect(cache.stats).toEqual({ entries: 6, hits: 6, misses: 6, evicted: 0 })
  })

  it('keeps the entries that were used last', () => {
    const cache = new BindGroupCache(device, 3)
    const layout = layoutOf(1)
    const all = Array.from({ length: 4 }, made)
    const at = (i: number) => get(cache, layout, range(all[i] as Memory))
    const first = at(0)
    at(1)
    at(2)
    expect(at(0)).toBe(first)
    at(3) // 1 goes
    expect(at(0)).toBe(first)
    expect(cache.stats).toMatchObject({ entries: 3, misses: 4, evicted: 1 })
    at(1)
    expect(cache.stats).toMatchObject({ entries: 3, misses: 5, evicted: 2 })
  })

  it('[case-R07] forgets what was destroyed, every entry with it and no other', () => {
    const cache = new BindGroupCache(device)
    const layout = layoutOf(2)
    const [a, b, c] = [made(), made(), made()]
    get(cache, layout, range(a), range(b))
    get(cache, layout, range(c), range(a, 256))
    const kept = get(cache, layout, range(b), range(c))
    cache.drop(a.block)
    expect(cache.stats.entries).toBe(1)
    expect(get(cache, layout, range(b), range(c))).toBe(kept)
    cache.drop(a.block)
    cache.drop(b.block)
    expect(cache.stats.entries).toBe(0)
  })

  it('keeps no group that the device refused', async () => {
    const cache = new BindGroupCache(device)
    const wrong = cache.get(layoutOf(1), [range(made(), 3)], 'wrong', () => [])
    expect((await wrong.error)?.message).toContain('wrong')
    expect(cache.stats.entries).toBe(0)
  })

  it('survives many entries in one table', () => {
    const cache = new BindGroupCache(device, 500)
    const layout = layoutOf(1)
    const all = Array.from({ length: 40 }, made)
    for (let round = 0; round < 60; round++) {
      for (const of of all) get(cache, layout, range(of, 0, 4 * (1 + ((round * 7) % 23))))
      if (round % 9 === 0) cache.drop((all[round % 40] as Memory).block)
    }
    const { entries, hits, misses, evicted } = cache.stats
    expect(entries).toBeLessThanOrEqual(500)
    expect(hits + misses).toBe(2400)
    expect(evicted).toBeGreaterThan(0)
    for (const of of all) cache.drop(of.block)
    expect(cache.stats.entries).toBe(0)
  })
})
