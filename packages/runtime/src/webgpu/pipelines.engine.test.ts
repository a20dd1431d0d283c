import { expect, it } from 'vitest'
import { createRuntime } from '../node/index'
import { failure } from '../testing/expect'
import { FILL } from '../testing/fill'
import { broken, fill, fixture } from '../testing/fixtures'
import { device, gpu } from '../testing/gpu'
import { PipelineCache } from './pipelines'

const numbered = (i: number) =>
  fixture({ ...FILL, name: `fill ${i}`, body: `  if (gid.x < params.n) { out[gid.x] = params.value + ${i}u; }` })

gpu('the pipeline cache', () => {
  const get = (cache: PipelineCache, i: number) => {
    const kernel = numbered(i)
    return cache.get(kernel, kernel.variants[0] as (typeof kernel.variants)[0], {})
  }

  it('[prior-R11] keeps those that were used last, and shares what compiles', async () => {
    const cache = new PipelineCache(device, 2)
    const first = await get(cache, 0)
    await get(cache, 1)
    expect(get(cache, 0)).toBe(first)
    const [a, b] = [get(cache, 2), get(cache, 2)] // 1 goes
    expect(a).toBe(b)
    await a
    expect(get(cache, 0)).toBe(first)
    expect(cache.stats).toMatchObject({ entries: 2, hits: 2, shared: 1, misses: 3, evicted: 1, failed: 0 })
    await get(cache, 1)
    expect(cache.stats).toMatchObject({ entries: 2, misses: 4, evicted: 2 })
    cache.clear()
    expect(cache.stats.entries).toBe(0)
  })

  it('keeps nothing of what failed', async () => {
    const cache = new PipelineCache(device)
    const variant = broken.variants[0] as (typeof broken.variants)[0]
    for (const failed of [1, 2]) {
      await failure('compile-failed', () => cache.get(broken, variant, {}))
      expect(cache.stats).toMatchObject({ entries: 0, failed })
    }
  })

  it('is filled by warmup, all at once, and a failure is told when the others are done', async () => {
    const own = await createRuntime()
    await own.warmup([fill, numbered(1), numbered(2)])
    expect(own.stats.pipelines).toMatchObject({ misses: 3, entries: 3 })
    await failure('compile-failed', () => own.warmup([broken, numbered(3)]))
    const out = own.buffer(Uint32Array, 2)
    await own.run(numbered(3), { out, n: 2, value: 4 })
    expect([...(await out.read())]).toEqual([7, 7])
    expect(own.stats.pipelines).toMatchObject({ entries: 4 })
    own.destroy()
    await failure('device-lost', () => own.warmup([fill]))
    expect(own.stats.pipelines.entries).toBe(0)
  })
})
