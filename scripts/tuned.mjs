// Takes what `weft tune` wrote into the library: `node scripts/tuned.mjs NAME FILE.json…` merges the results into
// packages/kernels/tuned/NAME.json, reduced to what a choice needs, which are the kernels that ship, by their speed.
// packages/kernels/src/tuning/shipped.ts lists the files.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './packages.mjs'

const read = (path) => JSON.parse(readFileSync(path, 'utf8'))

/** The names of all kernels that are checked in. */
export function shippedKernels() {
  const generated = join(root, 'packages/kernels/generated')
  const manifests = readdirSync(generated).map((family) => join(generated, family, 'manifest.json'))
  return new Set(manifests.flatMap((path) => read(path).kernels.map(({ name }) => name)))
}

/** A result with the kernels that ship alone; null where none of them was measured. */
function reduced({ family, type, shape, date, winner, incumbent, candidates }, ships) {
  const short = ({ kernel, ms, ratio }) => ({
    kernel,
    ms: Number(ms.toPrecision(4)),
    ratio: Number(ratio[1].toPrecision(4)),
  })
  const kept = candidates.filter(({ kernel }) => ships.has(kernel)).map(short)
  if (kept.length === 0) return null
  const won = winner !== null && ships.has(winner.kernel) ? short(winner) : null
  return { family, type, shape, date, winner: won, incumbent: incumbent?.kernel ?? null, candidates: kept }
}

const nameOf = ({ family, type, shape }) => JSON.stringify([family, type, shape])

/** The file of a device class with further results in the place of earlier ones of the same shapes. */
export function merged(before, files, ships) {
  const results = new Map((before?.results ?? []).map((result) => [nameOf(result), result]))
  for (const file of files) {
    if (file.kind !== 'weft-tuning') throw new Error('no file of weft tune')
    if (file.device.software)
      throw new Error(`${file.device.adapter} computes on the CPU: its times say nothing of a GPU`)
    for (const key of ['vendor', 'architecture', 'device']) {
      const others = [before, ...files].find((other) => other && other.device[key] !== file.device[key])
      if (others) throw new Error(`results of two devices: ${key} is '${others.device[key]}' and '${file.device[key]}'`)
    }
    for (const result of file.results) {
      const short = reduced(result, ships)
      if (short !== null) results.set(nameOf(short), short)
    }
  }
  const [{ device, clock }] = files
  return { device, clock, results: [...results.values()] }
}

/** As JSON with a line for each shape. */
export function written({ results, ...head }) {
  const lines = results.map((result) => `    ${JSON.stringify(result)}`)
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "results": [\n${lines.join(',\n')}\n  ]\n}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, ...paths] = process.argv.slice(2)
  if (name === undefined || !/^[\w-]+$/.test(name) || paths.length === 0) {
    console.error('usage: node scripts/tuned.mjs NAME FILE.json…')
    process.exit(2)
  }
  const folder = join(root, 'packages/kernels/tuned')
  const path = join(folder, `${name}.json`)
  mkdirSync(folder, { recursive: true })
  const file = merged(existsSync(path) ? read(path) : null, paths.map(read), shippedKernels())
  writeFileSync(path, written(file))
  console.log(`packages/kernels/tuned/${name}.json: ${file.results.length} shapes`)
}
