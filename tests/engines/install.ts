/** Where the software engines are on this machine, and the worker's program for them. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const require = createRequire(import.meta.url)
const here = dirname(fileURLToPath(import.meta.url))
const cache = join(here, '../../node_modules/.cache/weft')

/** The Vulkan driver of each engine, by the file that names it to the loader. */
const drivers = {
  dawn: { icd: ['/usr/lib/chromium/vk_swiftshader_icd.json'], from: 'SwiftShader, from the package chromium' },
  wgpu: {
    icd: ['/usr/share/vulkan/icd.d/lvp_icd.x86_64.json', '/usr/share/vulkan/icd.d/lvp_icd.json'],
    from: 'lavapipe, from the package mesa-vulkan-drivers',
  },
} as const

export const driverOf = (engine: 'dawn' | 'wgpu'): string | undefined =>
  drivers[engine].icd.find((path) => existsSync(path))

/** Deno's executable itself, not its launcher: a launcher that is killed leaves its child behind. */
export function denoPath(): string | undefined {
  try {
    const api = require(join(dirname(require.resolve('deno/package.json')), 'install_api.cjs')) as {
      runInstall(): string
    }
    return api.runInstall()
  } catch {
    return undefined
  }
}

/** Why an engine cannot run here, for the name of a skipped test; `undefined` when it can. */
export function missing(engine: 'dawn' | 'wgpu'): string | undefined {
  if (driverOf(engine) === undefined) return `${drivers[engine].from}, is not installed`
  if (engine === 'wgpu' && denoPath() === undefined) return 'deno is not installed'
  return undefined
}

/** The worker as one JavaScript file, since Node 20 loads no TypeScript; kept until its sources change. */
export function workerProgram(): string {
  const folder = join(here, 'worker')
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  const path = join(cache, `engine-worker-${hash.digest('hex').slice(0, 16)}.mjs`)
  if (existsSync(path)) return path
  const built = buildSync({
    entryPoints: [join(folder, 'main.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    external: ['node:*', 'webgpu'],
    sourcemap: 'inline',
  })
  mkdirSync(cache, { recursive: true })
  // several test processes may do so at once: each writes its own file, and the rename is atomic
  const own = `${path}.${process.pid}`
  writeFileSync(own, built.outputFiles[0]?.contents ?? '')
  renameSync(own, path)
  return path
}
