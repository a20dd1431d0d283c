import type { Fixture } from './fixtures'

/** What `fill` is made from, for kernels that are to differ from it in one thing. */
export const FILL = {
  bindings: { out: 'write array<u32>' },
  params: { n: 'u32', value: 'u32' },
  body: '  if (gid.x < params.n) { out[gid.x] = params.value; }',
} satisfies Fixture
