import type { CompiledKernel } from '@weft/codegen'
import { expect, expectTypeOf, it } from 'vitest'
import { createRuntime } from './create'
import type { Arguments, TypedKernel } from './signature'
import { failure } from './testing/expect'
import { fakeCpu, saxpy as untyped } from './testing/fixtures'

type Saxpy = TypedKernel<{
  bindings: { x: 'array<f32>'; y: 'array<f32>' }
  params: { n: 'u32'; a: 'f32' }
}>
const saxpy: Saxpy = untyped

it('types the arguments of a kernel by its signature', async () => {
  const runtime = await createRuntime({ device: fakeCpu({}) })
  const [x, y] = [runtime.buffer(Float32Array, 1), runtime.buffer(Float32Array, 1)]
  await runtime.run(saxpy, { x, y, n: 1, a: 2 })
  const run = runtime.load(saxpy)
  await run({ x: { buffer: x, offset: 0 }, y, n: 1, a: 2 })
  // @ts-expect-error: y is missing
  await failure('missing-binding', () => runtime.run(saxpy, { x, n: 1, a: 2 }))
  // @ts-expect-error: z is not a binding
  await failure('extra-binding', () => run({ x, y, z: y, n: 1, a: 2 }))
  // @ts-expect-error: n is a number
  await failure('bad-param', () => run({ x, y, n: '1', a: 2 }))
  // @ts-expect-error: a typed array is not a buffer
  await failure('binding-type', () => run({ x: new Float32Array(1), y, n: 1, a: 2 }))
})

it('leaves a kernel of unknown signature to the checks at run time', () => {
  expectTypeOf<Arguments<CompiledKernel>>().toEqualTypeOf<Readonly<Record<string, unknown>>>()
  expectTypeOf<Arguments<Saxpy>['n']>().toEqualTypeOf<number>()
  expect(saxpy.name).toBe('saxpy')
})
