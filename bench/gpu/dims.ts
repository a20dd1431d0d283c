// The dimensions of inputs and outputs, by the kind of a problem: what peers need to know beyond sizes.

import type { Facts } from './contest'
import type { Flag, Kind } from './kinds'

export type Dims = Readonly<Record<string, readonly number[]>>

type Shape = Readonly<Record<string, number>>
type Rule = (shape: Shape, has: (flag: Flag) => boolean) => Dims

const line: Rule = ({ n = 1 }) => ({ x: [n], y: [n] })
const pair: Rule = ({ n = 1 }) => ({ a: [n], b: [n], y: [n] })
const whole: Rule = ({ n = 1 }) => ({ x: [n], y: [1] })
const rows: Rule = ({ rows = 1, cols = 1 }) => ({ x: [rows, cols], y: [rows, cols], weight: [cols], bias: [cols] })
const rowGradients: Rule = ({ rows = 1, cols = 1 }) => {
  const matrix = [rows, cols]
  return { x: matrix, y: matrix, dy: matrix, dx: matrix, weight: [cols], dweight: [cols], dbias: [cols] }
}
const losses: Rule = ({ rows = 1, cols = 1 }) => ({ x: [rows, cols], target: [rows], loss: [rows] })
const lossGradients: Rule = ({ rows = 1, cols = 1 }) => ({
  ...{ x: [rows, cols], target: [rows], lse: [rows], dx: [rows, cols] },
})

const attention: Rule = ({ batch = 1, heads = 1, kvHeads = heads, queries = 1, keys = 1, headSize = 1 }) => {
  const q = [batch, heads, queries, headSize]
  const k = [batch, kvHeads, keys, headSize]
  return { q, k, v: k, out: q, dout: q, dq: q, dk: k, dv: k }
}

const matmul: Rule = ({ batch = 1, m = 1, n = 1, k = 1 }, has) => {
  const of = (rows: number, cols: number, turned: boolean): number[] => [
    ...(batch > 1 ? [batch] : []),
    ...(turned ? [cols, rows] : [rows, cols]),
  ]
  return { a: of(m, k, has('transposeA')), b: of(k, n, has('transposeB')), c: of(m, n, false) }
}

/** Of words: four bytes each. */
const matmulInt8: Rule = (shape, has) => {
  const { a = [], b = [], c = [] } = matmul(shape, has)
  const words = ([rows = 1, cols = 1]: readonly number[]) => [rows, cols / 4]
  return { a: words(a), b: words(b), c }
}

const RULES: Readonly<Record<Kind, Rule>> = {
  copy: line,
  matmul,
  'matmul-int8': matmulInt8,
  attention,
  'attention-backward': attention,
  softmax: rows,
  'log-softmax': rows,
  'softmax-backward': rowGradients,
  layernorm: rows,
  rmsnorm: rows,
  'layernorm-backward': rowGradients,
  'rmsnorm-backward': rowGradients,
  'cross-entropy': losses,
  'cross-entropy-backward': lossGradients,
  gelu: line,
  silu: line,
  exp: line,
  add: pair,
  mul: pair,
  sum: whole,
  max: whole,
  'sum-rows': ({ rows = 1, cols = 1 }) => ({ x: [rows, cols], y: [rows] }),
  'sum-columns': ({ rows = 1, cols = 1 }) => ({ x: [rows, cols], y: [cols] }),
  scan: line,
  'sort-pairs': ({ n = 1 }) => ({ keys: [n], values: [n], sortedKeys: [n], sortedValues: [n] }),
  adamw: ({ n = 1 }) => ({ p: [n], g: [n], m: [n], v: [n] }),
}

/** Dimensions by the name of an input or output. */
export function dimsOf({ kind, shape = {}, flags = [] }: Facts): Dims {
  return kind === undefined ? {} : RULES[kind](shape, (flag) => flags.includes(flag))
}

export const hasFlag = ({ flags = [] }: Facts, flag: Flag): boolean => flags.includes(flag)
