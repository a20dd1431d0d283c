import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../scripts/packages.mjs'

const lists = JSON.parse(readFileSync(join(root, 'tests/cases.json'), 'utf8')) as { cases: string[]; prior: string[] }
const [cases = '', prior = ''] = readFileSync(join(root, 'docs/faults.md'), 'utf8').split('## Earlier systems')
const rows = (text: string) =>
  [...text.matchAll(/^\| ([A-Z]\d+) \|(.*)\|$/gm)].map(([, id = '', cells = '']) => ({ id, cells: cells.split('|') }))

describe('docs/faults.md', () => {
  it('has a row for each fault that `npm run cases` counts, and no others', () => {
    expect(
      rows(cases)
        .map(({ id }) => id)
        .sort(),
    ).toEqual([...lists.cases].sort())
    expect(rows(prior).map(({ id }) => id)).toEqual([...lists.prior].sort())
  })

  it('says for each what weft does, and where that is tested', () => {
    for (const { id, cells } of [...rows(cases), ...rows(prior)]) {
      expect(
        cells.map((cell) => cell.trim().length > 2),
        id,
      ).toEqual([true, true, true])
    }
  })
})
