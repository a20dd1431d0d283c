// The problems that peers know, by kind: the names of their sizes, inputs and outputs. Arrays are row-major, and the names
// are those of the library's host functions, so that an entry of ours reads like a call of it.
//
//   kind                     shape                                      inputs                    outputs
//   copy                     n                                          x                         y
//   matmul                   m, n, k, [batch]                           a m × k, b k × n          c m × n
//   matmul-int8              m, n, k                                    a m × k, b k × n: bytes    c m × n: i32
//                                                                       in words of four (u32)
//   attention                batch, heads, [kvHeads], queries, keys,    q, k, v: batch × heads    out
//                            headSize                                   × tokens × headSize
//   attention-backward       the same                                   q, k, v, dout             dq, dk, dv
//   softmax, log-softmax     rows, cols                                 x                         y
//   softmax-backward         rows, cols                                 y, dy                     dx
//   layernorm                rows, cols, [eps]                          x, weight, bias           y
//   rmsnorm                  rows, cols, [eps]                          x, weight                 y
//   layernorm-backward       rows, cols, [eps]                          x, weight, dy             dx, dweight, dbias
//   rmsnorm-backward         rows, cols, [eps]                          x, weight, dy             dx, dweight
//   cross-entropy            rows, cols                                 x, target (u32)           loss
//   cross-entropy-backward   rows, cols                                 x, target, lse            dx
//   gelu, silu, exp          n                                          x                         y
//   add, mul                 n                                          a, b                      y
//   sum, max                 n                                          x                         y (1)
//   sum-rows                 rows, cols                                 x                         y (rows)
//   sum-columns              rows, cols                                 x                         y (cols)
//   scan                     n                                          x                         y
//   sort-pairs               n                                          keys, values (u32)        sortedKeys, sortedValues
//   adamw                    n                                          p, g, m, v                p, m, v in place
//
// With 'transposeB' b is stored as n × k, which is how weights of matrix–vector products lie. Scores of attention are divided
// by √headSize. gelu is the exact one, or with 'tanh' the approximation. lse is log Σ exp of each row, and the gradient of
// cross-entropy is exp(x − lse), less 1 at the target. eps is 1e-5 unless the shape says otherwise; adamw takes lr (1e-3),
// beta1 (0.9), beta2 (0.999), eps (1e-8), decay (0.01) and step (1) from the shape.

export type Kind =
  | 'copy'
  | 'matmul'
  | 'matmul-int8'
  | 'attention'
  | 'attention-backward'
  | 'softmax'
  | 'log-softmax'
  | 'softmax-backward'
  | 'layernorm'
  | 'rmsnorm'
  | 'layernorm-backward'
  | 'rmsnorm-backward'
  | 'cross-entropy'
  | 'cross-entropy-backward'
  | 'gelu'
  | 'silu'
  | 'exp'
  | 'add'
  | 'mul'
  | 'sum'
  | 'max'
  | 'sum-rows'
  | 'sum-columns'
  | 'scan'
  | 'sort-pairs'
  | 'adamw'

export type Flag = 'causal' | 'transposeA' | 'transposeB' | 'tanh'
