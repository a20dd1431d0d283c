import { EFFECTS, type Effect, type Result } from '@weft/dsl/ir'
import type { Context } from './context'
import { list, pointer, printPlace } from './expressions'
import { givenName, rootName } from './naming'
import type { Writer } from './writer'

export function writeEffect(s: Effect, w: Writer): void {
  const { c } = w
  const { result, exchanged } = s
  const row = EFFECTS[s.op]
  const text = effectText(s, c)
  const used = (result !== null && c.plan.uses(result) > 0) || (exchanged !== null && c.plan.uses(exchanged) > 0)
  if (!used || !result) {
    // atomics may be called for their effect alone, everything else has to be used
    const plain = row.family === 'atomic' || row.out === null
    w.line(plain ? `${text};` : `_ = ${text};`, s.at)
  } else if (exchanged) {
    const name = c.names.declare('exchange')
    c.results.set(result.id, `${name}.old_value`)
    c.results.set(exchanged.id, `${name}.exchanged`)
    w.line(`let ${name} = ${text};`, s.at)
  } else {
    const name = s.place ? `${rootName(s.place, c)}_value` : FAMILY_NAMES[row.family]
    w.let(result, givenName(result, name, c), text, s.at)
  }
}

function effectText(s: Effect, c: Context): string {
  const row = EFFECTS[s.op]
  const args: string[] = []
  if (s.place) args.push(row.family === 'texture' ? printPlace(s.place, c) : pointer(s.place, c))
  if (s.args.length > 0) args.push(list(s.args, c))
  return `${row.wgsl}${template(s, c)}(${args.join(', ')})`
}

const FAMILY_NAMES = {
  atomic: 'old',
  barrier: 'value',
  subgroup: 'group_value',
  quad: 'quad_value',
  texture: 'texel',
  matrix: 'matrix',
  buffer: 'size',
} as const

function template(s: Effect, c: Context): string {
  const majorness = s.majorness ? `${s.majorness}_major` : null
  switch (s.op) {
    case 'subgroupMatrixLoad':
      return `<${c.module.type((s.result as Result).type)}, ${majorness}>`
    case 'subgroupMatrixStore':
      return majorness ? `<${majorness}>` : ''
    case 'subgroupMatrixMultiply': {
      const type = (s.result as Result).type
      return `<${typeof type !== 'string' && type.kind === 'subgroup_matrix' ? type.of : 'f32'}>`
    }
    default:
      return ''
  }
}
