import { compile } from '@weft/codegen'
import { bool, d, f32, fn, func, input, kernel, output, override, ptr, u32, type Builder, type Expr } from '@weft/dsl'
import { validate, WeftError } from '@weft/dsl/ir'
import { describe, it } from 'vitest'
import { error } from './expect.js'

/** What only the whole kernel shows: validation and compilation, with the author's line. */

interface View {
  readonly x: { at(i: unknown): Expr<'f32'>; readonly length: Expr<'u32'> }
  readonly y: { at(i: unknown): { set(v: unknown): void } }
  readonly n: Expr<'u32'>
}
const build = (body: (view: View, k: Builder) => unknown, rest: object = {}) =>
  compile(kernel('wrong', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) }, params: { n: d.u32 }, ...rest }, ((view: View, k: Builder) => {
    body(view, k)
    k.if(k.globalIndex.lt(view.n), () => view.y.at(k.globalIndex).set(0))
  }) as never))

describe('uniformity', () => {
  error('divergent-barrier', 'a barrier in an if on the id', ["divergent-barrier: 'workgroupBarrier' stands in control flow that may differ between the invocations of a workgroup", '  at AT', '  note: move it out of the branch, or let the condition depend on params, workgroup ids and workgroupUniformLoad only'], () => build((_, k) => {
    k.if(k.localIndex.lt(32), () => {
      k.workgroupBarrier() // AT
    })
  }))
  error('divergent-subgroup', 'a sum in an if on the id', ["divergent-subgroup: 'subgroupAdd' stands in control flow that may differ between the invocations of a subgroup", '  at AT', '  note: move it out of the branch, so that all invocations of a subgroup reach it'], () => build(({ n }, k) => {
    const sum = k.var('sum', u32(0))
    k.if(k.localIndex.lt(32), () => {
      sum.set(k.subgroupAdd(n)) // AT
    })
  }))
  error('not-uniform', 'the delta of a shuffle', ["not-uniform: argument 2 of 'subgroupShuffleUp' may differ between the invocations of a subgroup", '  at AT', '  note: let it depend on params, workgroup ids and workgroupUniformLoad only'], () => build(({ n }, k) => {
    k.let('a', k.subgroupShuffleUp(n, k.localIndex)) // AT
  }))
})

describe('memory', () => {
  error('unguarded-store', 'a store that nothing limits', ["unguarded-store: 'y' is stored at an index that nothing limits: it depends on workgroup_id.z, and the kernel has no launch rule", '  at AT', '  note: test it, as k.if(i.lt(n), …), or use k.guardedStore'], () => build(({ y }, k) => {
    y.at(k.globalIndex).set(1) // AT
  }))
  error('pointer-alias', 'one variable through two pointers', ["pointer-alias: 'p' and 'q' of 'both' point to the same memory, which it writes", '  at AT', '  note: copy one of them into a variable first'], () => {
    const both = func('both(p, q)', [ptr('function', u32), ptr('function', u32)], (p, q, _k: Builder) => p.set(q))
    return build(({ n }, k) => {
      const v = k.var('v', n)
      both(v, v) // AT
    })
  })
  error('workgroup-memory', 'more than 16 KiB', ['workgroup-memory: workgroup variables take 32784 bytes (small: 16, tile: 32768), more than 16384', '  at AT', '  note: make it smaller or, for devices that have more, declare limits: { maxComputeWorkgroupStorageSize: 32784 }'], () => build((_, k) => {
    k.workgroup('small', f32, 4).at(0).set(1)
    k.workgroup('tile', f32, 8192).at(0).set(1) // AT
  }))
  error('private-memory', 'more than 8 KiB of a function', ['private-memory: the variables of the kernel take 16384 bytes, more than 8192', '  at AT', '  note: keep arrays in workgroup memory, or make them smaller'], () => {
    return compile(kernel('wrong', { workgroupSize: [64], bindings: {} }, (_, k) => k.var('scores', d.arrayOf(d.f32, 4096)).at(0).set(1))) // AT
  })
  error('unwritten-output', 'an output that nothing writes', ["unwritten-output: 'y' is an output and nothing writes it", '  at AT', '  note: write it, or leave the binding out'], () => {
    return compile(kernel('wrong', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) } }, () => undefined)) // AT
  })
  error('not-host-shareable', 'bools in a buffer', ["not-host-shareable: binding 'mask' holds bool, which has no layout in memory", '  at AT', '  note: use u32, with 0 and 1'], () => {
    return compile(kernel('wrong', { workgroupSize: [64], bindings: { mask: input(d.arrayOf(d.bool as never)) } }, () => undefined)) // AT
  })
})

