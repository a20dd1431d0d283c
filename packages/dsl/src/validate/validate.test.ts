import { beforeEach, describe, expect, test } from 'vitest'
import { render } from '../diagnostics'
import type { Binding, Block, Expr, Kernel } from '../ir'
import * as t from '../ir/testing/fixture'
import type { StructType, Type } from '../types'
import { checkStructure, featuresOf, type ValidateOptions, validate } from '.'

beforeEach(t.restart)

/** As whoever gets IR from elsewhere: its own rules first. */
function faults(kernel: Kernel, options?: ValidateOptions): string {
  const structure = checkStructure(kernel)
  return (structure.length > 0 ? structure : validate(kernel, options)).map(render).join('\n')
}
const x = t.input('x')
const y = t.output('y')
const z = t.inout('z')
const write = (): Block => [t.store(t.ref(y, t.u(0)), t.f(1))]
const withBody = (body: Block, more: Partial<Kernel> = {}): Kernel =>
  t.kernel([...body, ...write()], { bindings: [x, y, z], ...more })
const struct = (name: string, ...fields: readonly (readonly [string, Type])[]): StructType => ({
  kind: 'struct',
  name,
  fields: fields.map(([n, type]) => ({ name: n, type })),
})
const ptr = t.pointer('function', 'u32')

type Case = readonly [what: string, kernel: () => Kernel, text: string, options?: ValidateOptions]
const fill = (n: number): Binding[] => Array.from({ length: n }, (_, i) => t.input(`b${i}`))

