import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { complete, root } from '../../scripts/packages.mjs'

/**
 * The built packages in an app, bundled, minified and tree-shaken as apps do: nothing that works may depend on a module
 * that is imported for its effects alone. Each program uses as little of weft as it can.
 */
const PROGRAMS = {
  'the consumer': `
    import { onCpu, run } from './tests/repository/consumers/consumer.ts'
    console.log(String(await run(await onCpu())))`,
  'a kernel without tokens, functions or templates': `
    import { ceilDiv, d, inout, kernel } from '@weft/dsl'
    import { compile } from '@weft/codegen'
    const add = kernel('add', { workgroupSize: [64], bindings: { x: inout(d.arrayOf(d.f32)) }, params: { n: d.u32 }, workgroups: ({ n }) => [ceilDiv(n, 64)] },
      ({ x, n }, k) => k.if(k.globalIndex.lt(n), () => x.at(k.globalIndex).addAssign(1)))
    console.log(compile(add).variants.length)`,
  'the WGSL of a kernel of the library': `
    import { softmax } from '@weft/kernels/source'
    import { compile } from '@weft/codegen'
    console.log(compile(softmax).variants[0].wgsl.includes('subgroupMax'))`,
}
const PRINTS = {
  'the consumer': '50,30',
  'a kernel without tokens, functions or templates': '2',
  'the WGSL of a kernel of the library': 'true',
}

describe.skipIf(!complete())('bundled and tree-shaken', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'weft-bundled-'))
    const built = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, encoding: 'utf8' })
    if (built.status !== 0) throw new Error(built.stdout + built.stderr)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  for (const name of Object.keys(PROGRAMS) as (keyof typeof PROGRAMS)[]) {
    it(name, async () => {
      const { outputFiles } = await build({
        stdin: { contents: PROGRAMS[name], resolveDir: root, loader: 'ts' },
        bundle: true,
        minify: true,
        format: 'esm',
        platform: 'node',
        write: false,
        external: ['webgpu'],
        // the packages as they are built, not the sources that tsconfig.json maps them to
        tsconfigRaw: {},
      })
      const file = join(folder, 'app.mjs')
      writeFileSync(file, outputFiles[0]?.text ?? '')
      const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 60_000 })
      expect(stderr).toBe('')
      expect(stdout.trim()).toBe(PRINTS[name])
    })
  }
})
