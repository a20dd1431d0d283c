/** Headless Chromium with WebGPU over SwiftShader, and a page that a test's program is loaded into. */
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import { sourceAliases } from '../../scripts/packages.mjs'

const CHROMIUM = '/usr/bin/chromium'

export const without = existsSync(CHROMIUM) ? undefined : `${CHROMIUM} is not installed`

const FLAGS = [
  '--enable-unsafe-webgpu',
  '--use-webgpu-adapter=swiftshader',
  '--enable-features=Vulkan',
  '--no-sandbox',
  '--disable-quic',
  '--disable-background-networking',
  // as @weft/runtime/node does: SwiftShader is slow to compile otherwise
  '--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension',
]

/** A TypeScript file with all that it imports, as one module for a browser. Fails when something in it needs Node. */
export async function bundleFor(file: string): Promise<string> {
  return bundlePath(fileURLToPath(new URL(file, import.meta.url)))
}

/** The same of an absolute path. What a page shows for Node runs in a browser with the runtime's own entry. */
export async function bundlePath(path: string): Promise<string> {
  const aliases = new Map(sourceAliases().map(({ find, path }) => [find, path]))
  const { outputFiles } = await build({
    entryPoints: [path],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    logLevel: 'silent',
    plugins: [
      {
        name: 'weft-sources',
        setup({ onResolve }) {
          onResolve({ filter: /^@weft\// }, ({ path: name }) => ({
            path: aliases.get(name.replace(/^@weft\/runtime\/node$/, '@weft/runtime')) ?? name,
          }))
        },
      },
    ],
  })
  return outputFiles[0]?.text ?? ''
}

export interface Opened {
  readonly browser: Browser
  readonly page: Page
  /** What the page logged and threw. */
  readonly logged: readonly string[]
  close(): Promise<void>
}

/** A page at localhost, which is what WebGPU wants, with the exports of `script` as `weft`. */
export async function open(script: string): Promise<Opened> {
  const server = createServer(({ url }, response) => {
    response.setHeader('content-type', url === '/page.js' ? 'text/javascript' : 'text/html')
    response.end(url === '/page.js' ? script : '<!doctype html><title>weft</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  const page = await browser.newPage()
  const logged: string[] = []
  page.on('console', (message) => logged.push(message.text()))
  page.on('pageerror', (error) => logged.push(String(error)))
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.evaluate(`import('/page.js').then((module) => { globalThis.weft = module })`)
  const close = async () => {
    await browser.close()
    server.close()
  }
  return { browser, page, logged, close }
}