const DECLARATIONS: readonly Case[] = [
  [
    'two bindings of one name',
    () => withBody([], { bindings: [x, t.input('x'), y] }),
    "duplicate-name: 'x' is the name of two bindings",
  ],
  [
    'a binding and a param of one name',
    () => withBody([], { params: [{ name: 'x', type: 'u32' }] }),
    "duplicate-name: 'x' is the name of a binding and a param",
  ],
  [
    'a name that is none',
    () => withBody([], { params: [{ name: '2x', type: 'u32' }] }),
    "bad-name: the param name '2x' is not an identifier of WGSL\n  note: start with a letter; letters, digits and _ may follow",
  ],
  [
    'a bool binding',
    () => withBody([], { bindings: [t.input('x', t.array('bool')), y] }),
    "not-host-shareable: binding 'x' holds bool, which has no layout in memory\n  note: use u32, with 0 and 1",
  ],
  [
    'a bool param',
    () => withBody([], { params: [{ name: 'p', type: 'vec2<bool>' }] }),
    "not-host-shareable: param 'p' holds vec2<bool>, which has no layout in memory\n  note: use u32, with 0 and 1",
  ],
  [
    'atomics that are only read',
    () => withBody([], { bindings: [t.input('x', t.array(t.atomic())), y] }),
    "not-host-shareable: binding 'x' holds atomic<u32>, which must be in storage that is read and written",
  ],
  [
    'an array without length that is not last',
    () => withBody([], { bindings: [t.input('x', struct('S', ['a', t.array('f32')], ['b', 'u32'])), y] }),
    "not-host-shareable: binding 'x' holds array<f32>, which must be the last member and in no other array",
  ],
  [
    'an array without length in an array',
    () => withBody([], { bindings: [t.input('x', t.array(t.array('f32'))), y] }),
    "not-host-shareable: binding 'x' holds array<f32>, which must be the last member and in no other array",
  ],
  [
    'an array without length as a param',
    () => withBody([], { params: [{ name: 'p', type: t.array('f32') }] }),
    "not-host-shareable: param 'p' holds array<f32>: an array without a length must be in storage",
  ],
  [
    'a uniform array of scalars',
    () => withBody([], { bindings: [{ ...t.input('x', t.array('f32', 4)), kind: 'uniform' }, y] }),
    "not-host-shareable: binding 'x' holds array<f32, 4>, whose elements are 4 bytes apart: uniform buffers need a multiple of 16\n  note: use elements of 16 bytes, as vec4f, or a storage binding",
  ],
  [
    'a uniform buffer that is written',
    () => withBody([], { bindings: [{ ...t.inout('x', 'vec4f'), kind: 'uniform' }, y] }),
    "binding-access: 'x' is a uniform buffer and cannot be written",
  ],
  [
    'a workgroup variable of a type without length',
    () => withBody([], { variables: [t.variable('w', t.array('f32'), null, 'workgroup')] }),
    "bad-type: 'w' is in workgroup memory, which cannot hold array<f32>",
  ],
  [
    'a private variable with a computed value',
    () =>
      withBody([], {
        variables: [t.variable('p', 'u32', t.param('n'), 'private')],
        params: [{ name: 'n', type: 'u32' }],
      }),
    "not-constant: the initial value of 'p' is computed at run time\n  note: set it at the start of the kernel",
  ],
  [
    'a constant that is none',
    () => withBody([], { constants: [{ name: 'c', type: 'u32', value: t.lid() }] }),
    "not-constant: the value of 'c' is computed at run time\n  note: a constant is made of numbers and other constants",
  ],
  [
    'the id of an override',
    () => withBody([], { overrides: [{ name: 'o', type: 'u32', default: 1, id: 70000 }] }),
    "bad-override: the id of override 'o' must be in 0…65535, not 70000",
  ],
  [
    'a launch rule of an unknown param',
    () => withBody([], { launch: { dimensions: 1, folds: true, workgroups: [{ kind: 'param', name: 'n' }] } }),
    "bad-launch: the launch rule names the param 'n', which does not exist",
  ],
  [
    'a launch rule of too few counts',
    () => withBody([], { launch: { dimensions: 2, folds: false, workgroups: [1] } }),
    'bad-launch: the launch rule has 1 counts for 2 dimensions',
  ],
  [
    'an alias of an unknown binding',
    () => withBody([], { aliases: [['x', 'q']] }),
    "unknown-name: the alias of 'x' and 'q' names a binding that does not exist",
  ],
  [
    'an alias of two outputs',
    () => withBody([], { aliases: [['y', 'z']] }),
    "binding-access: 'y' and 'z' cannot be one buffer: an alias is an input and an output",
  ],
  [
    'an alias of two types',
    () => withBody([], { bindings: [t.input('x', t.array('u32')), y], aliases: [['x', 'y']] }),
    "type-mismatch: 'x' and 'y' cannot be one buffer: array<u32> is not array<f32>",
  ],
]

