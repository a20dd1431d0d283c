import { ceilDiv, d, inout, kernel, vec3f } from '@weft/dsl'

/** One schema for both: TypeGPU's buffers and weft's bindings. Metres, metres per second. */
export const Particle = d.struct({ position: d.vec3f, velocity: d.vec3f }).$name('Particle')

/** One step of `dt` seconds: v += g · dt, p += v · dt; what falls below the floor bounces back with half its speed. */
export const step = kernel(
  'step',
  {
    workgroupSize: [64],
    bindings: { particles: inout(d.arrayOf(Particle)) },
    params: { n: d.u32, dt: d.f32 },
    workgroups: ({ n }) => [ceilDiv(n, 64)],
  },
  ({ particles, n, dt }, k) => {
    const i = k.globalIndex
    k.if(i.lt(n), () => {
      const { position, velocity } = particles.at(i)
      const v = k.var('v', velocity.add(vec3f(0, -9.81, 0).mul(dt)))
      const p = k.var('p', position.add(v.mul(dt)))
      k.if(p.y.lt(0), () => {
        p.y.set(p.y.neg())
        v.y.set(v.y.mul(-0.5))
      })
      position.set(p)
      velocity.set(v)
    })
  },
)
