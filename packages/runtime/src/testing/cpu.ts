import { createRuntime } from '../create'
import { as, fakeCpu } from './fixtures'

/** An executor that knows the fixtures by heart. */
export const cpu = () =>
  fakeCpu({
    saxpy: (launch) => {
      const y = as(Float32Array, launch, 'y')
      const [n = 0] = new Uint32Array(launch.params.buffer)
      const a = new Float32Array(launch.params.buffer)[1] ?? 0
      as(Float32Array, launch, 'x').forEach((x, i) => void (i < n && (y[i] = a * x + (y[i] ?? 0))))
    },
    fill: (launch) => {
      const [n, value = 0] = new Uint32Array(launch.params.buffer)
      as(Uint32Array, launch, 'out').fill(value, 0, n)
    },
    increment: (launch) => as(Uint32Array, launch, 'out').set(as(Uint32Array, launch, 'x').map((v) => v + 1)),
    throws: () => {
      throw new Error('out of luck')
    },
  })

export const start = async () => {
  const device = cpu()
  return { device, runtime: await createRuntime({ device }) }
}
