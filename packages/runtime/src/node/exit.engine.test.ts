import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'

// beside the package, so that `webgpu` is found from there
const folder = mkdtempSync(fileURLToPath(new URL('../../../../node_modules/.weft-exit-', import.meta.url)))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

buildSync({
  entryPoints: {
    node: fileURLToPath(new URL('./index.ts', import.meta.url)),
    fixtures: fileURLToPath(new URL('../testing/fixtures.ts', import.meta.url)),
  },
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  external: ['webgpu'],
})

/** Runs a script in a process of its own; Dawn without a GPU is enough, since only its end matters. */
function script(body: string) {
  const path = join(folder, 'script.mjs')
  writeFileSync(path, `import { createRuntime } from './node.mjs'\nimport { fill } from './fixtures.mjs'\n${body}`)
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8', timeout: 20_000 })
  const ended = Date.now()
  const [, text = stdout, done] = /^(.*?)(?:\ndone (\d+))?$/s.exec(stdout.trim()) ?? []
  // from the script's last line to the end of the process
  return { status, signal, text, stderr, ms: done === undefined ? null : ended - Number(done) }
}

const RUN = `const runtime = await createRuntime({ dawn: ['backend=null'] })
const out = runtime.buffer(Uint32Array, 4)
await runtime.run(fill, { out, n: 4, value: 1 })
await out.read()
console.log(runtime.info.backend, runtime.info.software)
`

/** The end of the script, as a time. */
const DONE = 'console.log(`done ${Date.now()}`)'

describe('[case-R25] the process ends by itself', () => {
  it('after destroy', () => {
    const { status, text, ms, stderr } = script(`${RUN}runtime.destroy()\n${DONE}`)
    expect({ status, text }, stderr).toEqual({ status: 0, text: 'webgpu true' })
    expect(ms).toBeLessThan(2000)
  })

  it('without destroy', () => {
    const { status, text, ms, stderr } = script(RUN + DONE)
    expect({ status, text }, stderr).toEqual({ status: 0, text: 'webgpu true' })
    expect(ms).toBeLessThan(2000)
  })

  it('with work in flight, and with several runtimes of which one is destroyed', () => {
    const { status, signal, stderr } = script(`${RUN}
const more = await Promise.all([1, 2, 3].map(() => createRuntime()))
more[0].destroy()
void runtime.run(fill, { out, n: 4, value: 2 })
void out.read()
globalThis.gc?.()`)
    expect({ status, signal }, stderr).toEqual({ status: 0, signal: null })
  })
})

it('has one set of options for Dawn in a process', () => {
  const { status, text } = script(`await createRuntime({ dawn: ['backend=null'] })
await createRuntime({ dawn: ['backend=null'] })
await createRuntime({ dawn: ['backend=vulkan'] }).catch((error) => console.log(error.code))`)
  expect({ status, text }).toEqual({ status: 0, text: 'bad-argument' })
})
