import { type Builder, d, type Expr, f32, input, kernel, output, typeOf, u32, vec2f } from '@weft/dsl'
import type { ParityCase } from '../case.js'
import { f32of, partly, u32of, u32s } from '../data.js'

/** In the order of the invocations, which SwiftShader and the interpreter put into subgroups of 4. */
const SIZE = 4

function subgroups(
  name: string,
  expected: ((i: number, x: (i: number) => number) => number) | null,
  body: (v: Expr<'u32'>, k: Builder, i: Expr<'u32'>) => Expr<'u32'>,
): ParityCase {
  const x = (i: number): number => (i * 7 + 3) % 16
  return {
    name: `subgroups: ${name}`,
    kernel: kernel(
      `subgroups_${name.replace(/\W+/g, '_')}`,
      {
        workgroupSize: [16],
        workgroups: () => [2],
        guards: 'off',
        bindings: { x: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32)) },
        variants: { subgroups: ['subgroups'] },
      },
      ({ x: a, out }, k) => {
        const i = k.let('i', k.globalIndex)
        out.at(i).set(body(k.let('v', a.at(i)), k, i))
      },
    ),
    bindings: { x: u32of(32, x), out: partly(33, u32s()) },
    ...(expected
      ? {
          expect: {
            out: partly(
              33,
              u32of(32, (i) => expected(i, x) >>> 0),
            ),
          },
        }
      : {}),
    ...(name.startsWith('elect') ? { tintOnly: 'naga has no subgroupElect' } : {}),
  }
}

const first = (i: number): number => i - (i % SIZE)
const group = (i: number): number[] => Array.from({ length: SIZE }, (_, l) => first(i) + l)
const over =
  (f: (a: number, b: number) => number) =>
  (i: number, x: (i: number) => number): number =>
    group(i)
      .map(x)
      .reduce((a, b) => f(a, b))
const before =
  (f: (a: number, b: number) => number, zero: number, inclusive: boolean) =>
  (i: number, x: (i: number) => number): number =>
    group(i)
      .filter((j) => j < i || (inclusive && j === i))
      .map(x)
      .reduce((a, b) => f(a, b), zero)
const sum = (a: number, b: number): number => a + b
const times = (a: number, b: number): number => Math.imul(a, b)

/** Adds over the workgroup with what the variant has. */
function workgroupSum(k: Builder, value: Expr<'f32'>): Expr<'f32'> {
  const partial = k.workgroup('partial', typeOf(value), 64)
  if (k.variant === 'subgroups') {
    const part = k.subgroupAdd(value)
    k.if(k.subgroupInvocationId.eq(0), () => partial.at(k.localIndex.div(k.subgroupSize)).set(part))
    k.workgroupBarrier()
    const total = k.var('total', f32(0))
    k.range('s', u32(64).div(k.subgroupSize), (s) => total.addAssign(partial.at(s)))
    return total
  }
  partial.at(k.localIndex).set(value)
  k.workgroupBarrier()
  for (let half = 32; half >= 1; half /= 2) {
    k.if(k.localIndex.lt(half), () => partial.at(k.localIndex).addAssign(partial.at(k.localIndex.add(half))))
    k.workgroupBarrier()
  }
  return partial.at(0)
}