const LIMITS: readonly Case[] = [
  [
    'too many invocations',
    () => withBody([], { workgroupSize: [32, 16, 1] }),
    'workgroup-size: a workgroup has 512 invocations, more than 256\n  note: make it smaller or, for devices that have more, declare limits: { maxComputeInvocationsPerWorkgroup: 512 }',
  ],
  [
    'more invocations on a better device',
    () => withBody([], { workgroupSize: [32, 16, 1] }),
    '',
    { limits: { maxComputeInvocationsPerWorkgroup: 1024 } },
  ],
  [
    'a deep workgroup',
    () => withBody([], { workgroupSize: [1, 1, 65] }),
    'workgroup-size: the workgroup size in z is 65, more than 64\n  note: make it smaller or, for devices that have more, declare limits: { maxComputeWorkgroupSizeZ: 65 }',
  ],
  [
    'an empty workgroup',
    () => withBody([], { workgroupSize: [0, 1, 1] }),
    'workgroup-size: the workgroup size in x must be a positive integer, not 0',
  ],
  [
    'a workgroup size by the default of an override',
    () =>
      withBody([], {
        workgroupSize: [{ override: 'o' }, 1, 1],
        overrides: [{ name: 'o', type: 'u32', default: 300, id: null }],
      }),
    'workgroup-size: the workgroup size in x is 300, more than 256\n  note: make it smaller or, for devices that have more, declare limits: { maxComputeWorkgroupSizeX: 300 }\nworkgroup-size: a workgroup has 300 invocations, more than 256\n  note: make it smaller or, for devices that have more, declare limits: { maxComputeInvocationsPerWorkgroup: 300 }',
  ],
  [
    'a subgroup size',
    () => withBody([], { subgroupSize: 24 }),
    'workgroup-size: a subgroup size must be a power of two in 4…128, not 24',
  ],
  [
    'a subgroup size that does not divide',
    () => withBody([], { subgroupSize: 32, workgroupSize: [48, 1, 1] }),
    'workgroup-size: the workgroup size in x is 48, not a multiple of the subgroup size 32',
  ],
  [
    'workgroup memory, each variable rounded to 16',
    () =>
      withBody([], {
        variables: [
          t.variable('a', t.array('f32', 4093), null, 'workgroup'),
          t.variable('b', 'u32', null, 'workgroup'),
        ],
      }),
    'workgroup-memory: workgroup variables take 16400 bytes (a: 16384, b: 16), more than 16384\n  note: make it smaller or, for devices that have more, declare limits: { maxComputeWorkgroupStorageSize: 16400 }',
  ],
  [
    'storage buffers',
    () => withBody([], { bindings: [...fill(8), y] }),
    'too-many-bindings: the kernel has 9 storage buffers, more than 8\n  note: put several arrays into one buffer, split the kernel or, for devices that have more, declare limits: { maxStorageBuffersPerShaderStage: 9 }',
  ],
  [
    'params beyond the immediates',
    () => withBody([], { params: Array.from({ length: 5 }, (_, i) => ({ name: `p${i}`, type: 'vec4f' as const })) }),
    'immediate-size: as immediates, the params take 80 bytes, more than 64\n  note: put some into a binding',
    { immediates: true },
  ],
  [
    'private memory',
    () => withBody([], { variables: [t.variable('p', t.array('f32', 2049), null, 'private')] }),
    'private-memory: private variables take 8196 bytes, more than 8192\n  note: keep arrays in workgroup memory, or make them smaller',
  ],
  [
    'function memory',
    () => withBody([t.var_(t.variable('v', t.array('vec4f', 513)))]),
    'private-memory: the variables of the kernel take 8208 bytes, more than 8192\n  note: keep arrays in workgroup memory, or make them smaller',
  ],
]

const nested = (depth: number): Block => (depth === 0 ? [] : [t.if_(t.bool(true), nested(depth - 1))])
const made = (type: Type = 'u32') => t.result(type)
const typed = (e: Expr, type: Type): Expr => ({ ...e, type }) as Expr

