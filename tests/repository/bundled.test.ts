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

  it.each([
    ['softmax', ['rows', 'softmax']],
    ['attention', ['attention']],
  ])('%s of the library brings its own kernels, and no problems to verify them by', async (name, families) => {
    const files = await loadedWith(`import { ${name} } from '@weft/kernels'\nconsole.log(${name})`)
    const modules = files.map((path) => /packages\/kernels\/dist\/(.*)\.js$/.exec(path)?.[1] ?? '')
    const generated = modules.flatMap((path) => /^generated\/([^/]+)\//.exec(path)?.[1] ?? [])
    expect([...new Set(generated)].sort()).toEqual(families)
    expect(modules).toContain('verify')
    expect(modules.filter((path) => /(^|\/)(trial|problem|verdicts)$/.test(path))).toEqual([])
  })
})

/** What is in the files that an app loads at once, where its bundler splits it: not what waits behind an `import()`. */
async function loadedWith(contents: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    outdir: root,
    write: false,
    metafile: true,
    tsconfigRaw: {},
  })
  const outputs = new Map(Object.entries(metafile.outputs))
  const loaded = new Set([...outputs.keys()].filter((path) => outputs.get(path)?.entryPoint === '<stdin>'))
  for (const path of loaded)
    for (const { path: next, kind } of outputs.get(path)?.imports ?? [])
      if (kind === 'import-statement') loaded.add(next)
  return [...loaded].flatMap((path) =>
    Object.entries(outputs.get(path)?.inputs ?? {}).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [file] : [],
    ),
  )
}
