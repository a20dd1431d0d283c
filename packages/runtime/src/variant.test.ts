import { describe, expect, it } from 'vitest'
import { fixture } from './testing/fixtures'
import { selectVariant } from './variant'

const make = (id: string, needs: Record<string, unknown>) => {
  const [variant] = fixture({ bindings: {}, body: '' }).variants
  if (!variant) throw new Error('no variant')
  return { ...variant, id, needs: { ...variant.needs, ...needs } }
}
const device = {
  features: new Set(['subgroups']),
  languageFeatures: new Set(['immediate_address_space']),
  limits: { maxImmediateSize: 64, maxComputeWorkgroupStorageSize: 16384 },
}

describe('selectVariant', () => {
  const variants = [
    make('f16', { features: ['subgroups', 'shader-f16'] }),
    make('large', { limits: { maxComputeWorkgroupStorageSize: 32768 } }),
    make('views', { languageFeatures: ['buffer_view'] }),
    make('merged', { alias: ['x', 'y'] }),
    make('subgroups', { features: ['subgroups'] }),
    make('portable', {}),
  ]

  it('takes the first that the device can run and says why not those before', () => {
    const { variant, rejected } = selectVariant(variants, device)
    expect(variant?.id).toBe('subgroups')
    expect(rejected).toEqual([
      { id: 'f16', because: "needs the feature 'shader-f16'" },
      { id: 'large', because: 'needs maxComputeWorkgroupStorageSize ≥ 32768, the device has 16384' },
      { id: 'views', because: "needs the language feature 'buffer_view'" },
      { id: 'merged', because: "is for 'x' and 'y' in one buffer" },
    ])
  })

  it('takes merged variants for the alias that is used, and only then', () => {
    expect(selectVariant(variants, device, { alias: ['x', 'y'] }).variant?.id).toBe('merged')
    const { variant, rejected } = selectVariant(variants, device, { alias: ['y', 'x'] })
    expect(variant).toBe(null)
    expect(rejected).toHaveLength(variants.length)
  })
})
