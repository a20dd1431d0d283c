import type { BuiltinName } from '@weft/dsl/ir'
import type { Frame } from './frame'

/** Built-in values. Those of an invocation are computed at the head of a segment's loop, when it needs them. */
export function builtin(frame: Frame, name: BuiltinName): readonly string[] {
  return BUILTIN[name](frame)
}

const AXES = ['x', 'y', 'z'] as const

const head = (frame: Frame, name: string, code: string): string => {
  const line = `const ${name} = ${code};`
  if (!frame.head.includes(line)) frame.head.push(line)
  return name
}

/** The local id on an axis: that axis of a workgroup that has no extent there is 0. */
export function localId(frame: Frame, axis: number): string {
  const { size, count } = frame.program.unit
  if (size[axis] === 1) return '0'
  return size[axis] === count ? 'li' : (`l${AXES[axis]}` as string)
}

function globalId(frame: Frame, axis: number): string {
  const size = frame.program.unit.size[axis]
  const group = frame.shared(`w${AXES[axis]}`)
  const local = localId(frame, axis)
  if (local === '0') return group
  return head(frame, `g${AXES[axis]}`, `${size === 1 ? group : `${group} * ${size}`} + ${local}`)
}

const globalIndex = (frame: Frame): string => {
  const { size } = frame.program.unit
  const [x, y, z] = AXES.map((_, i) => globalId(frame, i)) as [string, string, string]
  const row = `${frame.shared('nx')} * ${size[0]}`
  const plane = `(${row}) * ${frame.shared('ny')} * ${size[1]}`
  return head(frame, 'gi', `(${x} + ${y} * (${row}) + ${z} * (${plane})) >>> 0`)
}

const BUILTIN: { readonly [K in BuiltinName]: (frame: Frame) => readonly string[] } = {
  local_invocation_id: (frame) => AXES.map((_, i) => localId(frame, i)),
  local_invocation_index: () => ['li'],
  global_invocation_id: (frame) => AXES.map((_, i) => globalId(frame, i)),
  workgroup_id: (frame) => AXES.map((axis) => frame.shared(`w${axis}`)),
  num_workgroups: (frame) => AXES.map((axis) => frame.shared(`n${axis}`)),
  global_invocation_index: (frame) => [globalIndex(frame)],
  workgroup_index: (frame) => [frame.shared('wi')],
  subgroup_size: (frame) => [String(frame.program.unit.subgroupSize)],
  subgroup_invocation_id: (frame) => [head(frame, 'sl', `li % ${frame.program.unit.subgroupSize}`)],
  subgroup_id: (frame) => [head(frame, 'sg', `(li / ${frame.program.unit.subgroupSize}) | 0`)],
  num_subgroups: (frame) => [String(frame.program.unit.subgroups)],
}