const BODIES: readonly Case[] = [
  [
    'operands of an operator',
    () => withBody([t.let_('a', typed(t.op('add', t.f(1), t.u(1)), 'f32'))]),
    "invalid-ir: 'add' has no form for (f32, u32)",
  ],
  [
    'the type of an operator',
    () => withBody([t.let_('a', typed(t.op('add', t.f(1), t.f(1)), 'u32'))]),
    "invalid-ir: 'add' gives f32, not u32",
  ],
  [
    'a constant out of its type',
    () => withBody([t.let_('a', t.num('u32', -1))]),
    'invalid-ir: a constant of type u32 cannot be (-1)',
  ],
  [
    'the parts of a vector',
    () => withBody([t.let_('a', t.construct('vec3f', t.f(1), t.f(2)))]),
    'invalid-ir: vec3f cannot be made from (f32, f32)',
  ],
  [
    'a swizzle',
    () => withBody([t.let_('a', t.lane(t.construct('vec2u', t.u(1)), 2))]),
    'bad-swizzle: vec2u has no lanes (2)',
  ],
  [
    'a conversion',
    () => withBody([t.let_('a', t.convert('vec2f', t.u(1)))]),
    'invalid-ir: there is no conversion from u32 to vec2f',
  ],
  [
    'a bitcast',
    () => withBody([t.let_('a', t.bitcast('vec2f', t.u(1)))]),
    'invalid-ir: there is no bitcast from u32 to vec2f',
  ],
  ['an unknown param', () => withBody([t.let_('a', t.param('n'))]), "unknown-name: there is no param 'n'"],
  [
    'a constant index out of range',
    () =>
      withBody([t.load(t.ref(x, t.u(0))), t.load(t.ref(t.input('w', t.array('f32', 4)), t.u(4)))], {
        bindings: [x, y, t.input('w', t.array('f32', 4))],
      }),
    'bad-index: index 4 is out of range of array<f32, 4>',
  ],
  ['an index of floats', () => withBody([t.load(t.ref(x, t.f(0)))]), 'bad-index: an index must be u32 or i32, not f32'],
  [
    'a result of a block that ended',
    () => {
      const l = t.let_('a', t.u(1))
      return withBody([t.if_(t.bool(true), [l]), t.let_('b', l.result)])
    },
    'out-of-scope: result 1 is used outside the block that made it\n  note: store it in a k.var that is declared before the block',
  ],
  [
    'an operator on a result of a block that ended',
    () => {
      const l = t.let_('a', t.u(1))
      const sum = t.op('add', l.result, t.u(1))
      return withBody([t.if_(t.bool(true), [l, t.let_('b', sum)]), t.let_('c', sum)])
    },
    'out-of-scope: a value is used outside the block that made it\n  note: store it in a k.var that is declared before the block',
  ],
  [
    'a variable of a block that ended',
    () => {
      const v = t.variable('v', 'u32')
      return withBody([t.if_(t.bool(true), [t.var_(v)]), t.load(t.ref(v))])
    },
    "out-of-scope: 'v' is used outside the block that declares it",
  ],
  [
    'a result defined twice',
    () => {
      const l = t.let_('a', t.u(1))
      return withBody([l, l])
    },
    'invalid-ir: result 1 is defined twice',
  ],
  [
    'a result of the body after a continue',
    () => {
      const l = t.let_('a', t.bool(true))
      return withBody([t.loop({ body: [t.if_(t.bool(true), [t.continue_()]), l], breakIf: l.result })])
    },
    'out-of-scope: result 1 is used outside the block that made it\n  note: store it in a k.var that is declared before the block',
  ],
  [
    'a store to an input',
    () => withBody([t.store(t.ref(x, t.u(0)), t.f(1))]),
    "binding-access: 'x' is an input and cannot be written\n  note: declare it inout(array<f32>) to read and write it",
  ],
  [
    'a load from an output',
    () => withBody([t.load(t.ref(y, t.u(0)))]),
    "binding-access: 'y' is an output and cannot be read\n  note: declare it inout(array<f32>) to read and write it",
  ],
  [
    'an atomic addition to an output',
    () =>
      withBody([t.effect('atomicAdd', 'u32', [t.u(1)], t.ref(t.output('w', t.array(t.atomic())), t.u(0)))], {
        bindings: [x, y, t.output('w', t.array(t.atomic()))],
      }),
    "binding-access: 'w' is an output and cannot be read and written at once\n  note: declare it inout(array<atomic<u32>>) to read and write it",
  ],
  [
    'what is stored',
    () => withBody([t.store(t.ref(z, t.u(0)), t.u(1))]),
    'invalid-ir: what is stored must be f32, not u32',
  ],
  [
    'an atomic read as a value',
    () =>
      withBody([t.load(t.ref(t.inout('w', t.array(t.atomic())), t.u(0)))], {
        bindings: [y, t.inout('w', t.array(t.atomic()))],
      }),
    'invalid-ir: atomic<u32> is read and written by atomic operations only',
  ],
  [
    'a whole array without length',
    () => withBody([t.load(t.ref(x))]),
    'invalid-ir: array<f32> cannot be loaded or stored as a whole',
  ],
  [
    'an effect on the wrong memory',
    () => withBody([t.effect('workgroupUniformLoad', 'f32', [], t.ref(x, t.u(0)))]),
    "invalid-ir: 'workgroupUniformLoad' cannot be applied to f32 in storage memory",
  ],
  [
    'the arguments of an effect',
    () => withBody([t.effect('subgroupAdd', 'u32', [t.u(1), t.u(2)])]),
    "invalid-ir: 'subgroupAdd' takes 1 arguments here, not 2",
  ],
  [
    'the type of an effect',
    () => withBody([t.effect('subgroupAdd', 'bool', [t.bool(true)])]),
    "invalid-ir: 'subgroupAdd' has no form for bool",
  ],
  [
    'an invocation that is not constant',
    () => withBody([t.effect('subgroupBroadcast', 'u32', [t.u(1), t.lid()])]),
    "not-constant: the invocation that 'subgroupBroadcast' reads must be a constant\n  note: use subgroupShuffle for an id that is computed",
  ],
  [
    'an invocation beyond a quad',
    () => withBody([t.effect('quadBroadcast', 'u32', [t.u(1), t.u(4)])]),
    "const-domain: 'quadBroadcast' takes a number below 4, not 4",
  ],
  [
    'a constant expression without value',
    () => withBody([t.let_('a', t.op('sqrt', t.f(-1)))]),
    "const-domain: 'sqrt' of these constants has no value: the argument is negative\n  note: write what is meant in its place, or read a part of it from a param",
  ],
  [
    'a division by a constant 0',
    () => withBody([t.let_('a', t.op('div', t.lid(), t.op('sub', t.u(2), t.u(2))))]),
    "const-domain: 'div' of these constants has no value: the divisor is 0\n  note: write what is meant in its place, or read a part of it from a param",
  ],
  [
    'a conversion that overflows',
    () => withBody([t.let_('a', t.convert('f16', t.f(70000)))]),
    'const-domain: the conversion to f16 of these constants has no value: the value exceeds the range of f16\n  note: write what is meant in its place, or read a part of it from a param',
  ],
  ['a condition that is none', () => withBody([t.if_(t.u(1), [])]), 'invalid-ir: a condition must be bool, not u32'],
  [
    'a break outside a loop',
    () => withBody([t.break_()]),
    'misplaced-statement: break stands outside a loop or switch',
  ],
  [
    'a continue outside a loop',
    () => withBody([t.switch_(t.u(1), [[[1], [t.continue_()]]])]),
    'misplaced-statement: continue stands outside a loop',
  ],
  [
    'a break in a continuing block',
    () => withBody([t.loop({ body: [t.break_()], continuing: [t.break_()] })]),
    'misplaced-statement: break cannot leave a continuing block; end it with breakIf',
  ],
  [
    'a return in a continuing block',
    () => withBody([t.loop({ body: [t.break_()], continuing: [t.if_(t.bool(true), [t.return_()])] })]),
    'misplaced-statement: return stands in a continuing block',
  ],
  [
    'a loop without an end',
    () => withBody([t.loop({ body: [t.if_(t.bool(true), [t.continue_()])] })]),
    'endless-loop: nothing leaves this loop\n  note: break, return, or give it a condition',
  ],
  [
    'a break of an inner switch',
    () => withBody([t.loop({ body: [t.switch_(t.u(1), [[[1], [t.break_()]]])] })]),
    'endless-loop: nothing leaves this loop\n  note: break, return, or give it a condition',
  ],
  [
    'a range without a step',
    () => withBody([t.range('i', t.u(0), t.u(4), t.u(0), () => [])]),
    'endless-loop: the step of this range is 0',
  ],
  [
    'two cases alike',
    () =>
      withBody([
        t.switch_(t.u(1), [
          [[1, 2], []],
          [[2], []],
        ]),
      ]),
    'bad-switch: two cases are selected by 2',
  ],
  ['a case beyond its type', () => withBody([t.switch_(t.u(1), [[[-1], []]])]), 'bad-switch: -1 is not a value of u32'],
  ['a value returned by the kernel', () => withBody([t.return_(t.u(1))]), 'invalid-ir: nothing returns a value here'],
  [
    'deep nesting',
    () => withBody(nested(70)),
    'too-deep: blocks are nested more than 60 deep, which compilers of WGSL refuse\n  note: move the inner blocks into a function, or use k.switch for many alternatives',
  ],
  [
    'an output that nothing writes',
    () => t.kernel([], { bindings: [y] }),
    "unwritten-output: 'y' is an output and nothing writes it\n  note: write it, or leave the binding out",
  ],
  [
    'a barrier in divergent flow',
    () => withBody([t.if_(t.op('lt', t.lid(), t.u(3)), [t.barrier()])]),
    "divergent-barrier: 'workgroupBarrier' stands in control flow that may differ between the invocations of a workgroup\n  note: move it out of the branch, or let the condition depend on params, workgroup ids and workgroupUniformLoad only",
  ],
  [
    'a subgroup operation in divergent flow',
    () => withBody([t.if_(t.op('lt', t.lid(), t.u(3)), [t.effect('subgroupElect', 'bool')])]),
    "divergent-subgroup: 'subgroupElect' stands in control flow that may differ between the invocations of a subgroup\n  note: move it out of the branch, so that all invocations of a subgroup reach it",
  ],
  [
    'a delta that differs',
    () => withBody([t.effect('subgroupShuffleUp', 'u32', [t.u(1), t.lid()])]),
    "not-uniform: argument 2 of 'subgroupShuffleUp' may differ between the invocations of a subgroup\n  note: let it depend on params, workgroup ids and workgroupUniformLoad only",
  ],
]

