// What a dispatch costs the host, in microseconds, at each stage of keeping things, beside the raw WebGPU loop that makes
// the same calls on the same buffers: 300 distinct dispatches of 40 pipelines, on Dawn's null backend (which validates
// and executes nothing) and over SwiftShader.
//
//   replayVsRaw            a replay over the raw loop of setPipeline, setBindGroup and dispatchWorkgroups in one pass
//   replayVsDeduped        the same over the raw loop without calls that change nothing
//   objectsPerReplay       GPU objects that a replay makes beyond an encoder, a pass and a command buffer
//   writeBuffersPerReplay  after all params have changed
//   heapBytesPerReplay     growth of the heap over 10,000 replays
//   vsOrtCapture           a replay over onnxruntime-web's graph capture (JSEP), per operation of a chain of 200
//
//   node bench/dispatch.mjs [--json] [--rounds N]
//
// Medians; each engine has processes of its own, which take turns.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { ReplayCosts } from './dispatch/replay-costs'

interface Replays {
  readonly us: Readonly<Record<string, number>>
  readonly ratios: Readonly<Record<'replay/rawOnePass' | 'replay/rawDeduped', number>>
}

type Times = Pick<Replays, 'us'>

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const asJson = process.argv.includes('--json')
const rounds = Number(process.argv[process.argv.indexOf('--rounds') + 1]) || 40
/** Times that the processes take turns. */
const TURNS = 3

function child<T>(...args: readonly string[]): T {
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 })
  const line = stdout.trim().split('\n').at(-1) ?? ''
  if (status !== 0 || !line.startsWith('{')) throw new Error(`${args.join(' ')} failed:\n${stdout}${stderr}`)
  return JSON.parse(line) as T
}

const weft = <T>(engine: 'null' | 'swiftshader', what: string, times = rounds) =>
  child<T>('--expose-gc', path('../scripts/run-ts.mjs'), path('./dispatch/child.ts'), engine, what, `${times}`)
const ort = () => child<{ us: number }>('--liftoff-only', path('./dispatch/ort.mjs'), '200', `${rounds}`)

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number

const [decode, software, chain, peer]: [Replays[], Replays[], Replays[], number[]] = [[], [], [], []]
for (let turn = 0; turn < TURNS; turn++) {
  decode.push(weft('null', 'decode'))
  software.push(weft('swiftshader', 'decode'))
  chain.push(weft('null', 'chain'))
  peer.push(ort().us)
}
const stages = { null: weft<Times>('null', 'stages', 8), swiftshader: weft<Times>('swiftshader', 'stages', 3) }
const costs = weft<ReplayCosts>('null', 'costs')

const rounded = (value: number) => Number(value.toPrecision(3))
const table = (children: readonly Times[]): Record<string, number> =>
  Object.fromEntries(
    Object.keys(children[0]?.us ?? {}).map((name) => [name, rounded(median(children.map(({ us }) => us[name] ?? 0)))]),
  )
const ratio = (name: keyof Replays['ratios']) => rounded(median(decode.map(({ ratios }) => ratios[name])))

const chainUs = table(chain)
const ortCapture = rounded(median(peer))
const result = {
  replayVsRaw: ratio('replay/rawOnePass'),
  replayVsDeduped: ratio('replay/rawDeduped'),
  objectsPerReplay: costs.objectsPerReplay,
  writeBuffersPerReplay: costs.writeBuffersPerReplay,
  vsOrtCapture: rounded((chainUs.replay ?? Number.NaN) / median(peer)),
  heapBytesPerReplay: rounded(costs.heapBytesPerReplay),
  us: {
    null: { ...table(decode), ...table([stages.null]) },
    swiftshader: { ...table(software), ...table([stages.swiftshader]) },
    chain: { ...chainUs, ortCapture },
  },
}

const ROWS: readonly (readonly [what: string, raw: string | null, weft: string | null])[] = [
  ['everything made for each, new module', 'rawEverything', 'runFreshKernels'],
  ['cached pipeline, new bind group, own submit', 'rawCachedPipelines', 'runFreshBuffers'],
  ['cached bind group, own submit', 'rawCachedGroups', 'run'],
  ['the same, prepared', null, 'preparedAlone'],
  ['cached bind group, one submit for all', null, 'batch'],
  ['replay in one pass', 'rawOnePass', 'replay'],
  ['  raw without redundant calls', 'rawDeduped', null],
  ['  after all params have changed', 'rawChangedParams', 'replayChangedParams'],
]

if (asJson) console.log(JSON.stringify(result))
else {
  const cell = (us: Record<string, number>, name: string | null) => (name === null ? '' : `${us[name]}`).padStart(9)
  for (const engine of ['null', 'swiftshader'] as const) {
    console.log(`${engine}, µs for a dispatch of 300`.padEnd(49), 'raw     weft')
    for (const [what, raw, ours] of ROWS) {
      console.log(what.padEnd(46) + cell(result.us[engine], raw) + cell(result.us[engine], ours))
    }
  }
  const { us: _, ...figures } = result
  console.log(`chain of 200 of one kernel, null: replay ${chainUs.replay}, onnxruntime-web capture ${ortCapture}`)
  for (const [name, value] of Object.entries(figures)) console.log(`${name.padEnd(22)} ${value}`)
}
process.exit(0)
