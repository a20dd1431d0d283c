import * as kernels from '@weft/kernels'
import { DOMAINS } from '../elementwise.cases.js'
import type { Bound, Check } from './check.js'

interface Named {
  readonly name: string
  readonly params: Readonly<Record<string, number>>
}

const operation = (name: string): kernels.Operation => {
  const found = Object.values(kernels.ops).find((op) => op.name === name)
  if (!found) throw new Error(`there is no operation ${name}`)
  return found
}

/** The bounds of the parity cases, whose domains hold the values here. */
const bound = (name: string, exact: readonly number[]): Bound => {
  const { abs = 0, rel = 0 } = DOMAINS[name] ?? {}
  return exact.map((v) => abs + rel * Math.abs(v))
}

/** These take the result of the forward, not its input. */
const OF_RESULT = ['tanh', 'sigmoid']

export const elementwise: Check = {
  reference: (golden) => {
    const { name, params } = golden.attrs<Named>()
    const f = kernels.elementwiseFunctions[name] as (...values: number[]) => number
    const [x, divisor] = [golden.input('x'), golden.has('divisor') ? golden.input('divisor') : null]
    const y = x.map((v, i) => f(v, ...(divisor ? [divisor[i] as number] : []), ...Object.values(params)))
    if (!golden.has('dy')) return { y }
    const backward = kernels.elementwiseFunctions[`${name}_backward`] as (...values: number[]) => number
    const dy = golden.input('dy')
    return { y, dx: (OF_RESULT.includes(name) ? y : x).map((v, i) => backward(v, dy[i] as number)) }
  },
  host: async (golden, desk) => {
    const { name, params } = golden.attrs<Named>()
    const { runtime, options, type } = desk
    const n = golden.result('y').length
    const [x, y] = [desk.put('x'), desk.empty(n)]
    const inputs = golden.has('divisor') ? [x, desk.put('divisor')] : [x]
    await kernels.runElementwise(runtime, operation(name), { inputs, out: y, shape: [n], type, params }, options)
    if (!golden.has('dy')) return { y: await desk.read(y, n) }
    const dx = desk.empty(n)
    const of = [OF_RESULT.includes(name) ? desk.of(golden.result('y')) : x, desk.put('dy')]
    await kernels.runElementwise(
      runtime,
      operation(`${name}_backward`),
      { inputs: of, out: dx, shape: [n], type },
      options,
    )
    return { y: await desk.read(y, n), dx: await desk.read(dx, n) }
  },
  bounds: (golden) => {
    const { name } = golden.attrs<Named>()
    const y = bound(name, golden.result('y'))
    if (!golden.has('dy')) return { y }
    // where the gradient is of the result, that is stored first: slopes 2y and 1 - 2y of at most 2
    const stored = OF_RESULT.includes(name) ? (golden.type === 'f16' ? 2 ** -11 : 2 ** -24) * 2 : 0
    const dx = bound(`${name}_backward`, golden.result('dx')) as readonly number[]
    return { y, dx: dx.map((v) => v + stored) }
  },
}

export const gated: Check = {
  reference: (golden) => {
    const { name } = golden.attrs<Named>()
    const [x, y, dz] = [golden.input('x'), golden.input('y'), golden.input('dz')]
    const f = kernels.elementwiseFunctions[name] as (...values: number[]) => number
    const back = kernels.gatedGradients[`${name}_backward`] as (x: number, y: number, dz: number) => readonly number[]
    const pairs = x.map((v, i) => back(v, y[i] as number, dz[i] as number))
    return {
      z: x.map((v, i) => f(v, y[i] as number)),
      dx: pairs.map(([dx]) => dx as number),
      dy: pairs.map(([, dy]) => dy as number),
    }
  },
  host: async (golden, desk) => {
    const { name } = golden.attrs<Named>()
    const { runtime, options, type } = desk
    const n = golden.result('z').length
    const [x, y, dz] = [desk.put('x'), desk.put('y'), desk.put('dz')]
    const [z, dx, dy] = [desk.empty(n), desk.empty(n), desk.empty(n)]
    const shape = [n]
    await kernels.runElementwise(runtime, operation(name), { inputs: [x, y], out: z, shape, type }, options)
    const args = { inputs: [x, y, dz], out: [dx, dy], shape, type }
    await kernels.runElementwise(runtime, operation(`${name}_backward`), args, options)
    return { z: await desk.read(z, n), dx: await desk.read(dx, n), dy: await desk.read(dy, n) }
  },
  bounds: (golden) => {
    const { name } = golden.attrs<Named>()
    const back = (result: string): Bound => bound(`${name}_backward`, golden.result(result))
    return { z: bound(name, golden.result('z')), dx: back('dx'), dy: back('dy') }
  },
}
