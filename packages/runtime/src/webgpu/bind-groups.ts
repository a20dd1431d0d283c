import type { BindGroupStats } from '../backend'
import { memo } from '../memo'
import type { Memory } from '../memory'
import { scoped } from './scopes'

/** What a slot of a bind group is given. Of memory, a range; of anything else – textures – itself. */
export interface Resource {
  readonly memory: Memory | null
  readonly texture: object | null
  readonly offset: number
  readonly size: number
}

/** A range of memory as a resource. */
export const ranged = <M extends Memory>(memory: M, offset: number, size: number) =>
  ({ memory, texture: null, offset, size }) as const

/** A bind group and what became of making it. */
export interface CachedGroup {
  readonly group: GPUBindGroup
  /** The device's complaint, or null; null at once when it is known that there is none. */
  error: Promise<GPUError | null> | null
}

interface Entry extends CachedGroup {
  /** The layout, and three numbers for each slot: what, offset, size. */
  readonly key: Float64Array
  readonly hash: number
}

const MAX_ENTRIES = 4096

/** FNV-1a over the low and high halves of the numbers. */
function hashOf(key: Float64Array, length: number): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < length; i++) {
    const n = key[i] as number
    hash = Math.imul(hash ^ (n | 0), 0x01000193)
    hash = Math.imul(hash ^ ((n / 0x1_0000_0000) | 0), 0x01000193)
  }
  return hash
}

/**
 * The bind groups of one device, by layout and by what stands in each slot: identity, offset and size. Keys are
 * numbers in one scratch array, so a hit allocates nothing. Bounded, the least recently used goes; entries of memory
 * that is destroyed go too.
 */
export class BindGroupCache {
  /** Entries by hash. */
  readonly #table = new Map<number, Entry[]>()
  /** By last use, the least recent first. */
  readonly #recent = new Set<Entry>()
  /** By block of memory. */
  readonly #users = new Map<number, Set<Entry>>()
  /** Numbers of layouts and textures. They count downwards, so that they meet no block. */
  readonly #ids = new WeakMap<object, number>()
  readonly #stats = { hits: 0, misses: 0, evicted: 0 }
  #scratch = new Float64Array(1 + 3 * 16)
  #lastId = 0

  constructor(
    readonly device: GPUDevice,
    readonly max = MAX_ENTRIES,
  ) {}

  get stats(): BindGroupStats {
    return { entries: this.#recent.size, ...this.#stats }
  }

  /** The bind group of a layout for these resources; `make` gives its entries when there is none yet. */
  get(
    layout: GPUBindGroupLayout,
    resources: readonly Resource[],
    label: string,
    make: () => GPUBindGroupEntry[],
  ): CachedGroup {
    const length = this.#fill(layout, resources)
    const hash = hashOf(this.#scratch, length)
    for (const entry of this.#table.get(hash) ?? NONE) {
      if (!this.#matches(entry, length)) continue
      this.#stats.hits++
      this.#recent.delete(entry)
      this.#recent.add(entry)
      return entry
    }
    this.#stats.misses++
    const key = this.#scratch.slice(0, length)
    const { value: group, error } = scoped(this.device, ['validation'], () =>
      this.device.createBindGroup({ label, layout, entries: make() }),
    )
    const entry: Entry = { group, error, key, hash }
    // an invalid one is of no use to anybody later
    void error.then((invalid) => (invalid ? this.#remove(entry) : (entry.error = null)))
    this.#add(entry)
    return entry
  }

  /** Memory is gone, and so are the groups with it. */
  drop(block: number): void {
    for (const entry of this.#users.get(block) ?? NONE) this.#remove(entry)
  }

  clear(): void {
    this.#table.clear()
    this.#users.clear()
    this.#recent.clear()
  }

  /** Writes the key into the scratch array and gives its length. */
  #fill(layout: GPUBindGroupLayout, resources: readonly Resource[]): number {
    const length = 1 + 3 * resources.length
    if (length > this.#scratch.length) this.#scratch = new Float64Array(2 * length)
    this.#scratch[0] = this.#idOf(layout)
    let at = 1
    for (const { memory, texture, offset, size } of resources) {
      this.#scratch[at++] = memory ? memory.block : texture ? this.#idOf(texture) : 0
      this.#scratch[at++] = offset
      this.#scratch[at++] = size
    }
    return length
  }

  #idOf(object: object): number {
    let id = this.#ids.get(object)
    if (id === undefined) this.#ids.set(object, (id = --this.#lastId))
    return id
  }

  #matches({ key }: Entry, length: number): boolean {
    if (key.length !== length) return false
    for (let i = 0; i < length; i++) if (key[i] !== this.#scratch[i]) return false
    return true
  }

  #add(entry: Entry): void {
    memo(this.#table, entry.hash, () => []).push(entry)
    for (const block of blocksOf(entry)) memo(this.#users, block, () => new Set()).add(entry)
    this.#recent.add(entry)
    if (this.#recent.size <= this.max) return
    this.#stats.evicted++
    const [oldest] = this.#recent
    this.#remove(oldest as Entry)
  }

  #remove(entry: Entry): void {
    if (!this.#recent.delete(entry)) return
    const others = this.#table.get(entry.hash)?.filter((other) => other !== entry) ?? []
    if (others.length > 0) this.#table.set(entry.hash, others)
    else this.#table.delete(entry.hash)
    for (const block of blocksOf(entry)) {
      const users = this.#users.get(block)
      users?.delete(entry)
      if (users?.size === 0) this.#users.delete(block)
    }
  }
}

const NONE: readonly Entry[] = []

/** The memory in its slots. */
const blocksOf = ({ key }: Entry): Float64Array => key.filter((block, i) => i % 3 === 1 && block > 0)
