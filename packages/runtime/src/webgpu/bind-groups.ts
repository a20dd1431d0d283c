import type { BindGroupStats } from '../backend'
import type { Memory } from '../memory'
import { scoped } from './scopes'

/** What a slot of a bind group is given. Of memory, a range; of anything else – textures – itself. */
export interface Resource {
  readonly memory: Memory | null
  readonly texture: object | null
  readonly offset: number
  readonly size: number
}

/** A bind group and what became of making it. */
export interface CachedGroup {
  readonly group: GPUBindGroup
  /** The device's complaint, or null; null at once when it is known that there is none. */
  error: Promise<GPUError | null> | null
}

interface Entry extends CachedGroup {
  readonly layout: GPUBindGroupLayout
  /** Three numbers for each slot: what, offset, size. */
  readonly key: Float64Array
  readonly hash: number
  /** Entries of the same hash. */
  next: Entry | null
  /** By last use: towards the more and the less recent one. */
  newer: Entry | null
  older: Entry | null
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
  readonly #tables = new Map<GPUBindGroupLayout, Map<number, Entry>>()
  readonly #users = new Map<number, Set<Entry>>()
  readonly #textures = new WeakMap<object, number>()
  readonly #stats = { entries: 0, hits: 0, misses: 0, evicted: 0 }
  #scratch = new Float64Array(3 * 16)
  #newest: Entry | null = null
  #oldest: Entry | null = null
  #lastTexture = 0

  constructor(
    readonly device: GPUDevice,
    readonly max = MAX_ENTRIES,
  ) {}

  get stats(): BindGroupStats {
    return { ...this.#stats }
  }

  /** The bind group of a layout for these resources; `make` gives its entries when there is none yet. */
  get(
    layout: GPUBindGroupLayout,
    resources: readonly Resource[],
    label: string,
    make: () => GPUBindGroupEntry[],
  ): CachedGroup {
    const length = this.#fill(resources)
    const hash = hashOf(this.#scratch, length)
    let table = this.#tables.get(layout)
    if (!table) this.#tables.set(layout, (table = new Map()))
    for (let entry = table.get(hash) ?? null; entry; entry = entry.next) {
      if (!this.#matches(entry, length)) continue
      this.#stats.hits++
      this.#touch(entry)
      return entry
    }
    this.#stats.misses++
    return this.#add(table, layout, hash, this.#scratch.slice(0, length), label, make)
  }

  /** Memory is gone, and so are the groups with it. */
  drop(block: number): void {
    for (const entry of this.#users.get(block) ?? []) this.#remove(entry)
  }

  clear(): void {
    this.#tables.clear()
    this.#users.clear()
    this.#newest = null
    this.#oldest = null
    this.#stats.entries = 0
  }

  /** Writes the key into the scratch array and gives its length. Textures count downwards, so that they meet no memory. */
  #fill(resources: readonly Resource[]): number {
    const length = 3 * resources.length
    if (length > this.#scratch.length) this.#scratch = new Float64Array(2 * length)
    let at = 0
    for (const { memory, texture, offset, size } of resources) {
      this.#scratch[at++] = memory ? memory.block : texture ? this.#textureId(texture) : 0
      this.#scratch[at++] = offset
      this.#scratch[at++] = size
    }
    return length
  }

  #textureId(texture: object): number {
    let id = this.#textures.get(texture)
    if (id === undefined) this.#textures.set(texture, (id = --this.#lastTexture))
    return id
  }

  #matches({ key }: Entry, length: number): boolean {
    if (key.length !== length) return false
    for (let i = 0; i < length; i++) if (key[i] !== this.#scratch[i]) return false
    return true
  }

  #add(
    table: Map<number, Entry>,
    layout: GPUBindGroupLayout,
    hash: number,
    key: Float64Array,
    label: string,
    make: () => GPUBindGroupEntry[],
  ): Entry {
    const { value: group, error } = scoped(this.device, ['validation'], () =>
      this.device.createBindGroup({ label, layout, entries: make() }),
    )
    const next = table.get(hash) ?? null
    const entry: Entry = { group, error, layout, key, hash, next, newer: null, older: null }
    // an invalid one is of no use to anybody later
    void error.then((invalid) => (invalid ? this.#remove(entry) : (entry.error = null)))
    table.set(hash, entry)
    for (let i = 0; i < key.length; i += 3) {
      const id = key[i] as number
      const users = this.#users.get(id)
      if (users) users.add(entry)
      else this.#users.set(id, new Set([entry]))
    }
    this.#link(entry)
    if (++this.#stats.entries > this.max && this.#oldest) {
      this.#stats.evicted++
      this.#remove(this.#oldest)
    }
    return entry
  }

  #remove(entry: Entry): void {
    const table = this.#tables.get(entry.layout)
    let found: Entry | null = table?.get(entry.hash) ?? null
    if (!table || !found) return
    if (found === entry) {
      if (entry.next) table.set(entry.hash, entry.next)
      else table.delete(entry.hash)
    } else {
      while (found && found.next !== entry) found = found.next
      if (!found) return
      found.next = entry.next
    }
    this.#unlink(entry)
    this.#stats.entries--
    for (let i = 0; i < entry.key.length; i += 3) {
      const id = entry.key[i] as number
      const users = this.#users.get(id)
      users?.delete(entry)
      if (users?.size === 0) this.#users.delete(id)
    }
  }

  #touch(entry: Entry): void {
    if (entry === this.#newest) return
    this.#unlink(entry)
    this.#link(entry)
  }

  #link(entry: Entry): void {
    entry.older = this.#newest
    entry.newer = null
    if (this.#newest) this.#newest.newer = entry
    this.#newest = entry
    this.#oldest ??= entry
  }

  #unlink(entry: Entry): void {
    if (entry.newer) entry.newer.older = entry.older
    else this.#newest = entry.older
    if (entry.older) entry.older.newer = entry.newer
    else this.#oldest = entry.newer
    entry.newer = null
    entry.older = null
  }
}