describe('workgroup memory', () => {
  const filled = (size: number, body: (k: Builder, tile: { at(i: unknown): { set(x: unknown): void } }) => void) =>
    build((_, k) => body(k, k.workgroup('tile', f32, size) as never))
  error('unguarded-store', 'an id that runs beyond an array of the workgroup', ["unguarded-store: 'tile' has 32 elements and is stored at indices up to 63", '  at AT', '  note: make it as large as the workgroup, or test the index: k.if(i.lt(32), …)'], () => filled(32, (k, tile) => {
    tile.at(k.localIndex).set(1) // AT
  }))
  error('unguarded-store', 'a multiple of an id', ["unguarded-store: 'tile' has 64 elements and is stored at indices up to 127", '  at AT', '  note: make it as large as the workgroup, or test the index: k.if(i.lt(64), …)'], () => filled(64, (k, tile) => {
    tile.at(k.localIndex.mul(2).add(1)).set(1) // AT
  }))
  it('takes what is tested, taken apart, or large enough', () => {
    filled(32, (k, tile) => k.if(k.localIndex.lt(32), () => tile.at(k.localIndex).set(1)))
    filled(32, (k, tile) => tile.at(k.localIndex.rem(32)).set(1))
    filled(32, (k, tile) => tile.at(k.localIndex.shr(1)).set(1))
    filled(64, (k, tile) => tile.at(k.localIndex).set(1))
  })
})

describe('limits', () => {
  error('workgroup-size', 'too many invocations', ['workgroup-size: a workgroup has 512 invocations, more than 256', '  at AT', '  note: make it smaller or, for devices that have more, declare limits: { maxComputeInvocationsPerWorkgroup: 512 }'], () => {
    return compile(kernel('wrong', { workgroupSize: [32, 16], bindings: {} }, () => undefined)) // AT
  })
  error('too-many-bindings', 'nine storage buffers', ['too-many-bindings: the kernel has 9 storage buffers, more than 8', '  at AT', '  note: put several arrays into one buffer, split the kernel or, for devices that have more, declare limits: { maxStorageBuffersPerShaderStage: 9 }'], () => {
    return compile(kernel('wrong', { workgroupSize: [64], bindings: Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`b${i}`, input(d.arrayOf(d.f32))])) }, () => undefined)) // AT
  })
  error('immediate-size', 'params that do not fit immediates, where these are required', ['immediate-size: as immediates, the params take 128 bytes, more than 64', '  note: put some into a binding'], () => {
    const source = kernel('wrong', { workgroupSize: [64], bindings: {}, params: { a: d.mat4x4f, b: d.mat4x4f } }, () => undefined) // AT
    const [first, ...more] = validate(source.ir(), { immediates: true })
    throw first ? new WeftError(first, ...more) : new Error('valid')
  })
  error('too-deep', 'seventy nested branches', ['too-deep: blocks are nested more than 60 deep, which compilers of WGSL refuse', '  at AT', '  note: move the inner blocks into a function, or use k.switch for many alternatives'], () => build(({ n }, k) => {
    const down = (depth: number): void => {
      k.if(n.gt(depth), () => (depth < 70 ? down(depth + 1) : undefined)) // AT
    }
    down(0)
  }))
})

describe('constants', () => {
  error('const-domain', 'a division by zero', ["const-domain: 'div' of these constants has no value: the divisor is 0", '  at AT', '  note: write what is meant in its place, or read a part of it from a param'], () => build(({ n }, k) => {
    k.let('a', n.div(0)) // AT
  }))
  error('const-domain', 'a root of constants alone', ["const-domain: 'sqrt' of these constants has no value: the argument is negative", '  at AT', '  note: write what is meant in its place, or read a part of it from a param'], () => build((_, k) => {
    k.let('a', fn.sqrt(f32(-1))) // AT
  }))
  error('bad-index', 'a constant index out of range', ['bad-index: index 4 is out of range of array<f32, 4>', '  at AT'], () => build((_, k) => {
    k.let('a', k.const('table', f32, [1, 2, 3, 4]).at(u32(2).add(2))) // AT
  }))
  error('not-constant', 'a private variable with a value of run time', ["not-constant: the initial value of 'p' is computed at run time", '  at AT', '  note: set it at the start of the kernel'], () => {
    return compile(kernel('wrong', { workgroupSize: [64], bindings: {}, params: { n: d.u32 } }, ({ n }, k) => k.private('p', n).set(1))) // AT
  })
})

