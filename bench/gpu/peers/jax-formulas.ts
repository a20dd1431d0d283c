// Problems in the functions of jax-js, by kind. A function uses up its arguments: `.ref` is one use more.

import type { Array as JaxArray } from '@jax-js/jax'
import type { Contest } from '../contest'
import { dimsOf, hasFlag } from '../dims'
import type { Kind } from '../kinds'

type Jax = typeof import('@jax-js/jax')

/** Inputs by name, and what is made of them: one result, or several by name. */
export interface JaxFormula {
  readonly inputs: readonly string[]
  readonly call: (jax: Jax, contest: Contest, ...x: JaxArray[]) => JaxArray | Readonly<Record<string, JaxArray>>
  /** Run as it is, without `jit`, so that each result has a last kernel of its own. */
  readonly eager?: true
}

const unary = (call: (jax: Jax, x: JaxArray, contest: Contest) => JaxArray): JaxFormula => ({
  inputs: ['x'],
  call: (jax, contest, x) => call(jax, x as JaxArray, contest),
})
const binary = (call: (jax: Jax, a: JaxArray, b: JaxArray) => JaxArray): JaxFormula => ({
  inputs: ['a', 'b'],
  call: (jax, _, a, b) => call(jax, a as JaxArray, b as JaxArray),
})
const eps = ({ shape }: Contest): number => shape?.eps ?? 1e-5

const matmul: JaxFormula = {
  inputs: ['a', 'b'],
  call: ({ numpy }, contest, a, b) => {
    const turned = (x: JaxArray, flag: 'transposeA' | 'transposeB') =>
      hasFlag(contest, flag) ? numpy.matrixTranspose(x) : x
    return numpy.matmul(turned(a as JaxArray, 'transposeA'), turned(b as JaxArray, 'transposeB'))
  },
}

/** Its layout is batch × tokens × heads × headSize: every head is given as a batch entry with a head of its own. */
const attention: JaxFormula = {
  inputs: ['q', 'k', 'v'],
  call: ({ nn }, contest, ...x) => {
    const { q = [], k = [] } = dimsOf(contest)
    if (q[1] !== k[1]) throw new Error('it has no grouped attention in this layout')
    const sides = x.map((side) => {
      const [batch = 1, heads = 1, tokens = 1, headSize = 1] = side.shape
      return side.reshape([batch * heads, tokens, 1, headSize])
    }) as [JaxArray, JaxArray, JaxArray]
    return nn.dotProductAttention(...sides, { isCausal: hasFlag(contest, 'causal') }).reshape(q as number[])
  },
}

/** Not `scan`: the steps of its cumsum grow with (n / 256)², which is more than i32 holds for the sizes of the bench. */
export const JAX_FORMULAS: Partial<Readonly<Record<Kind, JaxFormula>>> = {
  matmul,
  attention,
  softmax: unary(({ nn }, x) => nn.softmax(x)),
  'log-softmax': unary(({ nn }, x) => nn.logSoftmax(x)),
  'softmax-backward': {
    inputs: ['y', 'dy'],
    call: (_, __, y, dy) => {
      const product = (y as JaxArray).ref.mul(dy as JaxArray)
      return product.ref.sub((y as JaxArray).mul(product.sum(1, { keepdims: true })))
    },
  },
  layernorm: {
    inputs: ['x', 'weight', 'bias'],
    call: ({ nn }, contest, x, weight, bias) =>
      nn
        .standardize(x as JaxArray, 1, { epsilon: eps(contest) })
        .mul(weight as JaxArray)
        .add(bias as JaxArray),
  },
  rmsnorm: {
    inputs: ['x', 'weight'],
    call: ({ numpy }, contest, x, weight) => {
      const square = numpy.square((x as JaxArray).ref).mean(1, { keepdims: true })
      return (x as JaxArray).mul(numpy.reciprocal(numpy.sqrt(square.add(eps(contest))))).mul(weight as JaxArray)
    },
  },
  gelu: unary(({ nn }, x, contest) => nn.gelu(x, { approximate: hasFlag(contest, 'tanh') })),
  silu: unary(({ nn }, x) => nn.silu(x)),
  exp: unary(({ numpy }, x) => numpy.exp(x)),
  add: binary((_, a, b) => a.add(b)),
  mul: binary((_, a, b) => a.mul(b)),
  sum: unary((_, x) => x.sum()),
  max: unary((_, x) => x.max()),
  'sum-rows': unary((_, x) => x.sum(1)),
  'sum-columns': unary((_, x) => x.sum(0)),
  'sort-pairs': {
    inputs: ['keys', 'values'],
    call: ({ numpy }, _, keys, values) => {
      const order = numpy.argsort((keys as JaxArray).ref)
      return {
        sortedKeys: numpy.take(keys as JaxArray, order.ref, 0),
        sortedValues: numpy.take(values as JaxArray, order, 0),
      }
    },
    eager: true,
  },
}
