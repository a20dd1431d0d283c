import * as g from '../../generated/elementwise'
import type { Operation } from './operation'

/**
 * The operations of `runElementwise`: what each computes stands with its line in ops.ts. Every one is a constant of its own, so that
 * an app ships the shaders of those that it names.
 */
export const abs: Operation = { name: 'abs', f32: { flat: g.abs }, f16: { flat: g.abs_f16 }, i32: { flat: g.abs_i32 } }
export const add: Operation = {
  name: 'add',
  f32: { flat: g.add, strided: g.add_strided },
  f16: { flat: g.add_f16, strided: g.add_f16_strided },
  i32: { flat: g.add_i32, strided: g.add_i32_strided },
}
export const addScalar: Operation = { name: 'add_scalar', f32: { flat: g.add_scalar }, f16: { flat: g.add_scalar_f16 } }
export const affine: Operation = { name: 'affine', f32: { flat: g.affine }, f16: { flat: g.affine_f16 } }
export const arange: Operation = {
  name: 'arange',
  f32: { flat: g.arange },
  f16: { flat: g.arange_f16 },
  i32: { flat: g.arange_i32 },
}
export const bitwiseAnd: Operation = {
  name: 'bitwise_and',
  i32: { flat: g.bitwise_and_i32, strided: g.bitwise_and_i32_strided },
}
export const bitwiseNot: Operation = { name: 'bitwise_not', i32: { flat: g.bitwise_not_i32 } }
export const bitwiseOr: Operation = {
  name: 'bitwise_or',
  i32: { flat: g.bitwise_or_i32, strided: g.bitwise_or_i32_strided },
}
export const bitwiseXor: Operation = {
  name: 'bitwise_xor',
  i32: { flat: g.bitwise_xor_i32, strided: g.bitwise_xor_i32_strided },
}
export const castBoolF32: Operation = { name: 'cast_bool_f32', any: { flat: g.cast_bool_f32 } }
export const castBoolI32: Operation = { name: 'cast_bool_i32', any: { flat: g.cast_bool_i32 } }
export const castF16F32: Operation = { name: 'cast_f16_f32', any: { flat: g.cast_f16_f32 } }
export const castF16I32: Operation = { name: 'cast_f16_i32', any: { flat: g.cast_f16_i32 } }
export const castF32Bool: Operation = { name: 'cast_f32_bool', any: { flat: g.cast_f32_bool } }
export const castF32F16: Operation = { name: 'cast_f32_f16', any: { flat: g.cast_f32_f16 } }
export const castF32I32: Operation = { name: 'cast_f32_i32', any: { flat: g.cast_f32_i32 } }
export const castI32Bool: Operation = { name: 'cast_i32_bool', any: { flat: g.cast_i32_bool } }
export const castI32F16: Operation = { name: 'cast_i32_f16', any: { flat: g.cast_i32_f16 } }
export const castI32F32: Operation = { name: 'cast_i32_f32', any: { flat: g.cast_i32_f32 } }
export const ceil: Operation = { name: 'ceil', f32: { flat: g.ceil }, f16: { flat: g.ceil_f16 } }
export const clamp: Operation = { name: 'clamp', f32: { flat: g.clamp }, f16: { flat: g.clamp_f16 } }
export const cos: Operation = { name: 'cos', f32: { flat: g.cos }, f16: { flat: g.cos_f16 } }
export const cube: Operation = { name: 'cube', f32: { flat: g.cube }, f16: { flat: g.cube_f16 } }
export const div: Operation = {
  name: 'div',
  f32: { flat: g.div, strided: g.div_strided },
  f16: { flat: g.div_f16, strided: g.div_f16_strided },
  i32: { flat: g.div_i32, strided: g.div_i32_strided },
}
export const elu: Operation = { name: 'elu', f32: { flat: g.elu }, f16: { flat: g.elu_f16 } }
export const eq: Operation = {
  name: 'eq',
  f32: { flat: g.eq, strided: g.eq_strided },
  f16: { flat: g.eq_f16, strided: g.eq_f16_strided },
  i32: { flat: g.eq_i32, strided: g.eq_i32_strided },
}
export const erf: Operation = { name: 'erf', f32: { flat: g.erf }, f16: { flat: g.erf_f16 } }
export const exp: Operation = { name: 'exp', f32: { flat: g.exp }, f16: { flat: g.exp_f16 } }
export const exp2: Operation = { name: 'exp2', f32: { flat: g.exp2 }, f16: { flat: g.exp2_f16 } }
export const fill: Operation = {
  name: 'fill',
  f32: { flat: g.fill },
  f16: { flat: g.fill_f16 },
  i32: { flat: g.fill_i32 },
}
export const floor: Operation = { name: 'floor', f32: { flat: g.floor }, f16: { flat: g.floor_f16 } }
export const floorDiv: Operation = {
  name: 'floor_div',
  f32: { flat: g.floor_div, strided: g.floor_div_strided },
  f16: { flat: g.floor_div_f16, strided: g.floor_div_f16_strided },
}
export const ge: Operation = {
  name: 'ge',
  f32: { flat: g.ge, strided: g.ge_strided },
  f16: { flat: g.ge_f16, strided: g.ge_f16_strided },
  i32: { flat: g.ge_i32, strided: g.ge_i32_strided },
}
export const geglu: Operation = { name: 'geglu', f32: { flat: g.geglu }, f16: { flat: g.geglu_f16 } }
export const gegluBackward: Operation = {
  name: 'geglu_backward',
  f32: { flat: g.geglu_backward },
  f16: { flat: g.geglu_backward_f16 },
}
export const gelu: Operation = { name: 'gelu', f32: { flat: g.gelu }, f16: { flat: g.gelu_f16 } }
export const geluBackward: Operation = {
  name: 'gelu_backward',
  f32: { flat: g.gelu_backward },
  f16: { flat: g.gelu_backward_f16 },
}
export const geluErf: Operation = { name: 'gelu_erf', f32: { flat: g.gelu_erf }, f16: { flat: g.gelu_erf_f16 } }
export const geluErfBackward: Operation = {
  name: 'gelu_erf_backward',
  f32: { flat: g.gelu_erf_backward },
  f16: { flat: g.gelu_erf_backward_f16 },
}
export const gt: Operation = {
  name: 'gt',
  f32: { flat: g.gt, strided: g.gt_strided },
  f16: { flat: g.gt_f16, strided: g.gt_f16_strided },
  i32: { flat: g.gt_i32, strided: g.gt_i32_strided },
}
export const hardsigmoid: Operation = {
  name: 'hardsigmoid',
  f32: { flat: g.hardsigmoid },
  f16: { flat: g.hardsigmoid_f16 },
}
export const hardswish: Operation = { name: 'hardswish', f32: { flat: g.hardswish }, f16: { flat: g.hardswish_f16 } }
export const le: Operation = {
  name: 'le',
  f32: { flat: g.le, strided: g.le_strided },
  f16: { flat: g.le_f16, strided: g.le_f16_strided },
  i32: { flat: g.le_i32, strided: g.le_i32_strided },
}
export const leakyRelu: Operation = { name: 'leaky_relu', f32: { flat: g.leaky_relu }, f16: { flat: g.leaky_relu_f16 } }
export const log: Operation = { name: 'log', f32: { flat: g.log }, f16: { flat: g.log_f16 } }
export const log2: Operation = { name: 'log2', f32: { flat: g.log2 }, f16: { flat: g.log2_f16 } }
export const logicalAnd: Operation = {
  name: 'logical_and',
  bool: { flat: g.logical_and_bool, strided: g.logical_and_bool_strided },
}
export const logicalNot: Operation = { name: 'logical_not', bool: { flat: g.logical_not_bool } }
export const logicalOr: Operation = {
  name: 'logical_or',
  bool: { flat: g.logical_or_bool, strided: g.logical_or_bool_strided },
}
export const logicalXor: Operation = {
  name: 'logical_xor',
  bool: { flat: g.logical_xor_bool, strided: g.logical_xor_bool_strided },
}
export const lt: Operation = {
  name: 'lt',
  f32: { flat: g.lt, strided: g.lt_strided },
  f16: { flat: g.lt_f16, strided: g.lt_f16_strided },
  i32: { flat: g.lt_i32, strided: g.lt_i32_strided },
}
export const maximum: Operation = {
  name: 'maximum',
  f32: { flat: g.maximum, strided: g.maximum_strided },
  f16: { flat: g.maximum_f16, strided: g.maximum_f16_strided },
  i32: { flat: g.maximum_i32, strided: g.maximum_i32_strided },
}
export const minimum: Operation = {
  name: 'minimum',
  f32: { flat: g.minimum, strided: g.minimum_strided },
  f16: { flat: g.minimum_f16, strided: g.minimum_f16_strided },
  i32: { flat: g.minimum_i32, strided: g.minimum_i32_strided },
}
export const mul: Operation = {
  name: 'mul',
  f32: { flat: g.mul, strided: g.mul_strided },
  f16: { flat: g.mul_f16, strided: g.mul_f16_strided },
  i32: { flat: g.mul_i32, strided: g.mul_i32_strided },
}
export const mulScalar: Operation = { name: 'mul_scalar', f32: { flat: g.mul_scalar }, f16: { flat: g.mul_scalar_f16 } }
export const ne: Operation = {
  name: 'ne',
  f32: { flat: g.ne, strided: g.ne_strided },
  f16: { flat: g.ne_f16, strided: g.ne_f16_strided },
  i32: { flat: g.ne_i32, strided: g.ne_i32_strided },
}
export const neg: Operation = { name: 'neg', f32: { flat: g.neg }, f16: { flat: g.neg_f16 }, i32: { flat: g.neg_i32 } }
export const pow: Operation = {
  name: 'pow',
  f32: { flat: g.pow, strided: g.pow_strided },
  f16: { flat: g.pow_f16, strided: g.pow_f16_strided },
}
export const powScalar: Operation = { name: 'pow_scalar', f32: { flat: g.pow_scalar }, f16: { flat: g.pow_scalar_f16 } }
export const reciprocal: Operation = {
  name: 'reciprocal',
  f32: { flat: g.reciprocal },
  f16: { flat: g.reciprocal_f16 },
}
export const reglu: Operation = { name: 'reglu', f32: { flat: g.reglu }, f16: { flat: g.reglu_f16 } }
export const regluBackward: Operation = {
  name: 'reglu_backward',
  f32: { flat: g.reglu_backward },
  f16: { flat: g.reglu_backward_f16 },
}
export const relu: Operation = { name: 'relu', f32: { flat: g.relu }, f16: { flat: g.relu_f16 } }
export const reluBackward: Operation = {
  name: 'relu_backward',
  f32: { flat: g.relu_backward },
  f16: { flat: g.relu_backward_f16 },
}
export const reluSquare: Operation = {
  name: 'relu_square',
  f32: { flat: g.relu_square },
  f16: { flat: g.relu_square_f16 },
}
export const round: Operation = { name: 'round', f32: { flat: g.round }, f16: { flat: g.round_f16 } }
export const rsqrt: Operation = { name: 'rsqrt', f32: { flat: g.rsqrt }, f16: { flat: g.rsqrt_f16 } }
export const sigmoid: Operation = { name: 'sigmoid', f32: { flat: g.sigmoid }, f16: { flat: g.sigmoid_f16 } }
export const sigmoidBackward: Operation = {
  name: 'sigmoid_backward',
  f32: { flat: g.sigmoid_backward },
  f16: { flat: g.sigmoid_backward_f16 },
}
export const sign: Operation = { name: 'sign', f32: { flat: g.sign }, f16: { flat: g.sign_f16 } }
export const silu: Operation = { name: 'silu', f32: { flat: g.silu }, f16: { flat: g.silu_f16 } }
export const siluBackward: Operation = {
  name: 'silu_backward',
  f32: { flat: g.silu_backward },
  f16: { flat: g.silu_backward_f16 },
}
export const sin: Operation = { name: 'sin', f32: { flat: g.sin }, f16: { flat: g.sin_f16 } }
export const softplus: Operation = { name: 'softplus', f32: { flat: g.softplus }, f16: { flat: g.softplus_f16 } }
export const softplusBackward: Operation = {
  name: 'softplus_backward',
  f32: { flat: g.softplus_backward },
  f16: { flat: g.softplus_backward_f16 },
}
export const sqrt: Operation = { name: 'sqrt', f32: { flat: g.sqrt }, f16: { flat: g.sqrt_f16 } }
export const square: Operation = { name: 'square', f32: { flat: g.square }, f16: { flat: g.square_f16 } }
export const sub: Operation = {
  name: 'sub',
  f32: { flat: g.sub, strided: g.sub_strided },
  f16: { flat: g.sub_f16, strided: g.sub_f16_strided },
  i32: { flat: g.sub_i32, strided: g.sub_i32_strided },
}
export const swiglu: Operation = { name: 'swiglu', f32: { flat: g.swiglu }, f16: { flat: g.swiglu_f16 } }
export const swigluBackward: Operation = {
  name: 'swiglu_backward',
  f32: { flat: g.swiglu_backward },
  f16: { flat: g.swiglu_backward_f16 },
}
export const tanh: Operation = { name: 'tanh', f32: { flat: g.tanh }, f16: { flat: g.tanh_f16 } }
export const tanhBackward: Operation = {
  name: 'tanh_backward',
  f32: { flat: g.tanh_backward },
  f16: { flat: g.tanh_backward_f16 },
}
export const trunc: Operation = { name: 'trunc', f32: { flat: g.trunc }, f16: { flat: g.trunc_f16 } }
export const where: Operation = {
  name: 'where',
  f32: { flat: g.where, strided: g.where_strided },
  f16: { flat: g.where_f16, strided: g.where_f16_strided },
  i32: { flat: g.where_i32, strided: g.where_i32_strided },
}
