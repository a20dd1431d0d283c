/** Small kernels over u32, exact on every engine, for tests of what the runtime does around them. */
import { compile } from '@weft/codegen'
import { ceilDiv, d, f16, f32, inout, input, kernel, output } from '@weft/dsl'

const numbers = d.arrayOf(d.u32)

/** out[i] = value */
export const fill = compile(
  kernel(
    'fill',
    {
      workgroupSize: [64],
      bindings: { out: output(numbers) },
      params: { n: d.u32, value: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 64)],
    },
    ({ out, n, value }, k) => {
      const i = k.globalIndex
      k.if(i.lt(n), () => out.at(i).set(value))
    },
  ),
)

/** y[i] = a · x[i] + b, in place too. */
export const affine = compile(
  kernel(
    'affine',
    {
      workgroupSize: [64],
      bindings: { x: input(numbers), y: output(numbers) },
      params: { n: d.u32, a: d.u32, b: d.u32 },
      aliases: [['x', 'y']],
      workgroups: ({ n }) => [ceilDiv(n, 64)],
    },
    ({ x, y, n, a, b }, k) => {
      const i = k.globalIndex
      k.if(i.lt(n), () => y.at(i).set(x.at(i).mul(a).add(b)))
    },
  ),
)

/** out[i] = 3 · p[i] + q[(i + shift) % n] */
export const combine = compile(
  kernel(
    'combine',
    {
      workgroupSize: [32],
      bindings: { p: input(numbers), q: input(numbers), out: output(numbers) },
      params: { n: d.u32, shift: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 32)],
    },
    ({ p, q, out, n, shift }, k) => {
      const i = k.globalIndex
      k.if(i.lt(n), () =>
        out.at(i).set(
          p
            .at(i)
            .mul(3)
            .add(q.at(i.add(shift).rem(n))),
        ),
      )
    },
  ),
)

/** sum[i] += x[i] */
export const accumulate = compile(
  kernel(
    'accumulate',
    {
      workgroupSize: [64],
      bindings: { x: input(numbers), sum: inout(numbers) },
      params: { n: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 64)],
    },
    ({ x, sum, n }, k) => {
      const i = k.globalIndex
      k.if(i.lt(n), () => sum.at(i).addAssign(x.at(i)))
    },
  ),
)

/** out[3i] = x[i]: two thirds of the output are not written. */
export const scatter = compile(
  kernel(
    'scatter',
    {
      workgroupSize: [64],
      bindings: { x: input(numbers), out: output(numbers, { writes: 'partial' }) },
      params: { n: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 64)],
    },
    ({ x, out, n }, k) => {
      const i = k.globalIndex
      k.if(i.lt(n), () => out.at(i.mul(3)).set(x.at(i)))
    },
  ),
)

/** counts[x[i] % 4] += 1, by atomics: what it adds to must be known. */
export const histogram = compile(
  kernel(
    'histogram',
    {
      workgroupSize: [64],
      bindings: { x: input(numbers), counts: inout(d.arrayOf(d.atomic(d.u32))) },
      params: { n: d.u32 },
      workgroups: ({ n }) => [ceilDiv(n, 64)],
    },
    ({ x, counts, n }, k) => {
      const i = k.globalIndex
      k.if(i.lt(n), () => counts.at(x.at(i).rem(4)).add(1))
    },
  ),
)

/** y[i] = x[i] + 1/3: in f16 where the device has it, if the author says so, else in f32. */
export const third = (variants: { half?: readonly ['f16']; single?: readonly [] }) =>
  compile(
    kernel(
      'third',
      {
        workgroupSize: [64],
        bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
        params: { n: d.u32 },
        variants: variants as Record<string, readonly 'f16'[]>,
        workgroups: ({ n }) => [ceilDiv(n, 64)],
      },
      ({ x, y, n }, k) => {
        const i = k.globalIndex
        k.if(i.lt(n), () =>
          y.at(i).set((k.variant as string) === 'half' ? f32(f16(x.at(i)).add(1 / 3)) : x.at(i).add(1 / 3)),
        )
      },
    ),
  )

/** `n` numbers, counting up. */
export const counting = (n: number, from = 0): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: n }, (_, i) => i + from)
