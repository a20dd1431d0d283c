import { type Builder, d, f32, fn, func, inout, input, kernel, output, u32, vec4f } from '@weft/dsl'
import { checkStructure, type KernelSource } from '@weft/dsl/ir'
import { describe, expect, test } from 'vitest'
import { show } from '../tools'

const f32s = d.arrayOf(d.f32)

/** The body of the entry point, without its indentation. */
function bodyOf(source: KernelSource): string {
  const lines = show(source, { profile: 'baseline', validate: 'each', check: checkStructure }).trimEnd().split('\n')
  const start = lines.findIndex((l) => l.startsWith('@compute'))
  const open = lines.findIndex((l, i) => i > start && l.endsWith(') {'))
  return lines
    .slice(open + 1, -1)
    .map((l) => l.slice(2))
    .join('\n')
}

const kernelOf = (
  body: (out: { at(i: unknown): { set(x: unknown): void } }, k: Builder, x: { at(i: unknown): never }) => void,
): KernelSource =>
  kernel(
    'test',
    { workgroupSize: [64], bindings: { x: input(f32s), out: inout(f32s) }, guards: 'off' },
    ({ x, out }, k) => body(out as never, k, x as never),
  )

const text = (s: TemplateStringsArray): string => {
  const lines = (s[0] as string).split('\n').slice(1, -1)
  const indent = lines.reduce((least, l) => (l.trim() === '' ? least : Math.min(least, l.search(/\S/))), 99)
  return lines.map((l) => l.slice(indent)).join('\n')
}

test('a whole module', () => {
  const saxpy = kernel(
    'saxpy',
    {
      workgroupSize: [64],
      bindings: { x: input(f32s), y: inout(f32s) },
      params: { n: d.u32, alpha: d.f32 },
      workgroups: ({ n }) => [n],
    },
    ({ x, y, n, alpha }, k) => {
      const i = k.let('i', k.globalId.x)
      k.if(i.lt(n), () => y.at(i).addAssign(alpha.mul(x.at(i))))
    },
  )
  expect(show(saxpy, { doc: 'y += alpha x' })).toBe(
    `${text`
    // y += alpha x

    struct Params {
      n: u32,
      alpha: f32,
    }

    @group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var<storage, read_write> y: array<f32>;
    @group(0) @binding(2) var<uniform> params: Params;

    @compute @workgroup_size(64)
    fn main(@builtin(global_invocation_id) global_id: vec3u) {
      let i = global_id.x;
      if (i < params.n) {
        y[i] += params.alpha * x[i];
      }
    }
  `}\n`,
  )
})

test('the same kernel gives the same text', () => {
  const source = kernelOf((out, k, x) => out.at(k.localIndex).set(x.at(k.localIndex)))
  expect(show(source)).toBe(show(source))
})

describe('reads happen where they are written', () => {
  test('a variable that is set before its old value is used', () => {
    expect(
      bodyOf(
        kernelOf((out, k) => {
          const acc = k.var('acc', f32(1))
          const t = acc.add(1)
          acc.set(5)
          out.at(0).set(t)
          out.at(1).set(acc)
        }),
      ),
    ).toBe(text`
      var acc = 1.0f;
      let acc_value = acc;
      acc = 5.0f;
      out[0] = acc_value + 1.0f;
      out[1] = acc;
    `)
  })

  test('a read of storage does not pass a store that may change it', () => {
    expect(
      bodyOf(
        kernelOf((out, k) => {
          const before = (out as unknown as { at(i: unknown): { add(n: number): unknown } }).at(1).add(0.5)
          out.at(k.localIndex).set(3)
          out.at(2).set(before)
        }),
      ),
    ).toBe(text`
      let out_value = out[1];
      out[local_index] = 3.0f;
      out[2] = out_value + 0.5f;
    `)
  })

  test('nor a barrier, nor into a loop', () => {
    const source = kernel(
      'test',
      { workgroupSize: [64], bindings: { x: input(f32s), out: output(f32s) }, guards: 'off' },
      ({ x, out }, k) => {
        const t = k.workgroup('t', f32, 64)
        const before = t.at(0).add(1)
        k.workgroupBarrier()
        const invariant = x.at(0).mul(2)
        k.range('i', 8, (i) => out.at(i).set(invariant.add(before)))
      },
    )
    expect(bodyOf(source)).toBe(text`
      let t_value = t[0];
      workgroupBarrier();
      let x_value = x[0];
      for (var i = 0u; i < 8u; i++) {
        out[i] = x_value * 2.0f + (t_value + 1.0f);
      }
    `)
  })

  test('a loop that writes a variable reads it anew in each round', () => {
    expect(
      bodyOf(
        kernelOf((out, k) => {
          const n = k.var('n', f32(1))
          const start = n.mul(2)
          k.range('i', 8, () => n.set(n.add(start)))
          out.at(0).set(n)
        }),
      ),
    ).toBe(text`
      var n = 1.0f;
      let n_value = n;
      for (var i = 0u; i < 8u; i++) {
        n += n_value * 2.0f;
      }
      out[0] = n;
    `)
  })
})

