// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts of errors show how templates are written
import { compile } from '@weft/codegen'
import { bitcast, ceilDiv, d, each, f32, fn, func, inout, input, kernel, output, override, texture, tuple, u32, vec2f, type Builder, type Expr } from '@weft/dsl'
import { describe } from 'vitest'
import { error } from './expect.js'

/** Wrong uses of the builder, many of which only JavaScript can write: what each says, and that it names this file's line. */

interface View {
  readonly x: { at(i: unknown): Expr<'f32'>; readonly length: Expr<'u32'> }
  readonly y: { at(i: unknown): { set(v: unknown): void } }
  readonly z: { at(i: unknown): Expr<'f32'> & { set(v: unknown): void; addAssign(v: unknown): void } }
  readonly n: Expr<'u32'>
}

const build = (body: (view: View, k: Builder) => unknown, rest: object = {}) =>
  kernel('wrong', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)), z: inout(d.arrayOf(d.f32)) }, params: { n: d.u32 }, ...rest }, body as never).ir()
/** What only JavaScript can pass. */
const any = <T = never>(x: unknown) => x as T

describe('types of operands', () => {
  error('type-mismatch', 'a store of another type', ["type-mismatch: the value of an element of 'y' must be f32, and is an expression of type u32", '  at AT', '  note: convert it: f32(x)'], () => build(({ y, n }) => {
    y.at(0).set(n) // AT
  }))
  error('type-mismatch', 'the condition of an if', ['type-mismatch: the condition of k.if must be bool, and is an expression of type u32', '  at AT', '  note: compare it: x.ne(0)'], () => build(({ n }, k) => {
    k.if(any(n), () => undefined) // AT
  }))
  error('type-mismatch', 'a comparison by ===', ['type-mismatch: the condition of k.if must be bool, and is false', '  at AT', '  note: === and ! are of JavaScript: use a.eq(b), a.not(). What is known when the kernel is built needs a JavaScript if, or bool(true)'], () => build(({ n }, k) => {
    k.if((n === any(1)) as never, () => undefined) // AT
  }))
  error('type-mismatch', 'a bool that JavaScript negates', ['type-mismatch: the condition of k.if must be bool, and is false', '  at AT', '  note: === and ! are of JavaScript: use a.eq(b), a.not(). What is known when the kernel is built needs a JavaScript if, or bool(true)'], () => build(({ n }, k) => {
    k.if(!n.eq(1) as never, () => undefined) // AT
  }))
  error('type-mismatch', 'a function that forgets its return', ["type-mismatch: the value of an element of 'y' must be f32, and is undefined", '  at AT', '  note: a misspelled name? a body in braces gives a value only by return'], () => build(({ x, y }) => {
    const twice = func('twice(x)', [f32], (z) => {
      z.mul(2)
    })
    y.at(0).set(twice(x.at(0))) // AT
  }))
  error('bad-argument', 'a name for what a function does not return', ["bad-argument: the value of 'a' must be an expression, and is undefined", '  at AT', '  note: a misspelled name? a body in braces gives a value only by return'], () => build((_, k) => {
    k.let('a', any(undefined)) // AT
  }))
  error('bad-argument', 'as many rounds of JavaScript as the device knows', ['bad-argument: the number of rounds of each or tuple must be a whole number of JavaScript, and is an expression of type u32', '  at AT', "  note: what is known on the device alone ends a loop there: k.range('i', n, (i) => …)"], () => build(({ n }) => {
    each(any(n)) // AT
  }))
  error('bad-argument', 'half a round', ['bad-argument: the number of rounds of each or tuple must be a whole number of JavaScript, and is 1.5', '  at AT', "  note: what is known on the device alone ends a loop there: k.range('i', n, (i) => …)"], () => build(() => {
    tuple(1.5, () => 0) // AT
  }))
  error('unknown-name', 'a binding that there is not', ["unknown-name: kernel 'wrong' declares no 'w'", '  at AT', '  note: it declares x, y, z, n'], () => build((view) => {
    const { w } = any<{ readonly w: View['z'] }>(view)
    w.at(0).set(1) // AT
  }))
  error('unknown-name', 'a param that there is not', ["unknown-name: kernel 'wrong' declares no 'm'", '  at AT', '  note: it declares x, y, z, n'], () => build((view) => {
    view.z.at(0).addAssign(any<{ m: number }>(view).m) // AT
  }))
  error('no-overload', 'another fault of a body that asks for what there is not', ['no-overload: max takes 2 arguments, and was given 1', '  at AT'], () => build(({ x, y, bias }: View & { bias?: never }) => {
    y.at(0).set(bias ?? (fn.max as (a: unknown) => never)(x.at(0))) // AT
  }))
  error('unknown-name', 'a launch rule with a param that there is not', ["unknown-name: kernel 'wrong' declares no 'm'", '  at AT', '  note: it declares x, y, z, n'], () => build(() => undefined, {
    workgroups: ({ m }: { m: number }) => [ceilDiv(m, 64)], // AT
  }))
  error('unknown-name', 'a launch rule that counts by a param that there is not', ["unknown-name: kernel 'wrong' declares no 'm'", '  at AT', '  note: it declares x, y, z, n'], () => build(() => undefined, {
    workgroups: ({ m }: { m: { mul(by: number): number } }) => [m.mul(2)], // AT
  }))
  error('unknown-name', 'a launch rule that gives a param that there is not', ["unknown-name: kernel 'wrong' declares no 'm'", '  at AT', '  note: it declares '], () =>
    kernel('wrong', { workgroupSize: [64], bindings: {}, workgroups: (n) => [(n as never as { m: number }).m] }, () => undefined).ir() // AT
  )
  error('unknown-name', 'a cost with a param that there is not', ["unknown-name: kernel 'wrong' declares no 'm'", '  at AT', '  note: it declares n'], () => kernel('wrong', { workgroupSize: [64], bindings: {}, params: { n: d.u32 }, cost: (n) => ({ bytes: (n as never as { m: { mul(by: number): number } }).m.mul(2) }) }, () => undefined).cost) // AT
  error('bad-argument', 'a quotient of what is no number', ['bad-argument: an argument of ceilDiv must be a whole number, or an expression of type u32, and is undefined', '  at AT'], () => build(() => {
    ceilDiv(any(undefined), 64) // AT
  }))
  error('unknown-name', 'a struct from an object with another field', ["unknown-name: the value of an element of 's' has a field 'b', which Pair does not", '  at AT', '  note: its fields: a'], () => kernel('wrong', { workgroupSize: [64], bindings: { s: inout(d.arrayOf(d.struct({ a: d.f32 }).$name('Pair'))) } }, ({ s }) => {
    s.at(0).set({ b: f32(1) } as never) // AT
  }).ir())
  error('bad-type', 'a struct as a param', ["bad-type: param 's' has type S", '  at AT', '  note: params are values and arrays of them; put a struct into a binding: uniform(d.struct({ … }))'], () =>
    kernel('wrong', { workgroupSize: [64], bindings: {}, params: { s: d.struct({ a: d.f32 }) } }, () => undefined).ir() // AT
  )
  error('type-mismatch', 'a template with the wrong tag', ['type-mismatch: the template is tagged f32, and its value is u32', '  at AT', '  note: tag it u32, or convert: f32(…)'], () => build(({ y, n }) => {
    y.at(0).set(f32`${n} + 1`) // AT
  }))
  error('no-overload', 'operands of two types', ['no-overload: add(f32, u32) does not exist', '  at AT', '  note: add(T, T) gives T where T is f32, f16, vec2f, vec3f, vec4f, …; convert operands with f32(x), u32(x), …'], () => build(({ x, y, n }) => {
    y.at(0).set(x.at(0).add(any(n))) // AT
  }))
  error('no-overload', 'a missing argument', ['no-overload: max takes 2 arguments, and was given 1', '  at AT'], () => build(({ x, y }) => {
    y.at(0).set(any<(...args: unknown[]) => Expr<'f32'>>(fn.max)(x.at(0))) // AT
  }))
  error('no-overload', 'an argument that is undefined', ['no-overload: add(f32, undefined) does not exist', '  at AT', '  note: a misspelled name? a body in braces gives a value only by return'], () => build(({ x, y }) => {
    y.at(0).set(x.at(0).add(any(undefined))) // AT
  }))
  error('no-overload', 'a constructor with too many lanes', ['no-overload: vec2f(f32, f32, 1) does not exist', '  at AT', '  note: its parts must be f32 and together have 2 lanes; convert them first, f32(x)'], () => build(({ x, y }) => {
    y.at(0).set(vec2f(x.at(0), x.at(1), 1).x) // AT
  }))
  error('no-overload', 'a bitcast to another size', ['no-overload: bitcast<u32>(vec2f) does not exist', '  at AT', '  note: both types must have the same number of bits, and none may be a bool or a matrix'], () => build(({ x, y }) => {
    y.at(0).set(bitcast(u32, vec2f(x.at(0)))) // AT
  }))
  error('untyped-number', 'numbers alone', ['untyped-number: max(1, 2) has no operand with a type', '  at AT', '  note: give one a type: max(f32(1), f32(2))'], () => build(({ y }) => {
    y.at(0).set(any<(...args: unknown[]) => Expr<'f32'>>(fn.max)(1, 2)) // AT
  }))
  error('untyped-number', 'a number as a variable', ["untyped-number: the first value of 'sum' is the number 0, which has no type", '  at AT', '  note: give it one: f32(0), u32(0), …'], () => build((_, k) => {
    k.var('sum', any(0)) // AT
  }))
  error('bad-literal', 'a fraction as an integer', ['bad-literal: 1.5 is not a value of u32', '  at AT', '  note: u32 holds integers from 0 to 4294967295'], () => build(({ n }, k) => {
    k.let('a', n.add(1.5)) // AT
  }))
  error('bad-literal', 'a number beyond f32', ['bad-literal: 1e+39 is not a value of f32', '  at AT', '  note: f32 holds numbers from -3.4028234663852886e+38 to 3.4028234663852886e+38; for infinity write f32(Infinity)'], () => build(({ x, y }) => {
    y.at(0).set(x.at(0).mul(1e39)) // AT
  }))
  error('bad-literal', 'a number as a bool', ['bad-literal: a bool must be true or false, and is 1', '  at AT', '  note: compare numbers: x.ne(0)'], () => build(({ n }, k) => {
    k.let('a', n.lt(5).and(any(1))) // AT
  }))
})

