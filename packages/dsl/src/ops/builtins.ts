import type { FeatureName } from './features'

/** A built-in value of a compute entry point. */
export interface BuiltinRow {
  readonly type: 'u32' | 'vec3u'
  readonly uniform: 'workgroup' | 'subgroup' | 'divergent'
  /** What keeps it small: its nature, or a launch rule and the guard of folded launches. */
  readonly bounded?: 'always' | 'launch'
  readonly feature?: FeatureName
}

export const BUILTINS = {
  local_invocation_id: { type: 'vec3u', uniform: 'divergent' },
  local_invocation_index: { type: 'u32', uniform: 'divergent' },
  global_invocation_id: { type: 'vec3u', uniform: 'divergent' },
  workgroup_id: { type: 'vec3u', uniform: 'workgroup', bounded: 'launch' },
  num_workgroups: { type: 'vec3u', uniform: 'workgroup', bounded: 'always' },
  global_invocation_index: { type: 'u32', uniform: 'divergent', feature: 'linear-indexing' },
  workgroup_index: { type: 'u32', uniform: 'workgroup', bounded: 'launch', feature: 'linear-indexing' },
  subgroup_size: { type: 'u32', uniform: 'workgroup', bounded: 'always', feature: 'subgroups' },
  subgroup_invocation_id: { type: 'u32', uniform: 'divergent', feature: 'subgroups' },
  subgroup_id: { type: 'u32', uniform: 'subgroup', feature: 'subgroup-id' },
  num_subgroups: { type: 'u32', uniform: 'workgroup', bounded: 'always', feature: 'subgroup-id' },
} as const satisfies Record<string, BuiltinRow>

export type BuiltinName = keyof typeof BUILTINS
