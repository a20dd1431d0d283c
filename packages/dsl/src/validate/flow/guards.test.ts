import { beforeEach, describe, expect, test } from 'vitest'
import { render } from '../../diagnostics'
import type { Block, Expr, Kernel, LaunchRule } from '../../ir'
import * as t from '../../ir/testing/fixture'
import { validate } from '..'

beforeEach(t.restart)

const y = t.inout('y')
const ids = t.input('ids', t.array('u32'))
const fixed = t.inout('fixed', t.array('f32', 64))
const counts = t.inout('counts', t.array(t.atomic()))
const n = t.param('n')
const launch: LaunchRule = { dimensions: 1, folds: true, workgroups: [{ kind: 'param', name: 'n' }] }
const kernel = (body: Block, more: Partial<Kernel> = {}): Kernel =>
  t.kernel(body, { bindings: [y, ids, fixed, counts], params: [{ name: 'n', type: 'u32' }], ...more })
const to = (index: Expr) => t.store(t.ref(y, index), t.f(1))
const lt = (a: Expr, b: Expr = n) => t.op('lt', a, b)
const row = () => t.op('add', t.op('mul', t.workgroup(), t.u(64)), t.lid())

type Case = readonly [string, () => Kernel]

const FINE: readonly Case[] = [
  ['a constant', () => kernel([to(t.u(3))])],
  ['a param', () => kernel([to(n)])],
  ['a test of the index', () => kernel([t.if_(lt(t.global()), [to(t.global())])])],
  ['a test of a sum of its parts', () => kernel([t.if_(lt(row()), [to(row())])])],
  [
    'a test through a let',
    () => {
      const i = t.let_('i', t.global())
      return kernel([i, t.if_(lt(i.result), [to(t.op('add', i.result, t.u(1)))])])
    },
  ],
  [
    'a test of what a let is made of',
    () => {
      const i = t.let_('i', t.global())
      return kernel([i, t.if_(lt(t.global()), [to(i.result)])])
    },
  ],
  [
    'a lane of a named vector',
    () => {
      const id = t.let_('id', t.builtin('global_invocation_id', 'vec3u'))
      return kernel([id, t.if_(lt(t.lane(id.result, 0)), [to(t.global())])])
    },
  ],
  ['both tests of a conjunction', () => kernel([t.if_(t.op('and', lt(t.lid()), lt(t.workgroup())), [to(row())])])],
  ['the greater side, turned', () => kernel([t.if_(t.op('gt', n, t.global()), [to(t.global())])])],
  ['equality', () => kernel([t.if_(t.op('eq', t.lid(), t.u(0)), [to(t.lid())])])],
  ['the else branch', () => kernel([t.if_(t.op('ge', t.global(), n), [], [to(t.global())])])],
  ['an early return', () => kernel([t.if_(t.op('ge', t.global(), n), [t.return_()]), to(t.global())])],
  [
    'an early return from a disjunction',
    () => kernel([t.if_(t.op('or', t.op('ge', t.lid(), n), t.op('ge', t.workgroup(), n)), [t.return_()]), to(row())]),
  ],
  ['a negation', () => kernel([t.if_(t.op('not', t.op('ge', t.global(), n)), [to(t.global())])])],
  ['a range', () => kernel([t.range('i', t.lid(), n, t.u(64), (i) => [to(i)])])],
  [
    'a range in a range, over workgroups',
    () =>
      kernel([t.range('i', t.lid(), n, t.u(64), (i) => [to(t.op('add', t.op('mul', t.workgroup(), n), i))])], {
        launch,
      }),
  ],
  ['min', () => kernel([to(t.op('min', t.global(), n))])],
  ['clamp', () => kernel([to(t.op('clamp', t.global(), t.u(0), n))])],
  ['remainder', () => kernel([to(t.op('rem', t.global(), n))])],
  ['bits', () => kernel([to(t.op('bitAnd', t.global(), t.u(63)))])],
  ['select between limited indices', () => kernel([to(t.op('select', t.u(0), n, lt(t.lid())))])],
  ['workgroup ids under a launch rule', () => kernel([to(t.workgroup())], { launch })],
  ['local ids within a fixed array', () => kernel([t.store(t.ref(fixed, t.lid()), t.f(1))])],
  [
    'local ids scaled within a fixed array',
    () =>
      kernel([t.store(t.ref(fixed, t.op('add', t.op('mul', t.op('rem', t.lid(), t.u(16)), t.u(4)), t.u(3))), t.f(1))]),
  ],
  [
    'data that a test limits',
    () => {
      const id = t.load(t.ref(ids, t.u(0)))
      return kernel([id, t.if_(lt(id.result), [to(id.result)])])
    },
  ],
  [
    'the variable of a while loop',
    () => {
      const v = t.variable('i', 'u32', t.lid())
      const test = t.load(t.ref(v))
      const read = t.load(t.ref(v))
      const next = t.load(t.ref(v))
      return kernel([
        t.var_(v),
        t.loop({
          header: [test],
          test: lt(test.result),
          body: [read, to(read.result)],
          continuing: [next, t.store(t.ref(v), t.op('add', next.result, t.u(64)))],
        }),
      ])
    },
  ],
  [
    'a variable that only takes limited values',
    () => {
      const v = t.variable('i', 'u32', t.u(0))
      const read = t.load(t.ref(v))
      return kernel([t.var_(v), t.if_(lt(t.lid()), [t.store(t.ref(v), n)]), read, to(read.result)])
    },
  ],
  [
    'a tested variable that is clamped after it changed, and one that sums up what is limited',
    () => {
      const [v, sum] = [t.variable('i', 'u32', t.lid()), t.variable('sum', 'u32', n)]
      const [test, read, again] = [t.load(t.ref(v)), t.load(t.ref(v)), t.load(t.ref(v))]
      const [part, whole] = [t.load(t.ref(sum)), t.load(t.ref(sum))]
      const clamped = t.store(t.ref(v), t.op('min', t.op('add', read.result, t.u(64)), n))
      const summed = t.store(t.ref(sum), t.op('add', part.result, n))
      const body = [read, clamped, again, to(again.result), part, summed, whole, to(whole.result)]
      return kernel([t.var_(v), t.var_(sum), test, t.if_(lt(test.result), body)])
    },
  ],
  [
    'a value that was loaded twice before its test',
    () => {
      const v = t.variable('i', 'u32', t.lid())
      const read = t.load(t.ref(v))
      const test = t.load(t.ref(v))
      return kernel([t.var_(v), read, test, t.if_(lt(test.result), [to(read.result)])])
    },
  ],
  [
    'a variable that an arm which leaves changes',
    () => {
      const v = t.variable('i', 'u32', n)
      const read = t.load(t.ref(v))
      return kernel([t.var_(v), t.if_(lt(t.lid()), [t.store(t.ref(v), t.lid()), t.return_()]), read, to(read.result)])
    },
  ],
  [
    'an expression in which another stands a thousand million times',
    () => {
      const twice = (e: Expr, times: number): Expr => (times === 0 ? e : twice(t.op('add', e, e), times - 1))
      const index = twice(t.global(), 30)
      return kernel([t.if_(lt(index), [to(index)])])
    },
  ],
  ['an index that a switch names', () => kernel([t.switch_(t.lid(), [[[0, 1], [to(t.lid())]]])])],
  [
    'workgroup and private memory',
    () => {
      const w = t.variable('w', t.array('f32', 4), null, 'workgroup')
      return kernel([t.store(t.ref(w, t.global()), t.f(1))], { variables: [w] })
    },
  ],
  ['an atomic that is read', () => kernel([t.effect('atomicLoad', 'u32', [], t.ref(counts, t.global()))])],
  ['guards that are off', () => kernel([to(t.global())], { guards: 'off' })],
]

