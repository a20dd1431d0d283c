import { compile } from '@weft/codegen'
import { ceilDiv, d, f32, fn, input, kernel, output, override, u32, uniform } from '@weft/dsl'
import { createRuntime as wrap } from '@weft/runtime'
import { createRuntime } from '@weft/runtime/node'
import { describe, expect, it } from 'vitest'
import { DEVICES, onDevices } from '../edge-cases/devices.js'
import { missing } from '../engines/install.js'
import { affine, combine, counting, fill } from './kernels.js'
import { gpuWithout, tamperedDevice } from './tampered.js'

/** Caches: what is in their keys, whose they are, and what a call costs when everything is in them. */

const changed = (list: readonly number[], at: number, value: number) => list.map((v, i) => (i === at ? value : v))

interface Baked {
  readonly clip?: number
  readonly activation?: 'relu' | 'none'
  readonly layout?: 'nhwc' | 'nchw'
}

/** One name, one interface; what differs is baked into the text. x is [4 pixels, 2 channels] or [2 channels, 4 pixels]. */
const baked = ({ clip = 1e9, activation = 'none', layout = 'nhwc' }: Baked) =>
  compile(
    kernel(
      'baked',
      {
        workgroupSize: [64],
        bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
        params: { n: d.u32 },
        workgroups: ({ n }) => [ceilDiv(n, 64)],
      },
      ({ x, y, n }, k) => {
        const i = k.globalIndex
        const channel = layout === 'nhwc' ? i.rem(2) : i.div(4)
        const v = fn.min(x.at(i).add(f32(channel).mul(100)), clip)
        k.if(i.lt(n), () => y.at(i).set(activation === 'relu' ? fn.max(v, 0) : v))
      },
    ),
  )

