import type { Contest } from '../contest'

/** Suites by name, in the order of the report; each is loaded when it is run. */
export const SUITES: Readonly<Record<string, () => Promise<{ readonly contests: readonly Contest[] }>>> = {
  ceilings: () => import('./ceilings'),
  matmul: () => import('./matmul'),
  matvec: () => import('./matvec'),
  attention: () => import('./attention'),
  rows: () => import('./rows'),
}
