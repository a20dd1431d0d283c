// A bar chart of a suite as SVG: for each contest the library's fastest entry, the fastest peer on WebGPU, and PyTorch.
// Bars are as long as the entry is fast beside the fastest of its contest, and say how fast that is. Colours suit a light
// and a dark page; the chart brings no background.

import { type ContestLines, digits, isTorch, type Line, type SuiteLines } from './figures'

const WIDTH = 760
const LABELS = 250
const ROOM = 130
const BAR = 12
const GAP = 10
const TOP = 34

interface Bar {
  readonly kind: 'weft' | 'peer' | 'torch'
  readonly line: Line
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c] as string)

const fastest = (lines: readonly Line[]): Line | undefined =>
  lines.filter(({ speed }) => speed).sort((a, b) => (a.ms ?? 0) - (b.ms ?? 0))[0]

function barsOf({ lines }: ContestLines): Bar[] {
  const all = [
    ['weft', fastest(lines.filter(({ peer }) => !peer))],
    ['peer', fastest(lines.filter((line) => line.peer && !isTorch(line)))],
    ['torch', fastest(lines.filter(isTorch))],
  ] as const
  return all.flatMap(([kind, line]) => (line ? [{ kind, line }] : []))
}

const STYLE = `text{font:12px system-ui,sans-serif;fill:#57606a}.name{fill:#1f2328}.weft{fill:#3b82f6}.peer{fill:#a1a9b3}.torch{fill:#f59e0b}
@media(prefers-color-scheme:dark){text{fill:#9aa4af}.name{fill:#e6edf3}.peer{fill:#6e7781}}`

const LEGEND = [
  ['weft', 'weft'],
  ['peer', 'fastest peer on WebGPU'],
  ['torch', 'PyTorch (CUDA)'],
] as const

function legend(kinds: ReadonlySet<string>): string {
  let x = LABELS
  return LEGEND.filter(([kind]) => kinds.has(kind))
    .map(([kind, text]) => {
      const item = `<rect class="${kind}" x="${x}" y="6" width="10" height="10" rx="2"/><text x="${x + 15}" y="15">${text}</text>`
      x += 40 + 7 * text.length
      return item
    })
    .join('\n')
}

/** The chart, or null where nothing was measured. */
export function chartOf({ name, contests }: SuiteLines): string | null {
  const groups = contests
    .map((contest) => ({ name: contest.name, bars: barsOf(contest) }))
    .filter(({ bars }) => bars.length)
  if (groups.length === 0) return null
  let y = TOP
  const parts = groups.map(({ name, bars }) => {
    const most = Math.max(...bars.map(({ line }) => line.speed?.value ?? 0))
    const middle = y + (bars.length * BAR) / 2 + 4
    const label = `<text class="name" x="${LABELS - 10}" y="${middle}" text-anchor="end">${escaped(name)}</text>`
    const rects = bars.map(({ kind, line: { speed, entry } }) => {
      const { value = 0, unit = '' } = speed ?? {}
      const length = Math.max(1, ((WIDTH - LABELS - ROOM) * value) / most)
      const rect = `<rect class="${kind}" x="${LABELS}" y="${y}" width="${length.toFixed(1)}" height="${BAR - 2}" rx="2"><title>${escaped(entry)}</title></rect>`
      const text = `<text x="${(LABELS + length + 6).toFixed(1)}" y="${y + 9}">${digits(value)} ${unit}</text>`
      y += BAR
      return `${rect}${text}`
    })
    y += GAP
    return [label, ...rects].join('\n')
  })
  const kinds = new Set(groups.flatMap(({ bars }) => bars.map(({ kind }) => kind)))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}" viewBox="0 0 ${WIDTH} ${y}" role="img">
<title>${escaped(name)}: speed of weft beside its peers</title>
<style>${STYLE}</style>
${legend(kinds)}
${parts.join('\n')}
</svg>
`
}