describe('pipelines', () => {
  it('[case-R01] are told apart by everything that is baked in: activation, digits of a bound, layout', () =>
    onDevices(async (runtime) => {
      const x = runtime.buffer(Float32Array.of(-1, 2, 3e6, 4, 5, 6, 7, 8))
      const run = async (options: Baked) => {
        const y = runtime.buffer(Float32Array, 8)
        await runtime.run(baked(options), { x, y, n: 8 } as never)
        return [...(await y.read())]
      }
      const nhwc = [-1, 102, 3e6, 104, 5, 106, 7, 108]
      expect(await run({ activation: 'relu' })).toEqual(changed(nhwc, 0, 0))
      expect(await run({ activation: 'none' })).toEqual(nhwc)
      expect(await run({ clip: 2000017 })).toEqual(changed(nhwc, 2, 2000017))
      expect(await run({ clip: 2000021 })).toEqual(changed(nhwc, 2, 2000021))
      expect(await run({ layout: 'nchw' })).toEqual([-1, 2, 3e6, 4, 105, 106, 107, 108])
      expect(await run({ layout: 'nhwc' })).toEqual(nhwc)
      // the last one is the second again; the interpreter has no text to compare
      if (runtime.device) expect(runtime.stats.pipelines.entries).toBe(5)
    }))

  it('[case-R04] of one source are one, and each call has its own buffers and constants', () =>
    onDevices(async (runtime) => {
      const make = () =>
        compile(
          kernel(
            'scale',
            {
              workgroupSize: [64],
              bindings: { x: input(d.arrayOf(d.u32)), y: output(d.arrayOf(d.u32)) },
              overrides: { by: override(u32, 1) },
              guards: 'off',
              workgroups: () => [1],
            },
            ({ x, y, by }, k) => y.at(k.localIndex).set(x.at(k.localIndex).mul(by)),
          ),
        )
      const [first, second] = [make(), make()]
      const jobs = [first, second, first].map((kernel, i) => {
        const [x, y] = [runtime.buffer(counting(64, i)), runtime.buffer(Uint32Array, 64)]
        return { y, i, done: runtime.run(kernel, { x, y } as never, { overrides: { by: i === 1 ? 5 : 2 } }) }
      })
      for (const { y, i } of jobs) expect(await y.read()).toEqual(counting(64, i).map((v) => v * (i === 1 ? 5 : 2)))
      await Promise.all(jobs.map(({ done }) => done))
    }))

  it('[prior-R11] go by their text, not by a hash that the caller gives, and the text is not looked at to dispatch', () =>
    onDevices(async (runtime) => {
      let reads = 0
      const watched = (value: number) => ({
        ...affine,
        hash: 'the same',
        variants: affine.variants.map((v) => ({
          ...v,
          get wgsl() {
            reads++
            return v.wgsl.replace('* params.a', `* params.a * ${value}u`)
          },
        })),
      })
      const [once, twice] = [watched(1), watched(2)]
      const [x, y] = [runtime.buffer(counting(8)), runtime.buffer(Uint32Array, 8)]
      const call = async (kernel: typeof once) => {
        await runtime.run(kernel, { x, y, n: 8, a: 1, b: 0 } as never)
        return [...(await y.read())]
      }
      await call(once)
      // the interpreter runs the IR, so the text makes no difference there
      if (runtime.device) expect(await call(twice)).toEqual([...counting(8)].map((v) => 2 * v))
      const before = reads
      for (let i = 0; i < 20; i++) await runtime.run(once, { x, y, n: 8, a: 1, b: i } as never)
      expect(reads).toBe(before)
      expect([...(await y.read())]).toEqual([...counting(8, 19)])
    }))

  it.skipIf(missing('dawn') !== undefined)(
    '[prior-R10] belong to their device, as do the features that variants are chosen by',
    async () => {
      const bySubgroups = compile(
        kernel(
          'lanes',
          {
            workgroupSize: [64],
            bindings: { y: output(d.arrayOf(d.u32)) },
            workgroups: () => [1],
            variants: { subgroups: ['subgroups'], portable: [] },
            guards: 'off',
          },
          ({ y }, k) => y.at(k.localIndex).set(k.variant === 'subgroups' ? k.subgroupMin(u32(1)) : u32(2)),
        ),
      )
      const full = await createRuntime()
      const plain = await createRuntime({ gpu: await gpuWithout('subgroups', 'subgroup-size-control') })
      const use = async (runtime: typeof full) => {
        const y = runtime.buffer(Uint32Array, 64)
        await runtime.run(bySubgroups, { y } as never)
        return (await y.read())[63]
      }
      expect([await use(full), await use(plain), await use(full)]).toEqual([1, 2, 1])
      expect([full, plain].map(({ stats }) => [stats.pipelines.entries, stats.pipelines.misses])).toEqual([
        [1, 1],
        [1, 1],
      ])
      full.destroy()
      expect([await use(plain), full.stats.pipelines.entries, plain.stats.pipelines.entries]).toEqual([2, 0, 1])
      plain.destroy()
    },
  )
})

