import type { ParityCase } from '../parity/case.js'
import { type Errors, measure } from './errors.js'

const BEGIN = '<!-- measured: npm run numerics -->'
const END = '<!-- end of measured -->'

const power = (x: number): string => (x === 0 ? '0' : x.toExponential(1))
const units = (x: number): string =>
  x === 0 ? '0' : x < 0.05 ? '< 0.1' : x < 10 ? x.toFixed(1) : String(Math.round(x))

const row = (family: string, { kernel, count, max, rms, ulp }: Errors): string =>
  `| ${family} | \`${kernel}\` | ${count.toLocaleString('en')} | ${power(max)} | ${power(rms)} | ${units(ulp)} |`

/** The lines of a family: one for each kernel with float outputs, or one that says that there are none. */
export function rowsOf(family: string, cases: readonly ParityCase[]): string[] {
  const errors = measure(cases).filter(({ count }) => count > 0)
  if (errors.length === 0) return [`| ${family} | all | 0 | – | – | – |`]
  return errors.sort((a, b) => (a.kernel < b.kernel ? -1 : 1)).map((each) => row(family, each))
}

/** The text of docs/numerics.md with these lines between its markers. */
export function withRows(text: string, rows: readonly string[]): string {
  const [before, rest] = text.split(BEGIN)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error('docs/numerics.md has lost its markers')
  const head = '| family | kernel | elements | max | RMS | max, ULP |\n|---|---|---|---|---|---|'
  return `${before}${BEGIN}\n\n${[head, ...rows].join('\n')}\n\n${END}${after}`
}