describe('shared expressions', () => {
  test('are bound once, before the first use that dominates the others', () => {
    expect(
      bodyOf(
        kernelOf((out, k, x) => {
          const i = k.localIndex.mul(3).add(k.workgroupId.x)
          k.if(
            k.localIndex.lt(7),
            () => out.at(i).set(x.at(i)),
            () => out.at(i.add(1)).set(1),
          )
        }),
      ),
    ).toBe(text`
      let x_index = local_index * 3u + workgroup_id.x;
      if (local_index < 7u) {
        out[x_index] = x[x_index];
      } else {
        out[x_index + 1u] = 1.0f;
      }
    `)
  })

  test('of one branch only stay in it', () => {
    expect(
      bodyOf(
        kernelOf((out, k, x) => {
          const i = k.localIndex.mul(3)
          k.if(k.localIndex.lt(7), () => out.at(i).set(x.at(i)))
        }),
      ),
    ).toBe(text`
      if (local_index < 7u) {
        let x_index = local_index * 3u;
        out[x_index] = x[x_index];
      }
    `)
  })

  test('take the name of the author, and no second one', () => {
    expect(
      bodyOf(
        kernelOf((out, k, x) => {
          const i = k.localIndex.mul(3)
          const row = k.let('row', i)
          const again = k.let('again', i)
          out.at(row).set(x.at(i))
          out.at(again.add(1)).set(0)
        }),
      ),
    ).toBe(text`
      let row = local_index * 3u;
      out[row] = x[row];
      out[row + 1u] = 0.0f;
    `)
  })

  test('leave a loop that does not change them', () => {
    expect(
      bodyOf(
        kernelOf((out, k, x) => {
          k.range('i', 8, (i) => {
            const base = k.localIndex.mul(100)
            out.at(base.add(i)).set((x.at(base) as unknown as { add(n: number): unknown }).add(1))
          })
        }),
      ),
    ).toBe(text`
      let x_index = local_index * 100u;
      for (var i = 0u; i < 8u; i++) {
        out[x_index + i] = x[x_index] + 1.0f;
      }
    `)
  })
})

describe('operators', () => {
  test('parentheses by the grammar of WGSL, and no others', () => {
    const source = kernel(
      'test',
      {
        workgroupSize: [64],
        bindings: { out: output(d.arrayOf(d.u32)) },
        params: { a: d.u32, b: d.u32, c: d.u32 },
        guards: 'off',
      },
      ({ out, a, b, c }) => {
        let at = 0
        const put = (x: ReturnType<typeof u32>): void => out.at(at++).set(x)
        put(a.add(b).mul(c))
        put(a.add(c.mul(b)))
        put(a.sub(b.sub(c)))
        put(c.sub(b).sub(a))
        put(a.div(b.mul(c)))
        put(a.bitAnd(b).bitOr(c))
        put(c.bitAnd(b).bitAnd(a))
        put(b.add(c).shl(a))
        put(a.shl(b).add(c))
        put(u32(a.lt(b).and(b.lt(c)).or(a.eq(c))))
        put(u32(c.bitAnd(a).eq(b)))
        put(u32(a.lt(b).not()))
        put(fn.select(a, b, a.lt(b)))
        put(u32(fn.select(a.lt(b), b.gt(c), a.le(c))))
        put(a.bitNot().bitNot().add(b.bitNot()))
      },
    )
    expect(bodyOf(source)).toBe(text`
      out[0] = (params.a + params.b) * params.c;
      out[1] = params.a + params.c * params.b;
      out[2] = params.a - (params.b - params.c);
      out[3] = params.c - params.b - params.a;
      out[4] = params.a / (params.b * params.c);
      out[5] = (params.a & params.b) | params.c;
      out[6] = params.c & params.b & params.a;
      out[7] = (params.b + params.c) << params.a;
      out[8] = (params.a << params.b) + params.c;
      let a_in = params.a < params.b;
      out[9] = u32((a_in && params.b < params.c) || params.a == params.c);
      out[10] = u32((params.c & params.a) == params.b);
      out[11] = u32(!a_in);
      out[12] = select(params.a, params.b, a_in);
      out[13] = u32(select(a_in, (params.b > params.c), (params.a <= params.c)));
      out[14] = ~~params.a + ~params.b;
    `)
  })

  test('signs, splats and swizzles', () => {
    const source = kernel(
      'test',
      { workgroupSize: [64], bindings: { v: inout(d.arrayOf(d.vec4f)) }, params: { s: d.f32 }, guards: 'off' },
      ({ v, s }, k) => {
        const i = k.localIndex
        v.at(i).set(
          v
            .at(i)
            .mul(s)
            .sub(-1)
            .add(vec4f(1, 2, 3, 4)),
        )
        v.at(i).x.set(v.at(i).y.neg().neg().sub(s.neg()))
        v.at(i).addAssign(v.at(0).mul(2))
        v.at(i).mulAssign(s)
      },
    )
    expect(bodyOf(source)).toBe(text`
      v[local_index] = v[local_index] * params.s - (-1.0f) + vec4f(1.0f, 2.0f, 3.0f, 4.0f);
      v[local_index].x = v[local_index].y - (-params.s);
      v[local_index] += v[0] * 2.0f;
      v[local_index] *= params.s;
    `)
  })
})

