import * as kernels from '@weft/kernels'
import { gamma, U } from '../bounds.js'
import { absolute, type Check, size } from './check.js'

interface Rope {
  readonly outer: number
  readonly tokens: number
  readonly inner: number
  readonly headSize: number
  readonly rotary: number
  readonly past: number
  readonly interleaved: boolean
}

export const rope: Check = {
  reference: (golden) => {
    const s = golden.attrs<Rope>()
    return {
      out: kernels.ropeReference({ x: golden.input('x'), ...s }),
      dx: kernels.ropeBackwardReference({ x: golden.input('dout'), ...s }),
    }
  },
  host: async (golden, desk) => {
    const { outer, inner, ...s } = golden.attrs<Rope>()
    const { runtime, options, type } = desk
    const n = outer * s.tokens * inner * s.headSize
    const [out, dx] = [desk.empty(n), desk.empty(n)]
    const table = runtime.buffer(kernels.ropeTable({ positions: s.past + s.tokens, rotary: s.rotary }))
    const common = { batch: outer, heads: inner, tokensFirst: true, table, type, ...s }
    await kernels.rope(runtime, { x: desk.put('x'), out, ...common }, options)
    await kernels.ropeBackward(runtime, { x: desk.put('dout'), out: dx, ...common }, options)
    return { out: await desk.read(out, n), dx: await desk.read(dx, n) }
  },
  // a rotation is a product of two whose entries are rounded to f32: 8 roundings of a sum of two elements
  bounds: (golden) => ({
    out: 16 * U * 2 * size(golden.input('x')),
    dx: 16 * U * 2 * size(golden.input('dout')),
  }),
}

interface Index {
  readonly outer?: number
  readonly size: number
  readonly count: number
  readonly inner: number
}

export const embedding: Check = {
  reference: (golden) => {
    const args = { outer: 1, ...golden.attrs<Index>() }
    return { y: kernels.indexSelectReference({ x: golden.input('table'), index: golden.input('index'), ...args }) }
  },
  host: async (golden, desk) => {
    const s = golden.attrs<Index>()
    const out = desk.empty(s.count * s.inner)
    const args = { x: desk.put('table'), index: desk.words(golden.input('index')), out, ...s, type: golden.type }
    await kernels.embedding(desk.runtime, args, desk.options)
    return { y: await desk.read(out, s.count * s.inner) }
  },
  bounds: () => ({ y: 0 }),
}

export const gather: Check = {
  reference: (golden) => {
    const args = { outer: 1, ...golden.attrs<Index>() }
    return { y: kernels.gatherReference({ x: golden.input('x'), index: golden.input('index'), ...args }) }
  },
  host: async (golden, desk) => {
    const s = { outer: 1, ...golden.attrs<Index>() }
    const n = s.outer * s.count * s.inner
    const out = desk.empty(n)
    const args = { x: desk.put('x'), index: desk.words(golden.input('index')), out, ...s, type: golden.type }
    await kernels.gather(desk.runtime, args, desk.options)
    return { y: await desk.read(out, n) }
  },
  bounds: () => ({ y: 0 }),
}

export const embeddingBackward: Check = {
  reference: (golden) => {
    const s = { outer: 1, ...golden.attrs<Index>() }
    const out = new Float64Array(s.size * s.inner)
    return { dtable: kernels.scatterAddReference({ x: golden.input('dy'), index: golden.input('index'), out, ...s }) }
  },
  host: async (golden, desk) => {
    const s = golden.attrs<Index>()
    const out = desk.of(new Array(s.size * s.inner).fill(0))
    const args = { x: desk.put('dy'), index: desk.words(golden.input('index')), out, ...s }
    await kernels.embeddingBackward(desk.runtime, args, desk.options)
    return { dtable: await desk.read(out, s.size * s.inner) }
  },
  bounds: (golden) => {
    const { count } = golden.attrs<Index>()
    return { dtable: gamma(count) * count * size(golden.input('dy')) }
  },
}

export const cumsum: Check = {
  reference: (golden) => ({ y: kernels.scanReference({ x: golden.input('x') }) }),
  host: async (golden, desk) => {
    const { n } = golden.attrs<{ n: number }>()
    const y = desk.empty(n)
    await kernels.scan(desk.runtime, { x: desk.put('x'), y, n }, desk.options)
    return { y: await desk.read(y, n) }
  },
  bounds: (golden) => ({
    y: kernels.scanReference({ x: absolute(golden.input('x')) }).map((sum, i) => gamma(i + 64) * sum),
  }),
}

export const sort: Check = {
  reference: (golden) => {
    const x = golden.input('x')
    const order = Array.from(kernels.argsortReference(x))
    return { order, sorted: order.map((i) => x[i] as number) }
  },
  host: async (golden, desk) => {
    const { n } = golden.attrs<{ n: number }>()
    const [order, sorted] = [desk.words(new Array(n).fill(777)), desk.empty(n)]
    await kernels.sort(desk.runtime, { x: desk.put('x'), order, sorted, n }, desk.options)
    return { order: [...(await order.read(Uint32Array))], sorted: await desk.read(sorted, n) }
  },
  bounds: () => ({ order: 0, sorted: 0 }),
  always: ['order', 'sorted'],
}