describe('what JavaScript does with expressions', () => {
  error('js-operator', 'a + b', ['js-operator: a JavaScript operator is applied to an expression of type f32', '  at AT', '  note: use a method (a.add(b), a.lt(b)), or put the type before a template: f32`${a} + ${b}`'], () => build(({ x, y }) => {
    y.at(0).set(any(x.at(0)) + 1) // AT
  }))
  error('js-operator', 'a < b', ['js-operator: a JavaScript operator is applied to an expression of type u32', '  at AT', '  note: use a method (a.add(b), a.lt(b)), or put the type before a template: u32`${a} + ${b}`'], () => build(({ n }, k) => {
    k.if((any(n) < 5) as never, () => undefined) // AT
  }))
  error('js-operator', 'a string with an expression', ['js-operator: an expression of type u32 is put into a JavaScript string', '  at AT', '  note: use a method (a.add(b), a.lt(b)), or put the type before a template: u32`${a} + ${b}`'], () => build(({ n }, k) => {
    k.let(`a${n}`, n) // AT
  }))
  error('js-operator', 'an operator in the launch rule', ['js-operator: a JavaScript operator is applied to a number of the launch rule or of the cost', '  at AT', '  note: use its methods: n.mul(2), ceilDiv(n, 64)'], () => build(() => undefined, {
    workgroups: ({ n }: { n: number }) => [n / 64], // AT
  }))
  error('bad-argument', 'an async body', ['bad-argument: a body is an async function', '  at AT', '  note: remove async: bodies run once, to build the kernel'], () => {
    return kernel('wrong', { workgroupSize: [64], bindings: {} }, async () => undefined).ir() // AT
  })
  error('bad-argument', 'an async branch', ['bad-argument: a body is an async function', '  at AT', '  note: remove async: bodies run once, to build the kernel'], () => build(({ n }, k) => {
    k.if(n.lt(1), any(async () => undefined)) // AT
  }))
  error('bad-argument', 'a branch that is no function', ['bad-argument: the first branch of k.if must be a function () => { … }, and is undefined', '  at AT'], () => build(({ n }, k) => {
    k.if(n.lt(1), any(undefined)) // AT
  }))
  error('bad-argument', 'a binding that is no declaration', ["bad-argument: binding 'w' must be input(…), output(…), inout(…), uniform(…) or texture(…), and is an object (type)", '  at AT'], () => {
    return kernel('wrong', { workgroupSize: [64], bindings: { w: any({ type: 'f32' }) } }, () => undefined).ir() // AT
  })
  error('unused-value', 'an expression as a statement', ['unused-value: the value of add is not used', '  at AT', '  note: an expression alone does nothing: store it (.set), name it (k.let), or remove it'], () => build(({ n }) => {
    n.add(1) // AT
  }))
  error('not-deterministic', 'a body that does something else each time', ["not-deterministic: the body of kernel 'wrong' built something else when it was run again", '  at AT', '  note: no random numbers, no counters outside that it changes'], () => {
    let count = 0
    const source = kernel('wrong', { workgroupSize: [64], bindings: { y: output(d.arrayOf(d.u32)) } }, ({ y }, k) => y.at(k.localIndex).set(count++)) // AT
    return compile(source)
  })
})

