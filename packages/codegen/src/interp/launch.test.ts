import { ceilDiv, d, f32, input, kernel, output, override, u32, vec3u, WeftError } from '@weft/dsl'
import { serialize } from '@weft/dsl/ir'
import { expect, test } from 'vitest'
import type { CompiledKernel, CompiledVariant } from '../artifact'
import { cpu, interpret, prepare } from './index'
import { floats, run, words } from './testing/run'

const U = d.arrayOf(d.u32)
const bytes = (a: ArrayBufferView) => new Uint8Array(a.buffer, a.byteOffset, a.byteLength)

function codeOf(f: () => void): string {
  try {
    f()
  } catch (error) {
    if (error instanceof WeftError) return error.code
    throw error
  }
  return 'nothing'
}

test('a linear launch of more than 65,535 workgroups, folded: the surplus does nothing', () => {
  const k = kernel(
    'k',
    { workgroupSize: [4], bindings: { y: output(U) }, params: { n: d.u32 }, workgroups: ({ n }) => [ceilDiv(n, 4)] },
    ({ y }, k) => {
      y.at(k.globalIndex).set(k.workgroupIndex.mul(10).add(k.localIndex))
    },
  )
  const n = 300_001
  const groups = Math.ceil(n / 4)
  const width = 300
  const y = words(width * Math.ceil(groups / width) * 4, () => 7)
  run(k, { y }, { params: { n }, workgroups: [width, Math.ceil(groups / width), 1] })
  expect(y[0]).toBe(0)
  expect(y[4 * 70_000 + 3]).toBe(700_003)
  expect([...y.subarray(groups * 4)].every((x) => x === 7)).toBe(true)
})

test('ids in three dimensions', () => {
  const k = kernel('k', { workgroupSize: [2, 3, 2], bindings: { y: output(U) } }, ({ y }, k) => {
    const g = k.globalId
    const n = k.numWorkgroups.mul(vec3u(2, 3, 2))
    y.at(g.x.add(g.y.mul(n.x)).add(g.z.mul(n.x).mul(n.y))).set(k.workgroupIndex.mul(100).add(k.localIndex))
  })
  const y = words(2 * 2 * 3 * 2 * 2 * 3)
  run(k, { y }, { workgroups: [2, 2, 3] })
  const expected = [...y].map((_, i) => {
    const [x, yy, z] = [i % 4, Math.floor(i / 4) % 6, Math.floor(i / 24)]
    const group = Math.floor(x / 2) + 2 * Math.floor(yy / 3) + 4 * Math.floor(z / 2)
    return group * 100 + (x % 2) + 2 * (yy % 3) + 6 * (z % 2)
  })
  expect([...y]).toEqual(expected)
})

test('overrides give values, workgroup sizes and array sizes', () => {
  const overrides = { size: override(u32, 4), scale: override(f32), on: override({ type: 'bool' }, true) }
  const k = kernel(
    'k',
    { workgroupSize: ['size'], bindings: { y: output(d.arrayOf(d.f32)) }, overrides },
    ({ y, size, scale, on }, k) => {
      const tile = k.workgroup('tile', d.f32, size as never)
      tile.at(k.localIndex).set(f32(k.localIndex).mul(scale))
      k.workgroupBarrier()
      y.at(k.localIndex).set(k.when(on, () => tile.at(size.sub(1).sub(k.localIndex)), -1))
    },
  )
  const y = floats(6)
  run(k, { y }, { overrides: { scale: 0.5 } })
  expect([...y]).toEqual([1.5, 1, 0.5, 0, 0, 0])
  run(k, { y }, { overrides: { scale: 2, size: 6 } })
  expect([...y]).toEqual([10, 8, 6, 4, 2, 0])
  run(k, { y }, { overrides: { scale: 2, size: 6, on: 0 } })
  expect([...y]).toEqual([-1, -1, -1, -1, -1, -1])
  for (const given of [{}, { scale: Number.NaN }, { scale: 1, size: 1.5 }, { scale: 1, other: 1 }]) {
    expect(codeOf(() => run(k, { y }, { overrides: given }))).toBe('bad-override')
  }
})