export const subgroupCases: readonly ParityCase[] = [
  subgroups(
    'size and ids',
    (i) => SIZE * 100 + (i % SIZE),
    (_, k) => k.subgroupSize.mul(100).add(k.subgroupInvocationId),
  ),
  subgroups('add', over(sum), (v, k) => k.subgroupAdd(v)),
  subgroups('exclusive add', before(sum, 0, false), (v, k) => k.subgroupExclusiveAdd(v)),
  subgroups('inclusive add', before(sum, 0, true), (v, k) => k.subgroupInclusiveAdd(v)),
  subgroups('mul', over(times), (v, k) => k.subgroupMul(v)),
  subgroups('exclusive mul', before(times, 1, false), (v, k) => k.subgroupExclusiveMul(v)),
  subgroups('inclusive mul', before(times, 1, true), (v, k) => k.subgroupInclusiveMul(v)),
  subgroups('min', over(Math.min), (v, k) => k.subgroupMin(v)),
  subgroups('max', over(Math.max), (v, k) => k.subgroupMax(v)),
  subgroups(
    'and',
    over((a, b) => a & b),
    (v, k) => k.subgroupAnd(v),
  ),
  subgroups(
    'or',
    over((a, b) => a | b),
    (v, k) => k.subgroupOr(v),
  ),
  subgroups(
    'xor',
    over((a, b) => a ^ b),
    (v, k) => k.subgroupXor(v),
  ),
  subgroups(
    'all and any',
    (i, x) => (group(i).every((j) => x(j) > 2) ? 1 : 0) + (group(i).some((j) => x(j) > 12) ? 10 : 0),
    (v, k) => u32(k.subgroupAll(v.gt(2))).add(u32(k.subgroupAny(v.gt(12))).mul(10)),
  ),
  subgroups(
    'ballot',
    (i, x) => group(i).reduce((bits, j, l) => bits | (x(j) & 1 ? 1 << l : 0), 0),
    (v, k) => k.subgroupBallot(v.bitAnd(1).eq(1)).x,
  ),
  subgroups(
    'broadcast',
    (i, x) => x(first(i) + 2),
    (v, k) => k.subgroupBroadcast(v, 2),
  ),
  subgroups(
    'broadcast first',
    (i, x) => x(first(i)),
    (v, k) => k.subgroupBroadcastFirst(v),
  ),
  subgroups(
    'elect',
    (i) => (i % SIZE === 0 ? 1 : 0),
    (_, k) => u32(k.subgroupElect()),
  ),
  subgroups(
    'shuffle',
    (i, x) => x(first(i) + ((i + 1) % SIZE)),
    (v, k, i) => k.subgroupShuffle(v, i.add(1).rem(4)),
  ),
  subgroups(
    'shuffle xor',
    (i, x) => x(first(i) + ((i % SIZE) ^ 1)),
    (v, k) => k.subgroupShuffleXor(v, 1),
  ),
  // where the source is outside the subgroup the value is indeterminate, so it is not used
  subgroups(
    'shuffle down',
    (i, x) => (i % SIZE < 3 ? x(i + 1) : 0),
    (v, k, i) => {
      const s = k.let('s', k.subgroupShuffleDown(v, 1))
      return k.when(i.rem(4).lt(3), () => s, 0)
    },
  ),
  subgroups(
    'shuffle up',
    (i, x) => (i % SIZE >= 2 ? x(i - 2) : 0),
    (v, k, i) => {
      const s = k.let('s', k.subgroupShuffleUp(v, 2))
      return k.when(i.rem(4).ge(2), () => s, 0)
    },
  ),
  subgroups(
    'quad broadcast',
    (i, x) => x(first(i) + 3),
    (v, k) => k.quadBroadcast(v, 3),
  ),
  subgroups(
    'quad swaps',
    (i, x) => x(i ^ 1) + 16 * x(i ^ 2) + 256 * x(i ^ 3),
    (v, k) => k.quadSwapX(v).add(k.quadSwapY(v).mul(16)).add(k.quadSwapDiagonal(v).mul(256)),
  ),
  {
    name: 'subgroups: vectors of floats',
    kernel: kernel(
      'subgroup_vectors',
      {
        workgroupSize: [8],
        workgroups: () => [1],
        guards: 'off',
        bindings: { x: input(d.arrayOf(d.vec2f)), y: output(d.arrayOf(d.vec2f)) },
        variants: { subgroups: ['subgroups'] },
      },
      ({ x, y }, k) => {
        y.at(k.localIndex).set(k.subgroupAdd(x.at(k.localIndex)).add(vec2f(1, 2)))
      },
    ),
    bindings: { x: f32of(16, (i) => i), y: partly(18, new Float32Array()) },
    expect: {
      y: partly(
        18,
        f32of(16, (i) => {
          const base = Math.floor(i / 8) * 8 + (i % 2)
          return base * 4 + 12 + 1 + (i % 2)
        }),
      ),
    },
  },
  {
    name: 'subgroups: a workgroup sum with a variant for each',
    kernel: kernel(
      'sum_variants',
      {
        workgroupSize: [64],
        workgroups: () => [2],
        guards: 'off',
        bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
        variants: { subgroups: ['subgroups'], portable: [] },
      },
      ({ x, y }, k) => {
        const total = workgroupSum(k, x.at(k.globalIndex))
        k.if(k.localIndex.eq(0), () => y.at(k.workgroupIndex).set(total))
      },
    ),
    bindings: { x: f32of(128, (i) => i), y: partly(3, new Float32Array()) },
    expect: { y: partly(3, Float32Array.of((63 * 64) / 2, (63 * 64) / 2 + 64 * 64)) },
  },
]
