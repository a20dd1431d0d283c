import { type Effect, scalarOf, type ValueName } from '@weft/dsl/ir'
import { evaluate } from './expressions'
import type { Frame } from './frame'
import { rounded } from './ops'
import { define } from './program'
import { type Bound, dimensions, layers, load, samples, store } from './texel'

/** Texture effects: calls of the functions of texel.ts, with numbers as arguments and a shared array for results. */
export function texture(frame: Frame, s: Effect): void {
  const { place } = s
  if (place?.root.kind !== 'binding') throw new RangeError(`'${s.op}' needs a texture`)
  const { program } = frame
  const bound = frame.use(program.bound(place.root.name, 't'))
  const out = frame.use(program.declare('texel', 'new Float64Array(4)'))
  const args = s.args.flatMap((e) => evaluate(frame, e))
  const split = splitArguments(frame, s, args)
  const name = program.helper(s.op, HELPERS[s.op])
  frame.line(`${name}(${[bound, out, ...split].join(', ')});`)
  if (!s.result) return
  const type = s.result.type as ValueName
  const scalar = scalarOf(type)
  const count = type.startsWith('vec') ? Number(type[3]) : 1
  define(
    frame,
    s.result,
    Array.from({ length: count }, (_, i) => rounded(frame, scalar, `${out}[${i}]`)),
  )
}

/** x, y, z or layer, then level or sample or texel: every function takes three coordinates. */
function splitArguments(frame: Frame, s: Effect, args: readonly string[]): readonly string[] {
  if (s.op !== 'textureLoad' && s.op !== 'textureStore') return args
  const type = frame.program.binding(s.place?.root.kind === 'binding' ? s.place.root.name : '').binding.type
  const dimension = typeof type !== 'string' && type.kind === 'texture' ? type.dimension : '2d'
  const axes = dimension === '1d' ? 1 : dimension === '2d' || dimension === 'multisampled_2d' ? 2 : 3
  const zeros = new Array<string>(3 - axes).fill('0')
  return [...args.slice(0, axes), ...zeros, ...args.slice(axes)]
}

const HELPERS: Readonly<Record<string, (t: Bound, out: Float64Array, ...args: number[]) => void>> = {
  textureLoad: load,
  textureStore: store,
  textureDimensions: dimensions,
  textureNumLayers: layers,
  textureNumLevels: (t, out) => {
    out[0] = t.levels.length
  },
  textureNumSamples: samples,
}
