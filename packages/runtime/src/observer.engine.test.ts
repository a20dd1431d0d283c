import { expect, it } from 'vitest'
import type { Observer } from './observer'
import { start } from './testing/cpu'
import { fill, increment } from './testing/fixtures'
import { gpu, runtime } from './testing/gpu'

/** Notes every call, and the first word of what the dispatch's output holds before and after. */
function notes(passes?: 'each') {
  const calls: string[] = []
  const peeked: Promise<number | undefined>[] = []
  const observer: Required<Omit<Observer, 'passes'>> & Observer = {
    passes,
    called: ({ kernel }) => void calls.push(`called ${kernel.name}`),
    before({ kernel, bindings }, peek) {
      calls.push(`before ${kernel.name}`)
      const bound = bindings.get('out')
      if (bound && 'memory' in bound) peeked.push(peek(bound.memory).then((bytes) => new Uint32Array(bytes.buffer)[0]))
    },
    after({ kernel, bindings }, peek) {
      calls.push(`after ${kernel.name}`)
      const bound = bindings.get('out')
      if (bound && 'memory' in bound) peeked.push(peek(bound.memory).then((bytes) => new Uint32Array(bytes.buffer)[0]))
    },
    pass: () => void calls.push('pass'),
    submitted: () => void calls.push('submitted'),
    transfer: ({ kind, offset, size }) => void calls.push(`${kind} ${offset}+${size}`),
  }
  return { calls, peeked, observer }
}

it('tells what happens on the CPU, in the order of effects, until it is taken away', async () => {
  const { runtime } = await start()
  const { calls, peeked, observer } = notes()
  const end = runtime.observe(observer)
  const out = runtime.buffer(Uint32Array, 3)
  await runtime.run(fill, { out, n: 3, value: 7 })
  out.write(new Uint32Array([9]), 4)
  expect([...(await out.read())]).toEqual([7, 9, 7])
  expect(calls).toEqual(['called fill', 'before fill', 'after fill', 'write 4+4', 'read 0+12'])
  expect(await Promise.all(peeked)).toEqual([0, 7])
  end()
  await runtime.run(fill, { out, n: 3, value: 8 })
  expect(calls.length).toBe(5)
})

it('serves several observers, each until it leaves', async () => {
  const { runtime } = await start()
  const [a, b] = [notes(), notes()]
  const end = runtime.observe(a.observer)
  runtime.observe(b.observer)
  const out = runtime.buffer(Uint32Array, 1)
  await runtime.run(fill, { out, n: 1, value: 1 })
  end()
  await runtime.run(fill, { out, n: 1, value: 2 })
  expect([a.calls.length, b.calls.length]).toEqual([3, 6])
})

it('gives one dispatch as one object to every call', async () => {
  const { runtime } = await start()
  const seen = new Set<unknown>()
  const note = (dispatch: unknown) => void seen.add(dispatch)
  runtime.observe({ called: note, before: note, after: note })
  const out = runtime.buffer(Uint32Array, 1)
  await runtime.run(fill, { out, n: 1, value: 1 })
  expect(seen.size).toBe(1)
  expect([...seen][0]).toMatchObject({ kernel: { name: 'fill' }, variant: { id: 'portable' }, workgroups: [1, 1, 1] })
})

gpu('observers on WebGPU', () => {
  it('see passes and submits, and memory at its place in the order', async () => {
    const { calls, peeked, observer } = notes('each')
    const a = runtime.buffer(Uint32Array, 2)
    const b = runtime.buffer(new Uint32Array([4, 5]))
    const end = runtime.observe(observer)
    // not awaited: what is peeked at is still what the order says
    void runtime.run(fill, { out: a, n: 2, value: 1 })
    void runtime.run(increment, { x: a, out: b, n: 2 })
    void runtime.run(fill, { out: a, n: 2, value: 3 })
    await runtime.idle()
    end()
    const once = (name: string) => [`before ${name}`, 'pass', 'submitted', `after ${name}`]
    expect(calls.filter((call) => !call.startsWith('called'))).toEqual(['fill', 'increment', 'fill'].flatMap(once))
    expect(calls.filter((call) => call.startsWith('called'))).toEqual([
      'called fill',
      'called increment',
      'called fill',
    ])
    expect(await Promise.all(peeked)).toEqual([0, 1, 4, 2, 1, 3])
  })
})
