import { describe, expect, test } from 'vitest'
import { validateTint } from '../../../../../tests/engines/tint'
import { CASES, PRELUDE } from './uniformity.fixture'

describe('Tint agrees', () => {
  test.each(CASES.map((c) => [c.name, c] as const))('%s', async (_, c) => {
    const { messages } = await validateTint(`${PRELUDE}${c.wgsl}\n}`)
    const errors = messages.filter((m) => m.severity === 'error').map((m) => m.text)
    expect(errors.filter((text) => !text.includes('uniform'))).toEqual([])
    expect(errors.length > 0, errors.join('\n')).toBe(c.fault !== null)
  })
})