describe('where values belong', () => {
  error('foreign-expression', 'an expression of another kernel', ["foreign-expression: param 'n' of kernel 'wrong' is used in kernel 'other'", '  at AT', '  note: declare a binding or a param instead'], () => {
    let leaked: unknown
    build(({ n }) => { leaked = n })
    kernel('other', { workgroupSize: [1], bindings: {} }, (_, k) => {
      k.let('a', any(leaked)) // AT
    }).ir()
  })
  error('foreign-expression', 'a variable of the kernel in a function', ["foreign-expression: 'sum' of kernel 'wrong' is used in function 'f'", '  at AT', '  note: pass it as an argument: a value, or a pointer (ptr) to set it'], () => build(({ n }, k) => {
    const sum = k.var('sum', n)
    const f = func('f(x)', [u32], (x) => {
      return x.add(sum) // AT
    })
    k.let('a', f(n))
  }))
  error('out-of-scope', 'a value outside its block', ["out-of-scope: 'inner' of type u32 is used outside the block that made it", '  at AT', '  note: declare a variable before the block (k.var) and set it inside'], () => build(({ n }, k) => {
    let inner: unknown
    k.if(n.lt(1), () => { inner = k.let('inner', n.mul(2)) })
    k.let('outer', any(inner)) // AT
  }))
  error('out-of-scope', 'a variable set outside its block', ["out-of-scope: 'inner' of type u32 is set outside the block that made it", '  at AT', '  note: declare a variable before the block (k.var) and set it inside'], () => build(({ n }, k) => {
    let inner: { set(v: number): void } | undefined
    k.if(n.lt(1), () => { inner = k.var('inner', n) })
    inner?.set(1) // AT
  }))
  error('out-of-scope', 'a builder that is kept', ["out-of-scope: kernel 'wrong' is finished: nothing can be added to it", '  at AT'], () => {
    let kept: Builder | undefined
    build((_, k) => { kept = k })
    kept?.workgroupBarrier() // AT
  })
  error('stale-read', 'a reference after it was set', ["stale-read: an element of 'z' is read after it was set, but its value is the one from before", '  at AT', '  note: read it again: write the .at(…) once more, or keep the new value with k.let'], () => build(({ y, z }) => {
    const cell = z.at(0)
    cell.set(1)
    y.at(0).set(cell) // AT
  }))
  error('binding-access', 'a write to an input', ["binding-access: an element of 'x' is an input and cannot be written", '  at AT', '  note: declare it inout(…) to read and write it'], () => build(({ x }) => {
    any<{ set(v: number): void }>(x.at(0)).set(1) // AT
  }))
  error('binding-access', 'a read of an output', ["binding-access: an element of 'y' is an output and cannot be read", '  at AT', '  note: declare it inout(…) to read and write it'], () => build(({ y, z }) => {
    z.at(0).set(any(y.at(0))) // AT
  }))
  error('binding-access', 'adding to an output', ["binding-access: an element of 'y' is an output and cannot be read", '  at AT', '  note: declare it inout(…) to read and write it'], () => build(({ y }) => {
    any<{ addAssign(v: number): void }>(y.at(0)).addAssign(1) // AT
  }))
})

