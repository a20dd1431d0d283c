import type { ParityCase } from '../parity/case.js'
import { compileOnce } from '../parity/compiled.js'
import { workgroupsOf } from '../parity/jobs.js'
import { families } from './families.js'

/** The workgroups that the launch rule gives, where more than 65,535 of them would be folded; otherwise nothing. */
function foldable(c: ParityCase): number | undefined {
  const { artifact } = compileOnce(c.kernel, c.compile)
  const { launch } = artifact
  // a fixed number of workgroups never is
  if (!launch?.folds || c.workgroups || typeof launch.workgroups[0] === 'number') return undefined
  return workgroupsOf(artifact, c)[0]
}

/**
 * For each kernel one of its cases, with its workgroups spread over two dimensions and some to spare, as those of more than 65,535 are:
 * they are numbered over both, and the ones to spare write nothing. The case with the fewest workgroups, of those that have several.
 */
function foldedOf(cases: readonly ParityCase[]): ParityCase[] {
  const found = new Map<string, { readonly c: ParityCase; readonly workgroups: number }>()
  for (const c of cases) {
    const workgroups = foldable(c)
    if (workgroups === undefined) continue
    const before = found.get(c.kernel.name)
    const better = before && workgroups > 1 && (before.workgroups < 2 || workgroups < before.workgroups)
    if (!before || better) found.set(c.kernel.name, { c, workgroups })
  }
  return [...found.values()].map(({ c, workgroups }) => ({
    ...c,
    name: `${c.name}, over ${Math.ceil(workgroups / 2)} × 3 workgroups`,
    workgroups: [Math.ceil(workgroups / 2), 3],
  }))
}

/** Of every family the first kernel; in the long run all of them. */
export const foldedCases: readonly ParityCase[] = Object.values(families).flatMap((cases) =>
  process.env.WEFT_FULL === '1' ? foldedOf(cases) : foldedOf(cases.slice(0, 12)).slice(0, 1),
)
