/**
 * Where an engine gives something else than the specification fixes (or, as quantizeToF16, something that it allows and
 * nobody else gives). Each entry says which results it explains, as narrowly as it can; a result that no entry explains
 * fails its test, and so does an entry that explains nothing any more.
 */
import { roundF16, scalarOf } from '@weft/dsl/ir'
import { F16, F32 } from './format.js'
import { arithmetic, isAny, point } from './interval.js'
import type { Fault } from './judge.js'
import type { Probe } from './probe.js'

export interface Deviation {
  readonly id: string
  readonly engine: 'dawn' | 'wgpu'
  /** Names of probes. */
  readonly probes: RegExp
  readonly when: 'run time' | 'constant'
  readonly because: string
  /** Whether it explains this lane. */
  readonly lane?: (fault: Fault, probe: Probe) => boolean
  /** Whether it explains that the module does not run. */
  readonly error?: RegExp
}

const at = (lanes: readonly number[], i: number): number => (lanes.length === 1 ? lanes[0] : lanes[i]) as number

/** Is it what `x + (y − x) · t` may give? */
function isLerp({ call, lane, got }: Fault, probe: Probe): boolean {
  const m = arithmetic(scalarOf(probe.out) === 'f16' ? F16 : F32)
  const [x, y, t] = call.map((lanes) => point(at(lanes, lane)))
  if (!x || !y || !t) return false
  const sum = m.add(x, m.mul(m.sub(y, x), t))
  return isAny(sum) || (got >= sum.lo && got <= sum.hi)
}

/** Is it the neighbouring half towards zero? */
function isTruncated({ call, lane, got }: Fault): boolean {
  const x = at(call[0] as readonly number[], lane)
  return roundF16(got) === got && Math.abs(got) < Math.abs(x) && Math.abs(x - got) < Math.abs(x) * 2 ** -10
}

const LERP =
  'computed as x + (y − x) · t, with one product less, where the specification derives the error from x · (1 − t) + y · t'

export const DEVIATIONS: readonly Deviation[] = [
  {
    id: 'dawn-mix',
    engine: 'dawn',
    probes: /^mix /,
    when: 'run time',
    because: `SwiftShader's FMix is ${LERP}`,
    lane: isLerp,
  },
  {
    id: 'lavapipe-mix-constant',
    engine: 'wgpu',
    probes: /^mix /,
    when: 'constant',
    because: `with constant arguments lavapipe's FMix is ${LERP}`,
    lane: isLerp,
  },
  {
    id: 'dawn-quantize',
    engine: 'dawn',
    probes: /^quantizeToF16 /,
    when: 'run time',
    lane: isTruncated,
    because:
      'SwiftShader rounds towards zero; "correctly rounded" in the specification allows either neighbour, all others give the nearest',
  },
  {
    id: 'dawn-quantize-constant',
    engine: 'dawn',
    probes: /^quantizeToF16 vec/,
    when: 'constant',
    lane: isTruncated,
    because: 'vectors are rounded by SwiftShader, as at run time',
  },
  {
    id: 'naga-pack-constant',
    engine: 'wgpu',
    probes: /^pack4x8snorm/,
    when: 'constant',
    lane: ({ call }) => (call[0] ?? []).some((x) => x < 0),
    because:
      'naga 29 evaluates pack4x8snorm of constants without masking negative bytes, whose signs fill the bytes above; weft folds constants itself, so no emitted module has them',
  },
  {
    id: 'naga-unpack-constant',
    engine: 'wgpu',
    probes: /^unpack2x16float/,
    when: 'constant',
    lane: ({ lane, got }) => lane === 1 && got === 0,
    because:
      'naga 29 evaluates the second lane of unpack2x16float of a constant to 0; weft folds constants itself, so no emitted module has them',
  },
]