const f = (body: Block, result: Type | null = null) =>
  t.func(
    'f',
    [
      ['p', ptr],
      ['q', ptr],
    ],
    result,
    body,
  )
const v = () => t.variable('v', 'u32', t.u(0))

const FUNCTIONS: readonly Case[] = [
  [
    'recursion',
    () =>
      withBody([], { functions: [t.func('f', [], null, [t.call('g', [])]), t.func('g', [], null, [t.call('f', [])])] }),
    "recursion: 'f' calls itself: f → g → f\n  note: WGSL has no recursion: use a loop",
  ],
  [
    'a function after its caller',
    () => withBody([], { functions: [t.func('f', [], null, [t.call('g', [])]), t.func('g', [], null, [])] }),
    "invalid-ir: function 'g' stands after its caller 'f'",
  ],
  [
    'a function that calls itself',
    () => withBody([], { functions: [t.func('f', [], null, [t.call('f', [])])] }),
    "recursion: 'f' calls itself: f → f\n  note: WGSL has no recursion: use a loop",
  ],
  [
    'a path without a return',
    () => withBody([], { functions: [t.func('f', [], 'u32', [t.if_(t.bool(true), [t.return_(t.u(1))])])] }),
    "missing-return: 'f' may end without returning u32\n  note: return a value on every path",
  ],
  ['a function that does not exist', () => withBody([t.call('f', [])]), "unknown-name: there is no function 'f'"],
  [
    'the number of arguments',
    () => withBody([t.call('f', [t.u(1)])], { functions: [t.func('f', [], null, [])] }),
    "invalid-ir: 'f' takes 0 arguments, not 1",
  ],
  [
    'the type of an argument',
    () => withBody([t.call('f', [t.f(1)])], { functions: [t.func('f', [['a', 'u32']], null, [])] }),
    "invalid-ir: argument 'a' of 'f' must be u32, not f32",
  ],
  [
    'a pointer into other memory',
    () =>
      withBody([t.call('f', [t.ref(z, t.u(0))])], {
        functions: [t.func('f', [['p', t.pointer('function', 'f32')]], null, [])],
      }),
    "invalid-ir: argument 'p' of 'f' must point into function memory, not storage",
  ],
  [
    'an argument outside its function',
    () => withBody([t.let_('a', t.argument('a'))]),
    "out-of-scope: argument 'a' is used outside the block that made it\n  note: store it in a k.var that is declared before the block",
  ],
  [
    'a built-in value in a function',
    () => withBody([], { functions: [t.func('f', [], 'u32', [t.return_(t.lid())])] }),
    "invalid-ir: local_invocation_index is used in function 'f': built-in values are inputs of the entry point only",
  ],
  [
    'two pointers to one variable',
    () => {
      const a = v()
      return withBody([t.var_(a), t.call('f', [t.ref(a), t.ref(a)])], {
        functions: [f([t.store(t.deref('p', 'u32'), t.u(1)), t.load(t.deref('q', 'u32'))])],
      })
    },
    "pointer-alias: 'p' and 'q' of 'f' point to the same memory, which it writes\n  note: copy one of them into a variable first",
  ],
  [
    'two pointers that are only read',
    () => {
      const a = v()
      return withBody([t.var_(a), t.call('f', [t.ref(a), t.ref(a)])], {
        functions: [f([t.load(t.deref('p', 'u32')), t.load(t.deref('q', 'u32'))])],
      })
    },
    '',
  ],
  [
    'a pointer to memory that the function uses by name',
    () => {
      const p = t.variable('p', 'u32', null, 'private')
      return withBody([t.call('f', [t.ref(p)])], {
        variables: [p],
        functions: [
          t.func('f', [['a', t.pointer('private', 'u32')]], null, [
            t.load(t.ref(p)),
            t.store(t.deref('a', 'u32'), t.u(1)),
          ]),
        ],
      })
    },
    "pointer-alias: 'a' of 'f' points to memory that the function also uses by name and writes\n  note: copy one of them into a variable first",
  ],
  [
    'a barrier in a function, called divergently',
    () =>
      withBody([t.if_(t.op('lt', t.lid(), t.u(3)), [t.call('f', [])])], {
        functions: [t.func('f', [], null, [t.barrier()])],
      }),
    "divergent-barrier: 'workgroupBarrier' in 'f' needs uniform control flow, and this call or its arguments may differ between the invocations of a workgroup\n  note: move it out of the branch, or let the condition depend on params, workgroup ids and workgroupUniformLoad only",
  ],
]

