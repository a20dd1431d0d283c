import { beforeEach, expect, test } from 'vitest'
import { deserialize, type Kernel, print, serialize } from '.'
import * as t from './testing/fixture'

beforeEach(t.restart)

function sample(): Kernel {
  const x = t.input('x')
  const y = t.output('y')
  const hist = t.inout('hist', t.array(t.atomic()))
  const tile = t.variable('tile', t.array('f32', 64), null, 'workgroup')
  const acc = t.variable('acc', 'f32', t.f(-0))
  const again = t.variable('acc', 'vec2f')
  const start = t.let_('start', t.op('mul', t.workgroup(), t.param('cols')))
  const sum = t.op('add', start.result, t.u(1))
  const xs = t.load(t.ref(x, sum))
  const accRead = t.load(t.ref(acc))
  const cas = t.effect('atomicCompareExchangeWeak', 'u32', [t.u(0), sum], t.ref(hist, t.u(3)))
  const called = t.call('scale', [t.f(2), t.ref(acc)], 'f32')
  return t.kernel(
    [
      start,
      t.var_(acc),
      t.var_(again),
      t.range('c', t.lid(), t.param('cols'), t.u(64), (c) => [t.store(t.ref(tile, c), t.f(Number.NaN)), t.continue_()]),
      t.barrier(),
      xs,
      accRead,
      t.store(t.ref(acc), t.op('fma', xs.result, xs.result, accRead.result)),
      cas,
      called,
      t.switch_(
        t.lid(),
        [
          [[0, 1], [t.break_()]],
          [[2], []],
        ],
        [t.return_()],
      ),
      t.loop({
        header: [],
        test: t.op('lt', sum, t.param('cols')),
        body: [t.break_()],
        continuing: [t.barrier()],
        breakIf: t.op('not', cas.exchanged!),
      }),
      t.if_(
        t.op('lt', sum, t.param('cols')),
        [t.store(t.ref(y, sum), t.op('mul', t.op('add', called.result!, t.f(1)), t.f(1e-7)))],
        [t.return_()],
      ),
    ],
    {
      name: 'sample',
      bindings: [x, y, hist],
      params: [{ name: 'cols', type: 'u32' }],
      variables: [tile],
      launch: {
        dimensions: 1,
        folds: true,
        workgroups: [{ kind: 'ceilDiv', a: { kind: 'param', name: 'cols' }, b: 64 }],
      },
      functions: [
        t.func(
          'scale',
          [
            ['a', 'f32'],
            ['p', t.pointer('function', 'f32')],
          ],
          'f32',
          [
            t.store(t.deref('p', 'f32'), t.argument('a', 'f32')),
            t.return_(t.convert('f32', t.bitcast('u32', t.argument('a', 'f32')))),
          ],
        ),
      ],
    },
  )
}

const text = `kernel sample [64, 1, 1]
storage x: array<f32> read
storage y: array<f32> write full
storage hist: array<atomic<u32>> read_write partial
param cols: u32
launch ceilDiv(cols, 64)
workgroup tile: array<f32, 64>
fn scale(a: f32, p: ptr<function, f32>) -> f32 {
  store *p = a
  return f32(bitcast<u32>(a))
}
body {
  %1 = let start = workgroup_id.x * cols
  var acc: f32 = -0:f32
  var acc.2: vec2f
  range %2 c = local_invocation_index, cols, 64:u32 {
    store tile[%2] = NaN:f32
    continue
  }
  workgroupBarrier()
  $1 = %1 + 1:u32
  %3 = load x[$1]
  %4 = load acc
  store acc = fma(%3, %3, %4)
  %5, %6 = atomicCompareExchangeWeak(&hist[3:u32], 0:u32, $1)
  %7 = call scale(2:f32, &acc)
  switch local_invocation_index {
    case 0, 1 {
      break
    }
    case 2 {
    }
    default {
      return
    }
  }
  loop {
    while $1 < cols
    break
    continuing {
      workgroupBarrier()
      break if not(%6)
    }
  }
  if $1 < cols {
    store y[$1] = (%7 + 1:f32) * 1e-7:f32
  } else {
    return
  }
}`

test('a kernel prints one statement a line', () => {
  expect(print(sample())).toBe(text)
})

test('positions are shown on request', () => {
  expect(print(sample(), { at: true })).toMatch(/load x\[\$1\] @\d+\n/)
  expect(print(sample(), { at: true }).replace(/ @\d+/g, '')).toBe(text)
})

test('shared operands of a branch are not named beyond it', () => {
  const y = t.output('y')
  const shared = t.op('add', t.lid(), t.u(1))
  const arm = () => [t.store(t.ref(y, shared), t.f(1)), t.store(t.ref(y, shared), t.f(2))]
  const printed = print(t.kernel([t.if_(t.bool(true), arm(), arm())], { bindings: [y] }))
  expect(printed.match(/\$\d = local_invocation_index \+ 1:u32/g)).toEqual([
    '$1 = local_invocation_index + 1:u32',
    '$2 = local_invocation_index + 1:u32',
  ])
})

test('a kernel survives serialization', () => {
  const kernel = sample()
  const back = deserialize(serialize(kernel))
  expect(back).toEqual(kernel)
  expect(serialize(back)).toBe(serialize(kernel))
  expect(print(back)).toBe(text)
})

test('sharing and odd numbers survive serialization', () => {
  const shared = t.op('add', t.f(Number.NaN), t.num('f32', -0))
  const pair = t.construct('vec4f', shared, shared, t.f(Infinity), t.f(-Infinity))
  const back = deserialize(serialize(t.kernel([t.let_('a', pair), t.let_('b', shared)])))
  const [a, b] = back.body
  if (a?.kind !== 'let' || b?.kind !== 'let' || a.value.kind !== 'construct') throw new Error('unexpected shape')
  expect(a.value.args[0]).toBe(a.value.args[1])
  expect(b.value).toBe(a.value.args[0])
  expect(a.value).toEqual(pair)
  expect(Object.isFrozen(a.value.args)).toBe(true)
})

test('another format is refused', () => {
  expect(() => deserialize('{"format":7}')).toThrow('a serialized kernel of format 7; this is format 1')
})
