import { type CompiledKernel, compile } from '@weft/codegen'
import { ceilDiv, d, input, kernel, output } from '@weft/dsl'

/** y[i] = x[i] + salt for i < n: as small as a kernel gets, and another module for each salt. */
export const op = (salt: number): CompiledKernel =>
  compile(
    kernel(
      `op${salt}`,
      {
        workgroupSize: [64],
        bindings: { x: input(d.arrayOf(d.f32)), y: output(d.arrayOf(d.f32)) },
        params: { n: d.u32 },
        workgroups: ({ n }) => [ceilDiv(n, 64)],
      },
      ({ x, y, n }, k) => {
        const i = k.let('i', k.globalIndex)
        k.if(i.lt(n), () => y.at(i).set(x.at(i).add(salt)))
      },
    ),
    { params: 'uniform' },
  )

export interface Shape {
  readonly dispatches: number
  readonly pipelines: number
}

/** A decode step: many distinct dispatches of few kernels, some of them twice in a row, as for keys and values. */
export const DECODE: Shape = { dispatches: 300, pipelines: 40 }
/** One kernel over and over. */
export const CHAIN: Shape = { dispatches: 200, pipelines: 1 }

/** The kernel of a dispatch. */
export const kernelOf = (i: number, { pipelines }: Shape): number => (i >> 1) % pipelines

/** Elements of a buffer; one workgroup. */
export const N = 64
