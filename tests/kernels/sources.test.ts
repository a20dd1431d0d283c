import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { kernelSource, kernelSources } from '@weft/kernels/source'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/packages.mjs'

const folder = join(root, 'packages/kernels/generated')
const shipped = readdirSync(folder).flatMap((family) => {
  const manifest = JSON.parse(readFileSync(join(folder, family, 'manifest.json'), 'utf8')) as {
    readonly kernels: readonly { readonly name: string }[]
  }
  return manifest.kernels.map(({ name }) => name)
})

describe('the sources of the kernels that ship', () => {
  it('are found by name, one for each', () => {
    expect(shipped.length).toBeGreaterThan(200)
    expect(
      kernelSources()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...shipped].sort())
    for (const name of shipped) expect(kernelSource(name)?.name).toBe(name)
  })

  it('are those alone', () => {
    for (const name of ['', 'another', 'toString', 'kernelSource']) expect(kernelSource(name)).toBeUndefined()
  })
})