test('loops keep their form', () => {
  expect(
    bodyOf(
      kernelOf((out, k) => {
        const n = k.var('n', u32(0))
        k.for(
          'i',
          u32(0),
          (i) => i.lt(10),
          (i) => i.add(2),
          (i) => n.addAssign(i),
        )
        k.while(
          () => n.gt(100),
          () => n.set(n.div(2)),
        )
        k.loop(
          () => {
            const doubled = k.let('doubled', n.mul(2))
            k.if(doubled.gt(1000), () => k.break())
            n.addAssign(1)
          },
          () => n.gt(50),
        )
        k.range('i', 0, n, 3, (i) => out.at(i).set(1))
      }),
    ),
  ).toBe(text`
    var n = 0u;
    for (var i = 0u; i < 10u; i += 2u) {
      n += i;
    }
    while (n > 100u) {
      n /= 2u;
    }
    loop {
      let doubled = n * 2u;
      if (doubled > 1000u) {
        break;
      }
      n += 1u;
      continuing {
        break if n > 50u;
      }
    }
    for (var i = 0u; i < n; i += 3u) {
      out[i] = 1.0f;
    }
  `)
})

test('a bound that the loop changes, or that costs something, is evaluated before', () => {
  expect(
    bodyOf(
      kernelOf((out, k) => {
        const n = k.var('n', u32(9))
        k.range('i', 0, n, 1, () => n.addAssign(1))
        k.range('j', 0, n.div(4).add(1), 1, (j) => out.at(j).set(1))
      }),
    ),
  ).toBe(text`
    var n = 9u;
    let n_value = n;
    for (var i = 0u; i < n_value; i++) {
      n += 1u;
    }
    let n_1 = n / 4u + 1u;
    for (var j = 0u; j < n_1; j++) {
      out[j] = 1.0f;
    }
  `)
})

test('functions come before their callers and stand in expressions', () => {
  const square = func('square(x)', [f32], (x) => x.mul(x))
  const source = kernel(
    'test',
    { workgroupSize: [64], bindings: { x: input(f32s), out: output(f32s) }, guards: 'off' },
    ({ x, out }, k) => {
      out.at(k.localIndex).set(square(x.at(k.localIndex)).add(1))
    },
  )
  expect(show(source)).toContain(text`
    fn square(x: f32) -> f32 {
      return x * x;
    }

    @compute @workgroup_size(64)
    fn main(@builtin(local_invocation_index) local_index: u32) {
      out[local_index] = square(x[local_index]) + 1.0f;
    }
  `)
})

test('a struct that only a body mentions has its name before anything in the body', () => {
  const Pair = d.struct({ a: d.f32, b: d.f32 }).$name('Pair')
  const source = kernel(
    'test',
    { workgroupSize: [64], bindings: { x: input(f32s), out: output(f32s) }, guards: 'off' },
    ({ x, out }, k) => {
      k.if(k.localIndex.lt(9), () => {
        const sum = k.let('Pair', x.at(k.localIndex).add(1))
        const pair = k.var('pair', Pair)
        pair.a.set(sum)
        out.at(k.localIndex).set(sum.add(pair.a))
      })
    },
  )
  const wgsl = show(source)
  expect(wgsl).toContain('struct Pair {')
  expect(wgsl).toContain('let Pair_1 = x[local_index] + 1.0f;')
  expect(wgsl).toContain('var pair: Pair;')
})
