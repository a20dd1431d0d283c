/** The long mode: batch after batch until the time is over, or until engines disagree. See scripts/fuzz.mjs. */
import { closeEngines, openEngines } from '../parity/engines.js'
import { describeFailure, runBatch, shrink } from './check.js'

const option = (name: string, fallback: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  const value = at < 0 ? fallback : Number(process.argv[at + 1])
  if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} needs a number`)
  return value
}

const BATCH = 100

async function main(): Promise<number> {
  const minutes = option('minutes', 10)
  const first = option('seed', Date.now() % 2 ** 31)
  const engines = await openEngines()
  for (const name of ['dawn', 'wgpu'] as const)
    if (typeof engines[name] === 'string') console.log(`without ${name}: ${engines[name]}`)
  const end = performance.now() + minutes * 60_000
  let kernels = 0
  for (let seed = first; performance.now() < end || seed === first; seed++) {
    const batch = await runBatch(seed, BATCH, engines)
    kernels += batch.kernels
    if (batch.failure) {
      console.log(describeFailure(await shrink(batch.failure, engines)))
      console.log(`fuzz: a difference after ${kernels} kernels; again: npm run fuzz -- --minutes 0 --seed ${seed}`)
      return 1
    }
    console.log(
      `seed ${seed}: ${batch.kernels} kernels agree (${Object.entries(batch.runs)
        .map(([name, n]) => `${name} ${n}`)
        .join(', ')}); ${kernels} in all`,
    )
  }
  console.log(`fuzz: ${kernels} kernels from seed ${first}, no difference`)
  return 0
}

process.exitCode = await main().finally(closeEngines)
