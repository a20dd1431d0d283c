import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { sourceAliases } from './scripts/packages.mjs'

const swiftshader = '/usr/lib/chromium/vk_swiftshader_icd.json'

/** Tests that compile or run thousands of modules on a software GPU, which uses every core by itself. */
const heavy = [
  'tests/{engines,parity,edge-cases,cases,fuzz,probes,kernels,runtime,trace,browser}/**/*.test.ts',
  '**/*.engine.test.ts',
]
/** Tests that build, pack and type-check, each a process of its own with a core to fill. */
const builds = ['tests/{repository,cli,examples,types,readme}/**/*.test.ts', '**/*.build.test.ts']

const excluded = ['**/node_modules/**', '**/dist/**']
const common = { setupFiles: ['tests/setup.ts'], pool: 'forks' as const, hookTimeout: 60_000 }
const resolve = {
  alias: sourceAliases().map(({ find, path }) => ({ find: new RegExp(`^${find}$`), replacement: path })),
}

// A Vulkan loader in a test's own process (the runtime's Node entry) finds the same software GPU as the engines do.
if (process.env.VK_ICD_FILENAMES === undefined && existsSync(swiftshader)) process.env.VK_ICD_FILENAMES = swiftshader

// The groups run one after the other: the fast tests over all cores first, then what would oversubscribe two of them,
// one file at a time.
export default defineConfig({
  resolve,
  test: {
    reporters: ['default', './tests/reporter.ts'],
    projects: [
      {
        resolve,
        test: {
          ...common,
          name: 'unit',
          include: ['packages/*/{src,test}/**/*.test.ts', 'tests/**/*.test.ts'],
          exclude: [...excluded, ...heavy, ...builds],
          testTimeout: 20_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: 'engines',
          include: heavy,
          exclude: excluded,
          testTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve,
        test: {
          ...common,
          name: 'builds',
          include: builds,
          exclude: excluded,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxConcurrency: 2,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
