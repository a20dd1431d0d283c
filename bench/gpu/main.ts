// The speed of the kernel library on the GPU of this machine, beside ceilings and peers, in one run.
//
//   npm run bench:gpu -- [--suite NAME,…] [--only TEXT] [--samples N] [--peers all|none|ort,tfjs,jax,torch] [--json FILE]
//
// Prints a line per entry as it is measured; FILE gets everything. WEFT_BENCH_SMALL=1 takes sizes for a software adapter.

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { openLab } from './lab'
import { measure, type Row } from './measure'
import type { Peer } from './peers'
import { operationsOf } from './report/figures'
import type { Results } from './results'
import { SMALL } from './small'
import { SUITES } from './suites'

const { values: options } = parseArgs({
  options: {
    suite: { type: 'string', default: Object.keys(SUITES).join(',') },
    only: { type: 'string', default: '' },
    samples: { type: 'string', default: SMALL ? '3' : '20' },
    peers: { type: 'string', default: 'none' },
    json: { type: 'string' },
  },
})

const names = options.suite.split(',')
const unknown = names.find((name) => !(name in SUITES))
if (unknown !== undefined) {
  console.error(`there is no suite '${unknown}': ${Object.keys(SUITES).join(', ')}`)
  process.exit(2)
}

const lab = await openLab()
const { machine } = lab
console.log(`${machine.name}${machine.software ? ' (a software adapter: these figures say nothing of a GPU)' : ''}`)

/** A machine that is lent collects what lies in a folder that it names OUT. */
const file = options.json && resolve(process.env.OUT ?? '.', options.json)
const { peers, absent } = await others()
for (const { peer, reason } of absent) console.log(`without ${peer}: ${reason}`)

const command = ['npm run bench:gpu --', ...process.argv.slice(2)].join(' ')
const measuring = {
  samples: Number(options.samples),
  warmMs: SMALL ? 1 : 300,
  sampleMs: SMALL ? 0.01 : 1,
  waitMs: 60_000,
}
const rows: Row[] = []
for (const name of names) {
  const { contests } = (await SUITES[name]?.()) ?? { contests: [] }
  for (const contest of contests) {
    if (!contest.name.includes(options.only)) continue
    const measured = await measure(lab, name, contest, peers, measuring)
    rows.push(...measured)
    console.log(`${name}: ${contest.name}`)
    for (const row of measured) console.log(`  ${line(row)}`)
    if (file) writeFileSync(file, JSON.stringify({ machine, date: today(), command, absent, rows } satisfies Results))
  }
}
for (const peer of peers) peer.close?.()
process.exit(rows.some(({ failed, peer }) => !peer && failed?.startsWith('wrong')) ? 1 : 0)

/** Other libraries. A bundle that was made without `--peers` does not contain them. */
async function others(): Promise<{ peers: readonly Peer[]; absent: Results['absent'] }> {
  if (options.peers === 'none') return { peers: [], absent: [] }
  const { loadPeers } = await import('./peers')
  return loadPeers(lab, options.peers)
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}

function line({ entry, ms, p10, p90, error, compileMs, work, failed, dtype }: Row): string {
  if (ms === undefined) return `${entry.padEnd(44)} ${failed}`
  const rate = [
    work.operations && `${(work.operations / ms / 1e9).toFixed(2)} ${operationsOf(dtype)}`,
    work.bytes && `${(work.bytes / ms / 1e6).toFixed(0)} GB/s`,
    work.items && `${(work.items / ms / 1e6).toFixed(2)} G/s`,
  ].filter(Boolean)
  const spread = `${ms.toFixed(4)} ms (${p10?.toFixed(4)} to ${p90?.toFixed(4)})`
  return `${entry.padEnd(44)} ${rate.join(', ').padEnd(18)} ${spread}  error ${error?.toPrecision(2)}  ${
    compileMs === undefined ? '' : `compiled in ${compileMs.toFixed(0)} ms`
  }`
}