describe('functions and loops', () => {
  error('missing-return', 'a path without a value', ["missing-return: 'half' may end without returning u32", '  at AT', '  note: return a value on every path'], () => {
    const half = func('half(n)', [u32], (n, k: Builder): void => {
      k.if(n.gt(1), () => k.return(n)) // AT
    })
    return build(({ n }, k) => void k.let('a', half(n) as never))
  })
  error('endless-loop', 'a test that is always true', ['endless-loop: nothing leaves this loop', '  at AT', '  note: break, return, or give it a condition'], () => build((_, k) => {
    k.while(() => bool(true), () => undefined) // AT
  }))
  error('endless-loop', 'a loop that nothing leaves', ['endless-loop: nothing leaves this loop', '  at AT', '  note: break, return, or give it a condition'], () => build(({ n }, k) => {
    const i = k.var('i', n)
    k.loop(() => i.addAssign(1)) // AT
  }))
  error('invalid-ir', 'a pointer into other memory than the function takes', ["invalid-ir: argument 'p' of 'f' must point into workgroup memory, not function", '  at AT'], () => {
    const f = func('f(p)', [ptr('workgroup', u32)], (p, _k: Builder) => p.set(1))
    return build(({ n }, k) => {
      const v = k.var('v', n)
      f(v as never) // AT
    })
  })
})

describe('targets', () => {
  error('profile-unsupported', 'subgroups for Firefox', ["profile-unsupported: subgroupAdd needs the device feature 'subgroups', which the profile 'firefox' does not have", '  at AT', '  note: add a variant that does without it, or compile for another profile'], () => {
    const source = kernel('wrong', { workgroupSize: [64], bindings: { y: output(d.arrayOf(d.u32)) }, workgroups: () => [1] }, ({ y }, k) => {
      const sum = k.subgroupAdd(k.localIndex) // AT
      k.if(k.localIndex.eq(0), () => y.at(0).set(sum))
    })
    return compile(source, { profile: 'firefox' })
  })
  error('bad-launch', 'the length of what is no array', ["bad-launch: the launch rule asks for the length of 's', which is not an array binding", '  at AT'], () => {
    return compile(kernel('wrong', { workgroupSize: [64], bindings: { s: input(d.vec4f) }, workgroups: ({ s }) => [s.length] }, () => undefined)) // AT
  })
  error('binding-access', 'an alias of two inputs', ["binding-access: 'a' and 'b' cannot be one buffer: an alias is an input and an output", '  at AT'], () => {
    return compile(kernel('wrong', { workgroupSize: [64], bindings: { a: input(d.arrayOf(d.f32)), b: input(d.arrayOf(d.f32)) }, aliases: [['a', 'b']] }, () => undefined)) // AT
  })
  error('bad-override', 'an id that the builder would refuse', ["bad-override: the id of override 'n' must be in 0…65535, not 70000"], () => {
    const source = kernel('wrong', { workgroupSize: [64], bindings: {}, overrides: { n: override(u32, 1) } }, ({ n }, k) => void k.let('a', n)) // AT
    const [first] = validate({ ...source.ir(), overrides: [{ name: 'n', type: 'u32', default: 1, id: 70000 }] })
    throw first ? new WeftError(first) : new Error('valid')
  })
  error('type-mismatch', 'an alias of two types', ["type-mismatch: 'a' and 'b' cannot be one buffer: array<f32> is not array<u32>", '  at AT'], () => {
    return compile(kernel('wrong', { workgroupSize: [64], bindings: { a: input(d.arrayOf(d.f32)), b: output(d.arrayOf(d.u32), { writes: 'partial' }) }, aliases: [['a', 'b']], guards: 'off' }, ({ b }) => b.at(0).set(1))) // AT
  })
})
