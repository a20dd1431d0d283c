import { type Call, isPlace, type Place } from '../../ir'
import { isValue, type PtrType, sameType, spell } from '../../types'
import { NEXT } from '../behavior'
import type { Bodies } from './bodies'

export function call(s: Call, b: Bodies): number {
  const func = b.context.functions.get(s.func)
  b.called(s.func)
  for (const [i, arg] of s.args.entries()) {
    const param = func?.params[i]
    if (!isPlace(arg)) b.value(arg, s.at)
    else {
      b.handed(arg, s.at)
      if (param && !isValue(param.type) && param.type.kind === 'ptr') pass(s, param.name, param.type, arg, b)
    }
  }
  b.define(s.result, s)
  return NEXT
}

function pass(s: Call, name: string, pointer: PtrType, place: Place, b: Bodies): void {
  const what = `argument '${name}' of '${s.func}'`
  const space = pointer.space === 'private' ? 'function' : pointer.space
  const got = b.space(place)
  if (!sameType(pointer.of, place.type))
    b.fault(s.at, `${what} must point to ${spell(pointer.of)}, not ${spell(place.type)}`)
  else if (got !== space) b.fault(s.at, `${what} must point into ${space} memory, not ${got}`)
  else if (space === 'storage' || space === 'uniform') b.use(place, pointer.access, s.at)
}
