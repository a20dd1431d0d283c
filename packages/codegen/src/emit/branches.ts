import { type If, isValueName, type Switch, scalarOf } from '@weft/dsl/ir'
import type { Context } from './context'
import { print } from './expressions'
import { literal } from './literals'
import { negated } from './negation'
import { isQuiet, type Region, type Site } from './sites'

export function writeIf(s: If, c: Context, at: Site): void {
  const [yes, no] = at.inner as [Region, Region]
  if (!yes.sites.every(isQuiet)) {
    c.line(`if (${print(s.test, c)}) {`, s.at)
    c.region(yes)
    writeElse(no, c)
  } else if (!no.sites.every(isQuiet)) {
    c.block(`if (${negated(s.test, c)})`, no, s.at)
  }
}

const LONGEST_CHAIN = 100

function writeElse(no: Region, c: Context): void {
  const loud = no.sites.filter((at) => !isQuiet(at))
  const [first] = loud
  const { chain } = c
  if (first === undefined) c.line('}')
  else if (loud.length === 1 && chain < LONGEST_CHAIN && isElseIf(first)) {
    const inner = first.stmt as If
    const [yes, last] = first.inner as [Region, Region]
    c.chain++
    c.line(`} else if (${print(inner.test, c)}) {`, inner.at)
    c.region(yes)
    writeElse(last, c)
  } else {
    c.chain = 0
    c.block('} else', no)
  }
  c.chain = chain
}

const isElseIf = (at: Site): boolean =>
  at.stmt?.kind === 'if' && at.binds.length === 0 && !(at.inner[0] as Region).sites.every(isQuiet)

export function writeSwitch(s: Switch, c: Context, at: Site): void {
  c.line(`switch (${print(s.selector, c)}) {`, s.at)
  c.out.indent()
  const type = isValueName(s.selector.type) ? scalarOf(s.selector.type) : 'u32'
  s.cases.forEach((branch, i) => {
    c.block(`case ${branch.selectors.map((x) => literal(type, x)).join(', ')}:`, at.inner[i] as Region, s.at)
  })
  c.block('default:', at.inner.at(-1) as Region, s.at)
  c.out.dedent()
  c.line('}')
}
