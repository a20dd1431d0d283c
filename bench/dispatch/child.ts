// One engine's part of bench/dispatch.ts: prints a line of JSON.
//
//   node --expose-gc scripts/run-ts.mjs bench/dispatch/child.ts null|swiftshader decode|chain|stages|costs [ROUNDS]

import { createRuntime } from '@weft/runtime'
import { openGpu } from '../lib/swiftshader'
import { medians } from './measure'
import { Raw } from './raw'
import { replayCosts } from './replay-costs'
import { Weft } from './weft'
import { CHAIN, DECODE, op } from './workload'

const [engine, what, rounds] = process.argv.slice(2)
if (engine !== 'null' && engine !== 'swiftshader') throw new Error(`no engine '${engine}'`)
const shape = what === 'chain' ? CHAIN : DECODE

const runtime = await createRuntime({ gpu: openGpu(engine) })
const kernels = Array.from({ length: shape.pipelines }, (_, salt) => op(salt))
const weft = await Weft.of(runtime, kernels, shape)
const buffers = weft.buffers.map(({ gpu }) => gpu as GPUBuffer)
const raw = new Raw(runtime.device as GPUDevice, kernels, shape, buffers)
const idle = () => runtime.idle()

const perDispatch = (ms: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(ms).map(([name, each]) => [name, (1000 * each) / shape.dispatches]))

/** Replays and what comes near them. */
async function replays() {
  const { medians: ms, ratios } = await medians(
    {
      rawOnePass: () => raw.onePass(),
      rawDeduped: () => raw.deduped(),
      rawChangedParams: () => raw.changedParams(),
      replay: () => weft.replay(),
      replayChangedParams: () => weft.changedParams(),
    },
    { rounds: Number(rounds), repeat: 6, idle },
  )
  const pairs = [
    ['replay', 'rawOnePass'],
    ['replay', 'rawDeduped'],
  ] as const
  return { us: perDispatch(ms), ratios: ratios(pairs) }
}

/** What is kept at each stage, raw and through the runtime. */
async function stages() {
  const kept = await medians(
    {
      rawCachedGroups: () => raw.cachedGroups(),
      run: () => weft.cachedGroups(),
      preparedAlone: () => weft.preparedAlone(),
      batch: () => weft.batch(),
      rawCachedPipelines: () => raw.cachedPipelines(),
      runFreshBuffers: () => weft.cachedPipelines(),
    },
    { rounds: Number(rounds), repeat: 1, idle },
  )
  const nothing = await medians(
    { rawEverything: () => raw.everything(), runFreshKernels: () => weft.everything() },
    { rounds: 1, repeat: 1, idle },
  )
  return { us: perDispatch({ ...kept.medians, ...nothing.medians }) }
}

const WORK = { decode: replays, chain: replays, stages, costs: () => replayCosts(runtime, weft) }
const work = WORK[what as keyof typeof WORK]
if (!work) throw new Error(`no work '${what}'`)
console.log(JSON.stringify(await work()))
process.exit(0)
