import { EFFECTS, type Effect, type Result } from '@weft/dsl/ir'
import type { Context } from './context'
import { list, pointer, printPlace } from './expressions'
import { rootName } from './naming'

export function writeEffect(s: Effect, c: Context): void {
  const { result, exchanged } = s
  const row = EFFECTS[s.op]
  const place = s.place && (row.family === 'texture' ? printPlace(s.place, c) : pointer(s.place, c))
  const args = s.args.length > 0 ? list(s.args, c) : null
  const text = `${row.wgsl}${template(s, c)}(${place ?? ''}${place !== null && args !== null ? ', ' : ''}${args ?? ''})`
  const isUsed = (x: Result | null): boolean => x !== null && (c.results[x.id]?.uses ?? 0) > 0
  if (!result || !(isUsed(result) || isUsed(exchanged))) {
    // atomics may be called for their effect alone, everything else has to be used
    c.line(row.family === 'atomic' || row.out === null ? `${text};` : `_ = ${text};`, s.at)
  } else if (exchanged) {
    const name = c.names.declare('exchange')
    c.define(result, `${name}.old_value`)
    c.define(exchanged, `${name}.exchanged`)
    c.line(`let ${name} = ${text};`, s.at)
  } else {
    const name = s.place ? `${rootName(s.place, c)}_value` : FAMILY_NAMES[row.family]
    c.let(result, c.results[result.id]?.hint ?? name, text, s.at)
  }
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