describe('types and names', () => {
  error('bad-type', 'what is no schema', ["bad-type: w has the string \"float\" where a type is expected", '  at AT', '  note: use a schema of typegpu/data (d.f32, d.arrayOf(d.f32), d.struct({…})) or a type of weft (f32, vec4f)'], () => {
    return kernel('wrong', { workgroupSize: [64], bindings: { w: input(any('float')) } }, () => undefined).ir() // AT
  })
  error('bad-type', 'an array as a value', ["bad-type: 'x' of type array<f32> cannot be read as a value", '  at AT', '  note: read its elements: .at(i)'], () => build(({ x }, k) => {
    k.let('all', any(x)) // AT
  }))
  error('bad-type', 'elements of a scalar', ["bad-type: param 'n' of type u32 has no elements", '  at AT'], () => build(({ n }, k) => {
    k.let('a', any<{ at(i: number): Expr<'u32'> }>(n).at(0)) // AT
  }))
  error('bad-type', 'a texture where a texture is expected', ["bad-type: the argument of texture must be a texture (d.texture2d(d.f32), d.textureStorage2d('r32float', 'write-only'), …), and is an object (type)", '  at AT'], () => {
    return texture(any({ type: 'array' })) // AT
  })
  error('bad-name', 'a name with a space', ['bad-name: the string "my sum" is not a name for a variable', '  at AT', '  note: a name starts with a letter or _ and goes on with letters, digits and _'], () => build(({ n }, k) => {
    k.var('my sum', n) // AT
  }))
  error('bad-name', 'a missing name', ['bad-name: an expression of type u32 is not a name for a let', '  at AT', '  note: a name starts with a letter or _ and goes on with letters, digits and _'], () => build(({ n }, k) => {
    any<{ let(x: unknown): void }>(k).let(n) // AT
  }))
  error('bad-name', 'a function without a signature', ["bad-name: 'gelu' is not a signature", '  at AT', "  note: write the name and the names of the parameters: 'gelu(x)'"], () => {
    return func('gelu', [f32], (x) => x) // AT
  })
  error('duplicate-name', 'a binding and a param', ["duplicate-name: 'x' is declared twice in kernel 'wrong'", '  at AT', '  note: bindings, params and overrides share one set of names'], () => {
    return kernel('wrong', { workgroupSize: [64], bindings: { x: input(d.arrayOf(d.f32)) }, params: any<Record<never, never>>({ x: d.u32 }) }, () => undefined).ir() // AT
  })
  error('duplicate-name', 'two parameters', ['duplicate-name: f has two parameters of one name', '  at AT'], () => {
    return func('f(x, x)', [f32, f32], (x) => x) // AT
  })
  error('unknown-name', 'an override that is not declared', ["unknown-name: the workgroup size names override 'width', which is not declared", '  at AT', '  note: declare overrides: { width: override(u32) }'], () => {
    return kernel('wrong', { workgroupSize: [any('width')], bindings: {} }, () => undefined).ir() // AT
  })
  error('unknown-name', 'a variant that is not declared', ["unknown-name: kernel 'wrong' has no variant 'fast'", '  at AT', '  note: its variants: portable'], () => {
    return kernel('wrong', { workgroupSize: [1], bindings: {} }, () => undefined).ir('fast') // AT
  })
  error('bad-index', 'a float', ["bad-index: an expression of type f32 is not an index of 'x'", '  at AT', '  note: an index is a u32 (u32(x) converts), an i32 or an integer from 0 on'], () => build(({ x, y }) => {
    y.at(0).set(x.at(f32(1))) // AT
  }))
  error('bad-index', 'a negative number', ["bad-index: -1 is not an index of 'x'", '  at AT', '  note: an index is a u32 (u32(x) converts), an i32 or an integer from 0 on'], () => build(({ x, y }) => {
    y.at(0).set(x.at(-1)) // AT
  }))
  error('bad-index', 'a string', ['bad-index: the string "0" is not an index of \'x\'', '  at AT', '  note: an index is a u32 (u32(x) converts), an i32 or an integer from 0 on'], () => build(({ x, y }) => {
    y.at(0).set(x.at('0')) // AT
  }))
  error('bad-index', 'beyond an array of known size', ["bad-index: 4 is not an index of 'tile'", '  at AT', '  note: an index is a u32 (u32(x) converts), an i32 or an integer from 0 to 3'], () => build((_, k) => {
    k.workgroup('tile', f32, 4).at(4).set(0) // AT
  }))
  error('bad-swizzle', 'a lane that is not there', ['bad-swizzle: .xz is not a part of vec2f', '  at AT', '  note: its lanes are xy'], () => build(({ x, y }) => {
    y.at(0).set(any<{ xz: unknown }>(vec2f(x.at(0))).xz) // AT
  }))
  error('bad-swizzle', 'a lane of a scalar', ['bad-swizzle: .x is not a part of f32', '  at AT', '  note: only vectors have lanes'], () => build(({ x, y }) => {
    y.at(0).set(any<{ x: unknown }>(x.at(0)).x) // AT
  }))
  error('bad-swizzle', 'five lanes', ['bad-swizzle: .xyxyx is not a part of vec2f', '  at AT', '  note: its lanes are xy'], () => build(({ x, y }) => {
    y.at(0).set(any<Expr<'vec2f'>>(vec2f(x.at(0))).swizzle('xyxyx')) // AT
  }))
})

