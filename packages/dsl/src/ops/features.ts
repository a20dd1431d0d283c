/**
 * What a construct needs of a device or a compiler. `enable` goes into the module, `device` into
 * `requiredFeatures`, `language` is looked up in `navigator.gpu.wgslLanguageFeatures`.
 */
export interface Feature {
  readonly enable?: string
  readonly device?: string
  readonly language?: string
}

export const FEATURES = {
  f16: { enable: 'f16', device: 'shader-f16' },
  subgroups: { enable: 'subgroups', device: 'subgroups' },
  'subgroup-size-control': { enable: 'subgroup_size_control', device: 'subgroup-size-control' },
  'subgroup-id': { language: 'subgroup_id' },
  'subgroup-matrix': { enable: 'chromium_experimental_subgroup_matrix', device: 'chromium-experimental-subgroup-matrix' },
  'linear-indexing': { language: 'linear_indexing' },
  'buffer-view': { language: 'buffer_view' },
  'packed-dot': { language: 'packed_4x8_integer_dot_product' },
  immediates: { language: 'immediate_address_space' },
  'pointer-parameters': { language: 'unrestricted_pointer_parameters' },
  'read-write-textures': { language: 'readonly_and_readwrite_storage_textures' },
} as const satisfies Record<string, Feature>

export type FeatureName = keyof typeof FEATURES