const fault = (why: string, name = 'y', how = 'stored') =>
  `unguarded-store: '${name}' is ${how} at an index that nothing limits: it depends on ${why}\n  note: test it, as k.if(i.lt(n), …), or use k.guardedStore`

const FAULTS: readonly (readonly [string, () => Kernel, string])[] = [
  ['the global id', () => kernel([to(t.global())]), fault('global_invocation_id.x')],
  ['the local id in an array without length', () => kernel([to(row())], { launch }), fault('local_invocation_index')],
  [
    'workgroup ids without a launch rule',
    () => kernel([to(t.workgroup())]),
    fault('workgroup_id.x, and the kernel has no launch rule'),
  ],
  [
    'a test of another lane',
    () => kernel([t.if_(lt(t.lane(t.builtin('global_invocation_id', 'vec3u'), 1)), [to(t.global())])]),
    fault('global_invocation_id.x'),
  ],
  [
    'a test on the greater side',
    () => kernel([t.if_(t.op('gt', t.global(), n), [to(t.global())])]),
    fault('global_invocation_id.x'),
  ],
  [
    'a store after the test',
    () => kernel([t.if_(lt(t.global()), []), to(t.global())]),
    fault('global_invocation_id.x'),
  ],
  ['the else branch', () => kernel([t.if_(lt(t.global()), [], [to(t.global())])]), fault('global_invocation_id.x')],
  [
    'one side of a disjunction',
    () => kernel([t.if_(t.op('or', lt(t.global()), t.bool(true)), [to(t.global())])]),
    fault('global_invocation_id.x'),
  ],
  [
    'a clamped value at an index that is not',
    () => kernel([t.store(t.ref(y, t.global()), t.op('min', t.f(1), t.f(2)))]),
    fault('global_invocation_id.x'),
  ],
  [
    'an index from data',
    () => {
      const id = t.load(t.ref(ids, t.u(0)))
      return kernel([id, to(id.result)])
    },
    fault('a value loaded from memory'),
  ],
  [
    'an index from an atomic',
    () => {
      const slot = t.effect('atomicAdd', 'u32', [t.u(1)], t.ref(counts, t.u(0)))
      return kernel([slot, to(slot.result!)])
    },
    fault("the result of 'atomicAdd'"),
  ],
  [
    'a variable that changed since the test',
    () => {
      const v = t.variable('i', 'u32', t.lid())
      const test = t.load(t.ref(v))
      const read = t.load(t.ref(v))
      return kernel([t.var_(v), test, t.if_(lt(test.result), [t.store(t.ref(v), t.lid()), read, to(read.result)])])
    },
    fault("the variable 'i'"),
  ],
  [
    'a variable that is added to since the test',
    () => {
      const v = t.variable('i', 'u32', t.lid())
      const test = t.load(t.ref(v))
      const read = t.load(t.ref(v))
      const again = t.load(t.ref(v))
      const more = t.store(t.ref(v), t.op('add', read.result, t.u(64)))
      return kernel([t.var_(v), test, t.if_(lt(test.result), [read, more, again, to(again.result)])])
    },
    fault("the variable 'i'"),
  ],
  [
    'a variable that a loop changes',
    () => {
      const v = t.variable('i', 'u32', t.u(0))
      const read = t.load(t.ref(v))
      return kernel([
        t.var_(v),
        t.range('c', t.u(0), n, t.u(1), () => [read, to(read.result), t.store(t.ref(v), t.lid())]),
      ])
    },
    fault("the variable 'i'"),
  ],
  [
    'a variable to which a loop adds',
    () => {
      const v = t.variable('i', 'u32', t.u(0))
      const read = t.load(t.ref(v))
      return kernel([
        t.var_(v),
        t.range('c', t.u(0), n, t.u(1), () => [
          read,
          to(read.result),
          t.store(t.ref(v), t.op('add', read.result, t.u(1))),
        ]),
      ])
    },
    fault("the variable 'i'"),
  ],
  [
    'a variable that a break leaves as it was',
    () => {
      const v = t.variable('i', 'u32', t.lid())
      const read = t.load(t.ref(v))
      const early = t.if_(lt(t.workgroup()), [t.break_()])
      return kernel([
        t.var_(v),
        t.switch_(n, [[[0], [early, t.store(t.ref(v), t.u(0))]]], [t.store(t.ref(v), t.u(1))]),
        read,
        to(read.result),
      ])
    },
    fault("the variable 'i'"),
  ],
  [
    'a test of one element of an array',
    () => {
      const v = t.variable('a', t.array('u32', 2))
      const store = t.store(t.ref(v, t.u(0)), t.lid())
      const read = t.load(t.ref(v, t.u(0)))
      const other = t.load(t.ref(v, t.u(1)))
      return kernel([t.var_(v), store, read, other, t.if_(lt(read.result), [to(other.result)])])
    },
    fault("the variable 'a'"),
  ],
  [
    'a range that counts down from anywhere',
    () => kernel([t.range('i', t.convert('i32', t.lid()), t.i(0), t.i(-1), (i) => [to(i)])]),
    fault("the start of the range 'i', which counts down"),
  ],
  [
    'an atomic',
    () => kernel([t.effect('atomicAdd', 'u32', [t.u(1)], t.ref(counts, t.global()))]),
    fault('global_invocation_id.x', 'counts', 'changed'),
  ],
  [
    'a fixed array that is too short',
    () => kernel([t.store(t.ref(fixed, t.op('add', t.lid(), t.u(1))), t.f(1))]),
    fault('local_invocation_index', 'fixed'),
  ],
  [
    'an argument',
    () => kernel([], { functions: [t.func('f', [['i', 'u32']], null, [to(t.argument('i'))])] }),
    fault("the argument 'i'"),
  ],
]

describe('limited', () => {
  test.each(FINE)('%s', (_, make) => {
    expect(validate(make()).map(render)).toEqual([])
  })
})

describe('not limited', () => {
  test.each(FAULTS)('%s', (_, make, text) => {
    expect(validate(make()).map(render)).toEqual([text])
  })
})