describe('what is misspelled, and would be as if it were not there', () => {
  error('bad-argument', 'a key of a declaration', ["bad-argument: kernel 'wrong' knows no option 'workgroupsize'", '  at AT', '  note: its options: workgroupSize, bindings, params, overrides, workgroups, cost, aliases, variants, doc, subgroupSize, limits, guards'], () =>
    kernel('wrong', { workgroupsize: [64], bindings: {} } as never, () => undefined).ir() // AT
  )
  error('bad-argument', 'no declaration', ["bad-argument: the declaration of kernel 'wrong' must be an object { workgroupSize, bindings, … }, and is undefined", '  at AT'], () =>
    kernel('wrong', any(undefined), () => undefined) // AT
  )
  error('unknown-name', 'a feature of a variant', ["unknown-name: variant 'fast' of kernel 'wrong' needs 'subgroupz', which is no feature", '  at AT', '  note: features: f16, subgroups, subgroup-size-control, subgroup-id, subgroup-matrix, linear-indexing, buffer-view, packed-dot, immediates, pointer-parameters, read-write-textures'], () =>
    kernel('wrong', { workgroupSize: [64], bindings: {}, variants: { fast: ['subgroupz' as never] } }, () => undefined).ir() // AT
  )
  error('bad-argument', 'a limit', ["bad-argument: limits of kernel 'wrong' knows no option 'maxFoo'", '  at AT', '  note: its options: maxComputeWorkgroupStorageSize, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX, maxComputeWorkgroupSizeY, maxComputeWorkgroupSizeZ, maxStorageBuffersPerShaderStage, maxUniformBuffersPerShaderStage, maxSampledTexturesPerShaderStage, maxStorageTexturesPerShaderStage, maxBindingsPerBindGroup, maxUniformBufferBindingSize'], () =>
    kernel('wrong', { workgroupSize: [64], bindings: {}, limits: { maxFoo: 1 } }, () => undefined).ir() // AT
  )
  error('bad-argument', 'guards', ["bad-argument: guards of kernel 'wrong' must be 'required' or 'off', and is the string \"of\"", '  at AT'], () =>
    kernel('wrong', { workgroupSize: [64], bindings: {}, guards: 'of' as never }, () => undefined).ir() // AT
  )
  error('bad-argument', 'an option of an output', ["bad-argument: output knows no option 'write'", '  at AT', '  note: its options: writes'], () =>
    output(d.arrayOf(d.f32), { write: 'partial' } as never) // AT
  )
  error('bad-argument', 'how an output is written', ["bad-argument: the option writes of output must be 'full' or 'partial', and is the string \"some\"", '  at AT'], () =>
    output(d.arrayOf(d.f32), { writes: 'some' as never }) // AT
  )
  error('bad-argument', 'an option of an override', ["bad-argument: override knows no option 'ident'", '  at AT', '  note: its options: id'], () =>
    override(u32, 1, { ident: 3 } as never) // AT
  )
  error('bad-argument', 'an option of a range', ["bad-argument: k.range('i', …) knows no option 'unrol'", '  at AT', '  note: its options: unroll'], () => build(({ n }, k) => {
    k.range('i', n, () => undefined, any({ unrol: true })) // AT
  }))
})
