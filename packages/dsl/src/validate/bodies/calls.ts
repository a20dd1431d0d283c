import { type Call, isPlace, type Place } from '../../ir'
import { isKind, type PtrType, sameType, spell } from '../../types'
import { NEXT } from '../behavior'
import type { Bodies } from './bodies'

export function call(s: Call, b: Bodies): number {
  const func = b.context.functions.get(s.func)
  b.called(s.func)
  s.args.forEach((arg, i) => {
    const param = func?.params[i]
    if (!isPlace(arg)) b.value(arg, s.at)
    else {
      b.handed(arg, s.at)
      if (param && isKind(param.type, 'ptr')) pass(`argument '${param.name}' of '${s.func}'`, param.type, arg, s.at, b)
    }
  })
  b.define(s.result, s)
  return NEXT
}

function pass(what: string, { of, space, access }: PtrType, place: Place, at: number, b: Bodies): void {
  const wanted = space === 'private' ? 'function' : space
  const got = b.space(place)
  if (!sameType(of, place.type)) b.fault(at, `${what} must point to ${spell(of)}, not ${spell(place.type)}`)
  else if (got !== wanted) b.fault(at, `${what} must point into ${wanted} memory, not ${got}`)
  else if (space === 'storage' || space === 'uniform') b.use(place, access, at)
}
