// How long it takes to make WGSL of a kernel that was never seen, beside what Tint and TypeGPU take on the same one: the
// tiled matmul of bench/handwritten. Run by bench/compile.mjs; `--json` prints one line of JSON.
//
//   weftMs     compileFresh(i): build the kernel, validate, run the passes, emit WGSL and layouts
//   tintMs     createShaderModule and getCompilationInfo, Dawn's null backend: Tint parses and validates that WGSL (what
//              it does later, when a pipeline is made, is not in it)
//   typegpuMs  tgpu.resolve of the twin in bench/typegpu (its function was parsed at build time: not in it)
//
// Each run compiles another constant, so nothing can be memoized. The three take turns, ten runs at a time: a program
// that compiles kernels compiles several, and the first run after the other two would tell how much of the caches of the
// CPU these have taken. All three gain by it. The first rounds, in which the JavaScript engine optimizes both compilers,
// are not counted. Medians of milliseconds.

import { matmul } from './handwritten/modules'
import { summarize } from './lib/job'
import { openDevice } from './lib/swiftshader'
import { freshTwin } from './typegpu/matmul'
import { compileFresh } from './weft/fresh'

/** Rounds, and how often each of the three runs in one. */
const WARM_UP = 15
const ROUNDS = 30
const AT_A_TIME = 10

/** Hand-written WGSL without its comments and blank lines: the size to compare with. */
const handwritten = matmul.module.wgsl
  .replace(/ *\/\/.*$/gm, '')
  .replace(/\n{2,}/g, '\n')
  .trim()

const device = await openDevice('null')

async function tint(wgsl: string): Promise<void> {
  const { messages } = await device.createShaderModule({ code: wgsl }).getCompilationInfo()
  const error = messages.find(({ type }) => type === 'error')
  if (error !== undefined) throw new Error(`Tint refuses the module, line ${error.lineNum}: ${error.message}`)
}

async function time(work: () => unknown): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

const NAMES = ['weft', 'tint', 'typegpu'] as const

/** What to time in run `i`, in which everything is fresh. */
function run(i: number): Record<(typeof NAMES)[number], () => unknown> {
  const source = `${compileFresh(i + 0.5).wgsl}\n// ${i}\n`
  freshTwin(i + 0.5)() // so that TypeGPU has run, and is warm, as often as weft
  const twin = freshTwin(i)
  return { weft: () => compileFresh(i), tint: () => tint(source), typegpu: twin }
}

const times = { weft: [] as number[], tint: [] as number[], typegpu: [] as number[] }
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const runs = Array.from({ length: AT_A_TIME }, (_, i) => run(round * AT_A_TIME + i))
  for (const name of NAMES.map((_, at) => NAMES[(at + round) % 3]!)) {
    for (const work of runs) {
      const ms = await time(work[name])
      if (round >= WARM_UP) times[name].push(ms)
    }
  }
}

const typegpuWgsl = freshTwin(0)()
await tint(typegpuWgsl) // a twin that is not valid WGSL would be no peer

const median = (name: keyof typeof times) => Number(summarize(times[name]).median.toFixed(3))
const result = {
  weftMs: median('weft'),
  tintMs: median('tint'),
  typegpuMs: median('typegpu'),
  runs: ROUNDS * AT_A_TIME,
  weftBytes: compileFresh(0).wgsl.length,
  typegpuBytes: typegpuWgsl.length,
  handwrittenBytes: handwritten.length,
}

if (process.argv.includes('--json')) console.log(JSON.stringify(result))
else {
  const line = (name: string, ms: number | null, bytes: number | null) =>
    console.log(
      `${name.padEnd(38)} ${String(ms ?? '–').padStart(8)} ms ${String(bytes ?? '–').padStart(8)} bytes of WGSL`,
    )
  console.log(
    `a fresh 64×64×16 matmul, median of ${ROUNDS * AT_A_TIME} runs, ${AT_A_TIME} at a time in turn, after ${WARM_UP * AT_A_TIME} of warm-up`,
  )
  line('weft: build, passes, emit', result.weftMs, result.weftBytes)
  line('Tint: parse and validate that WGSL', result.tintMs, result.weftBytes ?? result.handwrittenBytes)
  line('TypeGPU 0.11.9: resolve of its twin', result.typegpuMs, result.typegpuBytes)
}
process.exit(0)
