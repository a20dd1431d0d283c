// The report of a run as Markdown.

import type { Results } from '../results'
import { chartOf } from './chart'
import { CEILINGS, digits, type Line, type SuiteLines, suitesOf } from './figures'

/** A page, and the charts beside it by their file names. */
export interface Page {
  readonly markdown: string
  readonly charts: Readonly<Record<string, string>>
}

/** `a SwiftShader`, `an NVIDIA H200`: by the sound of the first letter. */
const article = (name: string): string => (/^([AEFHILMNORSX][A-Z]|[AEIO])/.test(name) ? 'an' : 'a')
const shown = (value: number | undefined, unit = ''): string => (value === undefined ? '' : `${digits(value)}${unit}`)

function head({ machine, date, command, absent, rows }: Results): string {
  const { name, driver, software, dawn, node, cores } = machine
  const samples = [...new Set(rows.flatMap(({ samples }) => (samples === undefined ? [] : [samples])))].sort(
    (a, b) => a - b,
  )
  return `# Speed on ${article(name)} ${name}

${date} · ${name}, driver ${driver}, Vulkan · Dawn ${dawn} (npm \`webgpu\`), Node ${node}, ${cores} cores · \`${command}\`
${software ? '\n**This is a software adapter: it computes on the CPU, and its figures say nothing of a GPU.**\n' : ''}
Medians of ${samples.join(' or ')} samples of GPU time, by timestamps around every compute pass (1 ns), with Dawn's default
robustness. All entries of a contest get the same numbers, are checked against float64 (an error of 1 is the bound that is
documented), and take turns at full clock, each after a run of its own that is not timed; buffers rotate, so that a run finds none of those that it has just used in a
cache, up to eight sets of them (small problems stay in the cache for everybody). The spread is from the 10th to the 90th percentile. Compile
times are from source to pipeline where the entry's cost is known, all entries of a contest side by side.

The time of a peer is the sum of its compute passes, without what lies between them, and without its copies and clears: that
favours peers. PyTorch is measured between two events, by CUDA graphs where autograd has no part in it, TF32 off. A peer that cannot take
part is a row with its reason.
${absent.map(({ peer, reason }) => `\nWithout ${peer}: ${reason}.\n`).join('')}`
}

const CELLS = [
  '',
  'speed',
  'of ceiling',
  'vs. best peer',
  'vs. PyTorch',
  'ms (p10 to p90)',
  'error',
  'compiled in',
  'samples',
]

function cells(line: Line): string[] {
  const { entry, ms, p10, p90, error, compileMs, samples, speed, failed, peer } = line
  const name = peer ? entry : `**${entry}**`
  if (ms === undefined) return [name, failed ?? '', '', '', '', '', '', '', '']
  return [
    name,
    speed ? `${digits(speed.value)} ${speed.unit}` : '',
    shown(line.ofCeiling, ' ×'),
    shown(line.vsPeer, ' ×'),
    shown(line.vsTorch, ' ×'),
    `${digits(ms)} (${shown(p10)} to ${shown(p90)})`,
    shown(error),
    compileMs === undefined ? '' : `${Math.round(compileMs)} ms`,
    `${samples ?? ''}`,
  ]
}

const row = (values: readonly string[]): string => `| ${values.map((v) => v.replaceAll('|', '\\|')).join(' | ')} |`

function table({ contests }: SuiteLines): string {
  const rule = row(CELLS.map((_, i) => (i === 0 ? '---' : '---:')))
  const lines = contests.flatMap(({ name, lines }) => [
    row([`*${name}*`, ...CELLS.slice(1).map(() => '')]),
    ...lines.map((line) => row(cells(line))),
  ])
  return [row(CELLS), rule, ...lines].join('\n')
}

const titleOf = (name: string): string => `${name[0]?.toUpperCase()}${name.slice(1)}`

/** The page of a run; charts are named `<prefix>-<suite>.svg`. */
export function pageOf(results: Results, prefix: string): Page {
  const suites = suitesOf(results.rows)
  const charts: Record<string, string> = {}
  const sections = suites.map((suite) => {
    const chart = suite.name === CEILINGS ? null : chartOf(suite)
    const file = `${prefix}-${suite.name}.svg`
    if (chart) charts[file] = chart
    const picture = chart ? `![${suite.name}: bars of the speeds in the table](${file})\n\n` : ''
    return `## ${titleOf(suite.name)}\n\n${picture}${table(suite)}\n`
  })
  return { markdown: `${head(results)}\n${sections.join('\n')}`, charts }
}
