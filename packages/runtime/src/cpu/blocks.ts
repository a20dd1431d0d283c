import { type Block, nextBlock, type Source } from '../pool/pool'

/** Typed arrays for a pool. Work is done when it is handed over, so clears happen at once. */
export const cpuBlocks: Source = {
  make: (capacity, usage) => ({
    id: nextBlock(),
    capacity,
    usage,
    gpu: null,
    bytes: new Uint8Array(capacity),
    failure: null,
    retired: false,
  }),
  drop: () => undefined,
  forget: () => undefined,
  recording: () => false,
  clear: ({ bytes }: Block, size: number) => void bytes?.fill(0, 0, size),
  unclear: () => undefined,
  settle: () => undefined,
}
