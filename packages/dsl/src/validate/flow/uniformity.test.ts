import { describe, expect, test } from 'vitest'
import { validate } from '..'
import { CASES, kernelOf } from './uniformity.fixture'

describe('uniformity', () => {
  test.each(CASES.map((c) => [c.name, c] as const))('%s', (_, c) => {
    expect(validate(kernelOf(c)).map((d) => d.code)).toEqual(c.fault === null ? [] : [c.fault])
  })
})
