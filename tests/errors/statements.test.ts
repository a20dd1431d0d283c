// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts of errors show how templates are written
import { d, f32, func, inout, input, kernel, output, u32, type Builder, type Expr } from '@weft/dsl'
import { describe } from 'vitest'
import { error } from './expect.js'

/** Wrong templates, statements and functions: what each says, and that it names this file's line. */

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

describe('templates', () => {
  error('bad-template', 'an operator without an operand', ['bad-template: an operand is expected here', '    ${…} +', '          ^', '  at AT'], () => build(({ n }, k) => {
    k.let('a', u32`${n} +`) // AT
  }))
  error('bad-template', 'operators that WGSL does not mix', ["bad-template: '|' needs parentheses here: WGSL gives it no precedence over its neighbour", '    ${…} & 3 | 4', '             ^', '  at AT'], () => build(({ n }, k) => {
    k.let('a', u32`${n} & 3 | 4`) // AT
  }))
  error('bad-template', 'a name that is not in scope', ["bad-template: 'row' is not a value; put it in as ${row}", '    ${…} * row', '           ^', '  at AT'], () => build(({ n }, k) => {
    k.let('a', u32`${n} * row`) // AT
  }))
  error('bad-template', 'a function that is not built in', ["bad-template: 'relu' is not a built-in function; a function of your own goes in as ${relu}(…)", '    relu(${…})', '    ^', '  at AT'], () => build(({ x, y }) => {
    y.at(0).set(f32`relu(${x.at(0)})`) // AT
  }))
  error('bad-template', 'a hole that is no value', ['bad-template: the string "2" cannot stand in an expression', '    ${…} * ${…}', '           ^', '  at AT'], () => build(({ n }, k) => {
    k.let('a', u32`${n} * ${'2'}`) // AT
  }))
  error('bad-template', 'a character that means nothing', ["bad-template: '?' has no meaning in an expression", '    ${…} ? 1 : 2', '         ^', '  at AT'], () => build(({ n }, k) => {
    k.let('a', u32`${n} ? 1 : 2`) // AT
  }))
  error('bad-template', 'division of literals by zero', ['bad-template: division by zero', '    ${…} + 1 / 0', '             ^', '  at AT'], () => build(({ n }, k) => {
    k.let('a', u32`${n} + 1 / 0`) // AT
  }))
})

describe('statements and functions', () => {
  error('recursion', 'a function that calls itself', ['recursion: self calls self: WGSL has no recursion', '  at AT', '  note: write a loop'], () => {
    const self: (x: Expr<'f32'>) => Expr<'f32'> = func('self(x)', [f32], (x): Expr<'f32'> => {
      return self(x) // AT
    })
    build(({ x, y }) => y.at(0).set(self(x.at(0))))
  })
  error('misplaced-statement', 'break outside a loop', ['misplaced-statement: k.break() stands outside a loop', '  at AT', '  note: k.return() leaves the kernel'], () => build((_, k) => {
    k.break() // AT
  }))
  error('misplaced-statement', 'a value returned by a kernel', ['misplaced-statement: a kernel returns no value', '  at AT', '  note: write to an output'], () => build(({ n }, k) => {
    k.return(n) // AT
  }))
  error('misplaced-statement', 'an else that does not follow', ['misplaced-statement: an else does not follow its if', '  at AT', '  note: chain it: k.if(…, …).else(…), with nothing in between'], () => build(({ n, y }, k) => {
    const chain = k.if(n.lt(1), () => undefined)
    y.at(0).set(1)
    chain.else(() => undefined) // AT
  }))
  error('bad-switch', 'a case that stands twice', ['bad-switch: case 1 stands twice in k.switch', '  at AT'], () => build(({ n }, k) => k.switch(n, (s) => {
    s.case(1, () => undefined)
    s.case([2, 1], () => undefined) // AT
  })))
  error('misplaced-statement', 'two elses', ['misplaced-statement: an if has two branches for when its test fails', '  at AT', '  note: chain tests with .elseIf(…)'], () => build(({ n }, k) => {
    const chain = k.if(n.lt(5), () => undefined)
    chain.else(() => undefined)
    chain.else(() => undefined) // AT
  }))
  error('endless-loop', 'a step of 0', ["endless-loop: k.range('i', …) has step 0", '  at AT', '  note: leave the step out for 1'], () => build(({ n }, k) => {
    k.range('i', 0, n, 0, () => undefined) // AT
  }))
  error('workgroup-size', 'no integers', ['workgroup-size: 1.5 is not a workgroup size', '  at AT', '  note: sizes are integers from 1 on, or names of overrides'], () => {
    return kernel('wrong', { workgroupSize: [1.5], bindings: {} }, () => undefined).ir() // AT
  })
  error('bad-launch', 'a fraction', ['bad-launch: 1.5 is not a number of workgroups', '  at AT', '  note: the launch rule computes with its params and non-negative integers: ({ n }) => [ceilDiv(n, 64)]'], () => {
    return kernel('wrong', { workgroupSize: [1], bindings: {}, workgroups: () => [1.5] }, () => undefined).ir() // AT
  })
  error('bad-launch', 'no array', ['bad-launch: the result of the launch rule must be one to three counts, as ({ rows }) => [rows], and is 5', '  at AT'], () => {
    return kernel('wrong', { workgroupSize: [1], bindings: {}, workgroups: any<() => number[]>(() => 5) }, () => undefined).ir() // AT
  })
  error('not-constant', 'the lane of a broadcast', ['not-constant: argument 2 of subgroupBroadcast must be a constant', '  at AT', '  note: give a JavaScript number; for a variable lane use subgroupShuffle'], () => build(({ n }, k) => {
    k.let('a', k.subgroupBroadcast(n, any(n))) // AT
  }))
})