describe('bindings', () => {
  it('[case-R05] a call uses the buffers that it is given, whichever of them changed since the last one', () =>
    onDevices(async (runtime) => {
      const mixed = compile(
        kernel(
          'mixed',
          {
            workgroupSize: [64],
            bindings: { x: input(d.arrayOf(d.f32)), scale: uniform(d.vec4f), y: output(d.arrayOf(d.f32)) },
            guards: 'off',
            workgroups: () => [1],
          },
          ({ x, scale, y }, k) => y.at(k.localIndex).set(x.at(k.localIndex).mul(scale.x)),
        ),
      )
      const xs = [1, 2].map((v) => runtime.buffer(new Float32Array(64).fill(v)))
      const scales = [10, 100].map((v) => runtime.buffer(Float32Array.of(v, 0, 0, 0)))
      const ys = [0, 1].map(() => runtime.buffer(Float32Array, 64))
      for (const [x = 0, s = 0, y = 0] of [
        [0, 0, 0],
        [1, 0, 0],
        [1, 0, 1],
        [1, 1, 1],
        [0, 1, 1],
        [0, 1, 0],
        [0, 0, 0],
      ]) {
        for (const out of ys) out.write(new Float32Array(64).fill(-1))
        await runtime.run(mixed, { x: xs[x], scale: scales[s], y: ys[y] } as never)
        const all = await Promise.all(ys.map(async (out) => (await out.read())[5]))
        expect(all).toEqual(changed([-1, -1], y, (x + 1) * (s === 0 ? 10 : 100)))
      }
    }))

  it('[case-R07] a buffer that was destroyed and made again, larger, is the new one', () =>
    onDevices(async (runtime) => {
      const user = { x: runtime.buffer(new Uint32Array(64).fill(1)), y: runtime.buffer(Uint32Array, 64) }
      for (const n of [64, 128, 64, 300]) {
        user.x.destroy()
        user.y.destroy()
        user.x = runtime.buffer(counting(n, n))
        user.y = runtime.buffer(Uint32Array, n)
        await runtime.run(affine, { ...user, n, a: 1, b: 1 })
        expect(await user.y.read()).toEqual(counting(n, n + 1))
      }
    }))

  it('[prior-R09] the order of names makes no difference, and which buffer has which name does', () =>
    onDevices(async (runtime) => {
      const [a, b] = [runtime.buffer(new Uint32Array(32).fill(1)), runtime.buffer(new Uint32Array(32).fill(10))]
      const out = runtime.buffer(Uint32Array, 32)
      const rest = { out, n: 32, shift: 0 }
      for (const [args, value] of [
        [{ p: a, q: b, ...rest }, 13],
        [{ q: b, p: a, ...rest }, 13],
        [{ p: b, q: a, ...rest }, 31],
        [{ ...rest, q: a, p: b }, 31],
        [{ p: a, ...rest, q: b }, 13],
      ] as const) {
        await runtime.run(combine, args)
        expect((await out.read())[31]).toBe(value)
      }
    }))

  it.skipIf(missing('dawn') !== undefined)(
    '[prior-R12] a call whose like was there before makes no pipeline, no bind group, no buffer',
    async () => {
      const { device, calls, close } = await tamperedDevice()
      const runtime = await wrap({ device })
      const [x, y] = [runtime.buffer(counting(64)), runtime.buffer(Uint32Array, 64)]
      const call = async (b: number) => {
        await runtime.run(affine, { x, y, n: 64, a: 1, b })
        x.write(counting(64, b))
        return (await y.read())[0]
      }
      for (let i = 0; i < 3; i++) await call(i)
      const { createBuffer, createBindGroup, createShaderModule, createComputePipelineAsync } = calls
      for (let i = 0; i < 50; i++) await call(i)
      expect(calls).toMatchObject({ createBuffer, createBindGroup, createShaderModule, createComputePipelineAsync })
      runtime.destroy()
      close()
    },
  )
})

it('every device of these tests is there, or said to be missing', () => {
  expect(DEVICES.map(({ name }) => name)).toEqual(
    missing('dawn') === undefined ? ['interpreter', 'dawn'] : ['interpreter'],
  )
})

it('[prior-R50] integers are integers: ids and counts above 2^24 keep their last digit, in params and in buffers', () =>
  onDevices(async (runtime) => {
    const ids = Uint32Array.of(16777217, 4294967295, 2147483649)
    const out = runtime.buffer(Uint32Array, 3)
    await runtime.run(fill, { out, n: 1, value: 16777217 })
    await runtime.run(affine, { x: runtime.buffer(ids), y: out, n: 3, a: 1, b: 0 })
    expect(await out.read()).toEqual(ids)
    await runtime.run(fill, { out, n: 3, value: 16777217 })
    expect((await out.read())[2]).toBe(16777217)
  }))