test('params by name, vectors as lanes', () => {
  const k = kernel(
    'k',
    { workgroupSize: [1], bindings: { y: output(d.arrayOf(d.f32)) }, params: { a: d.vec3f, n: d.i32, h: d.f32 } },
    ({ y, a, n, h }) => {
      y.at(0).set(a.x.add(a.z).mul(f32(n)).add(h))
    },
  )
  const y = floats(1)
  run(k, { y }, { params: { a: [1, 2, 3], n: -2, h: 0.5 } })
  expect(y[0]).toBe(-7.5)
  const block = new DataView(new ArrayBuffer(32))
  for (const [at, x] of [
    [0, 1],
    [4, 2],
    [8, 3],
  ] as const)
    block.setFloat32(at, x, true)
  block.setInt32(12, -3, true)
  block.setFloat32(16, 0.25, true)
  run(k, { y }, { params: new Uint8Array(block.buffer) })
  expect(y[0]).toBe(-11.75)
  expect(codeOf(() => run(k, { y }, { params: { a: [1, 2, 3], n: 1.5, h: 0 } }))).toBe('bad-param')
  expect(codeOf(() => run(k, { y }, { params: { a: [1, 2], n: 1, h: 0 } }))).toBe('bad-param')
  expect(codeOf(() => run(k, { y }, { params: { n: 1, h: 0 } }))).toBe('bad-param')
  expect(codeOf(() => run(k, { y }, { params: { a: [1, 2, 3], n: 1, h: 0, z: 1 } }))).toBe('bad-param')
})

const copy = kernel(
  'copy',
  {
    workgroupSize: [4],
    bindings: { x: input(U), y: output(U) },
    params: { n: d.u32 },
    aliases: [['x', 'y']],
    workgroups: ({ n }) => [ceilDiv(n, 4)],
  },
  ({ x, y, n }, k) => {
    const i = k.globalIndex
    k.if(i.lt(n), () => y.at(i).set(x.at(i).add(1)))
  },
)

test('what the host gives is checked', () => {
  const x = bytes(words(4))
  const go = (bindings: Record<string, Uint8Array>, workgroups = [1]) =>
    codeOf(() => interpret(copy.ir(), { bindings, params: { n: 4 }, workgroups }))
  expect(go({ x })).toBe('missing-binding')
  expect(go({ x, y: x, z: x })).toBe('extra-binding')
  expect(go({ x, y: x.subarray(0, 2) })).toBe('binding-size')
  expect(go({ x, y: x.subarray(1, 9) })).toBe('binding-size')
  expect(go({ x, y: { format: 'r32uint' } as never })).toBe('binding-type')
  expect(go({ x, y: x }, [1.5])).toBe('bad-workgroups')
  expect(codeOf(() => prepare(copy.ir(), { subgroupSize: 24 }))).toBe('bad-argument')
})

test('a prepared kernel runs again and again, and zero workgroups do nothing', () => {
  const prepared = prepare(copy.ir())
  const y = words(6)
  for (let i = 0; i < 3; i++)
    prepared.run({ bindings: { x: bytes(y), y: bytes(y) }, params: { n: 5 }, workgroups: [2] })
  prepared.run({ bindings: { x: bytes(y), y: bytes(y) }, params: { n: 5 }, workgroups: [0, 1, 1] })
  expect([...y]).toEqual([3, 3, 3, 3, 3, 0])
})

test('cpu() runs a compiled kernel from its IR; in an alias variant one name is enough', () => {
  const needs = { features: [], languageFeatures: [], limits: {}, alias: ['x', 'y'] as const }
  const variant = { id: 'portable+x=y', source: 'portable', needs } as unknown as CompiledVariant
  const params = { size: 16, fields: [{ name: 'n', type: 'u32', offset: 8, size: 4 }] }
  const compiled = {
    name: 'copy',
    params,
    overrides: [],
    ir: { portable: serialize(copy.ir()) },
  } as unknown as CompiledKernel
  const device = cpu({ subgroupSize: 8 })
  expect(device).toMatchObject({ kind: 'cpu', subgroupSize: 8 })
  const y = words(4)
  device
    .prepare(compiled, variant, {})
    .run({ bindings: { y: bytes(y) }, params: bytes(words(4, () => 3)), workgroups: [1, 1, 1] })
  expect([...y]).toEqual([1, 1, 1, 0])
  const { ir: _, ...without } = compiled
  expect(codeOf(() => device.prepare(without, variant, {}))).toBe('no-variant')

  const asked: string[] = []
  const told = cpu({
    kernels: (name) => {
      asked.push(name)
      return name === compiled.name ? compiled : undefined
    },
  })
  const z = words(4)
  told
    .prepare(without, variant, {})
    .run({ bindings: { y: bytes(z) }, params: bytes(words(4, () => 2)), workgroups: [1, 1, 1] })
  expect([...z]).toEqual([1, 1, 0, 0])
  told.prepare(compiled, variant, {})
  expect(asked).toEqual([compiled.name])
  expect(codeOf(() => told.prepare({ ...without, name: 'another' }, variant, {}))).toBe('no-variant')
})
