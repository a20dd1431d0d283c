import { d, input, output } from '@weft/dsl'

/** What the kernels take that place keys: where the keys of each digit and tile begin. */
export const SCATTER = {
  bindings: {
    keys: input(d.arrayOf(d.u32)),
    values: input(d.arrayOf(d.u32)),
    starts: input(d.arrayOf(d.u32)),
    sorted_keys: output(d.arrayOf(d.u32)),
    sorted_values: output(d.arrayOf(d.u32)),
  },
  params: { n: d.u32, tiles: d.u32, shift: d.u32 },
  // the scan of the counts gives each key another place below n
  guards: 'off',
} as const