for (const [group, cases] of Object.entries({
  declarations: DECLARATIONS,
  limits: LIMITS,
  bodies: BODIES,
  functions: FUNCTIONS,
})) {
  describe(group, () => {
    for (const [what, kernel, text, options] of cases) test(what, () => expect(faults(kernel(), options)).toBe(text))
  })
}

test('faults carry the number of the builder call', () => {
  const bad = t.let_('a', t.op('sqrt', t.f(-1)))
  expect(validate(withBody([bad]))[0]?.at).toBe(bad.at - 1)
})

test('jumps leave code that is not reached, which is no fault', () => {
  expect(faults(withBody([t.loop({ body: [t.break_(), t.let_('a', made())] })]))).toContain('out-of-scope')
  expect(faults(withBody([t.loop({ body: [t.break_(), t.let_('a', t.u(1))] })]))).toBe('')
})

test('what the body of a loop makes is seen by its continuing block', () => {
  const l = t.let_('a', t.op('lt', t.lid(), t.u(4)))
  expect(faults(withBody([t.loop({ body: [l], breakIf: l.result })]))).toBe('')
})

test('features', () => {
  const kernel = withBody(
    [
      t.effect('subgroupAdd', 'f16', [t.num('f16', 1)]),
      t.let_('a', t.op('dot4U8Packed', t.u(1), t.u(2))),
      t.let_('b', t.builtin('workgroup_index')),
    ],
    {
      functions: [t.func('f', [['p', t.pointer('workgroup', 'u32')]], null, [])],
    },
  )
  expect([...featuresOf(kernel).keys()].sort()).toEqual([
    'f16',
    'linear-indexing',
    'packed-dot',
    'pointer-parameters',
    'subgroups',
  ])
  expect([...featuresOf(withBody([]))]).toEqual([])
})
