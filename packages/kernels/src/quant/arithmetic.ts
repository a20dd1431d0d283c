import { ceilDiv, d, type Expr, f32, fn, input, kernel, output, vec4f, vec4i } from '@weft/dsl'
import { packWord, signedBytes } from './packed'

/**
 * Arithmetic between int8 tensors with a scale and a zero point each, four elements to a word: what is between two quantized layers and
 * would otherwise be dequantized and quantized again in memory. `words` of them; bytes behind the last element are computed too.
 */

const LOW = -128
const HIGH = 127

/** clamp(round(value / scale) + zero, -128, 127) */
const requantized = (value: Expr<'vec4f'>, scale: Expr<'f32'>, zero: Expr<'i32'>): Expr<'vec4i'> => {
  const steps = fn.clamp(fn.round(value.div(scale)), vec4f(-65_536), vec4f(65_536))
  return fn.clamp(vec4i(steps).add(zero), vec4i(LOW), vec4i(HIGH))
}

/** out = quantize((x - x_zero) x_scale + (y - y_zero) y_scale) */
export const addInt8 = kernel(
  'add_int8',
  {
    doc: 'out = quantize((x - x_zero) · x_scale + (y - y_zero) · y_scale), int8',
    workgroupSize: [256],
    bindings: { x: input(d.arrayOf(d.u32)), y: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32)) },
    params: {
      words: d.u32,
      x_scale: d.f32,
      x_zero: d.i32,
      y_scale: d.f32,
      y_zero: d.i32,
      out_scale: d.f32,
      out_zero: d.i32,
    },
    workgroups: ({ words }) => [ceilDiv(words, 256)],
  },
  ({ x, y, out, words, x_scale, x_zero, y_scale, y_zero, out_scale, out_zero }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(words), () => {
      const left = vec4f(signedBytes(x.at(i)).sub(x_zero)).mul(x_scale)
      const right = vec4f(signedBytes(y.at(i)).sub(y_zero)).mul(y_scale)
      out.at(i).set(packWord(requantized(left.add(right), out_scale, out_zero)))
    })
  },
)

/** out = quantize(max((x - x_zero) x_scale, 0)) */
export const reluInt8 = kernel(
  'relu_int8',
  {
    doc: 'out = quantize(max((x - x_zero) · x_scale, 0)), int8',
    workgroupSize: [256],
    bindings: { x: input(d.arrayOf(d.u32)), out: output(d.arrayOf(d.u32)) },
    params: { words: d.u32, x_scale: d.f32, x_zero: d.i32, out_scale: d.f32, out_zero: d.i32 },
    workgroups: ({ words }) => [ceilDiv(words, 256)],
  },
  ({ x, out, words, x_scale, x_zero, out_scale, out_zero }, k) => {
    const i = k.let('i', k.globalIndex)
    k.if(i.lt(words), () => {
      const value = vec4f(signedBytes(x.at(i)).sub(x_zero)).mul(x_scale)
      out.at(i).set(packWord(requantized(fn.max(value, vec4f(f32(0))), out_scale, out_zero)))
    })
  },
)
