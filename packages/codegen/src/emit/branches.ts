import { type If, isValueName, type Switch, scalarOf } from '@weft/dsl/ir'
import { alone } from './expressions'
import { literal } from './literals'
import { negated } from './negation'
import { areQuiet, isQuiet } from './silent'
import type { Region, Site } from './sites'
import type { Writer } from './writer'

export function writeIf(s: If, w: Writer, at: Site): void {
  const { c } = w
  const [yes, no] = at.inner as [Region, Region]
  if (!areQuiet(yes.sites, c)) {
    w.line(`if (${alone(s.test, c)}) {`, s.at)
    w.region(yes)
    writeElse(w, no)
  } else if (!areQuiet(no.sites, c)) {
    w.line(`if (${negated(s.test, c)}) {`, s.at)
    w.region(no)
    w.line('}')
  }
}

const LONGEST_CHAIN = 100

function writeElse(w: Writer, no: Region): void {
  const { c } = w
  const loud = no.sites.filter((at) => !isQuiet(at, c))
  const [first] = loud
  if (first === undefined) w.line('}')
  else if (loud.length === 1 && w.chain < LONGEST_CHAIN && isElseIf(first, w)) writeElseIf(w, first)
  else {
    const { chain } = w
    w.chain = 0
    w.line('} else {')
    w.region(no)
    w.line('}')
    w.chain = chain
  }
}

const isElseIf = (at: Site, { c }: Writer): boolean =>
  at.stmt?.kind === 'if' && at.binds.length === 0 && !areQuiet((at.inner[0] as Region).sites, c)

function writeElseIf(w: Writer, at: Site): void {
  const inner = at.stmt as If
  const [yes, no] = at.inner as [Region, Region]
  w.chain++
  w.line(`} else if (${alone(inner.test, w.c)}) {`, inner.at)
  w.region(yes)
  writeElse(w, no)
  w.chain--
}

export function writeSwitch(s: Switch, w: Writer, at: Site): void {
  w.line(`switch (${alone(s.selector, w.c)}) {`, s.at)
  w.indent()
  const type = isValueName(s.selector.type) ? scalarOf(s.selector.type) : 'u32'
  s.cases.forEach((branch, i) => {
    w.line(`case ${branch.selectors.map((x) => literal(type, x)).join(', ')}: {`, s.at)
    w.region(at.inner[i] as Region)
    w.line('}')
  })
  w.line('default: {', s.at)
  w.region(at.inner.at(-1) as Region)
  w.line('}')
  w.dedent()
  w.line('}')
}
