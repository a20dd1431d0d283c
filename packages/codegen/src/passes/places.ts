import { type Expr, type Place, type Root, type Step, spell } from '@weft/dsl/ir'
import { numberOf } from './node'

/** A place with its expressions replaced; the same where these are. */
export function mapPlace(place: Place, f: (e: Expr) => Expr): Place {
  const root = mapRoot(place.root, f)
  const steps = mapSteps(place.steps, f)
  return root === place.root && steps === place.steps ? place : { kind: 'place', type: place.type, root, steps }
}

export const mapRoot = (root: Root, f: (e: Expr) => Expr): Root => {
  if (root.kind !== 'view') return root
  const offset = f(root.offset)
  return offset === root.offset ? root : { ...root, offset }
}

export function mapSteps(steps: readonly Step[], f: (e: Expr) => Expr): readonly Step[] {
  let out: Step[] | null = null
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as Step
    if (step.kind === 'member') continue
    const index = f(step.index)
    if (index === step.index) continue
    out ??= steps.slice()
    out[i] = { kind: 'index', index, type: step.type }
  }
  return out ?? steps
}

/** Equal for places that are the same: their indices are nodes. */
export function placeKey({ root, steps }: Place): string {
  let key = root.kind === 'variable' ? `v${root.id}` : `${root.kind} ${root.name}`
  if (root.kind === 'view') key += ` ${indexKey(root.offset)} ${spell(root.type)}`
  for (const step of steps) key += step.kind === 'member' ? `.${step.name}` : `[${indexKey(step.index)}`
  return key
}

const indexKey = (e: Expr): string => (e.kind === 'const' ? `=${e.lanes[0]}` : `${numberOf(e)}`)
