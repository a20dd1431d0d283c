import {
  type AddressSpace,
  type Block,
  type Call,
  EFFECTS,
  type Effect,
  type Func,
  forEachStmt,
  isPlace,
  type Kernel,
  type Place,
  type PtrType,
  type Root,
  type Step,
  type Type,
} from '@weft/dsl/ir'

/** What memory each place of a kernel is in, and what its statements may change. */
export interface Memory {
  access(place: Place): Access
  log(): WriteLog
  /** The address space of a root; `read`: nothing writes it while the kernel runs. */
  space(root: Root): Space
  /** The type of what a root refers to, null if it is unknown. */
  type(root: Root): Type | null
  /** Whether a call of a function could stand anywhere: it sees nothing but the values it is given. */
  isValue(func: string): boolean
  /** The same memory as the body of a function sees it, with its pointer parameters; null: the entry point. */
  within(func: Func | null): Memory
}

export interface Access {
  /** Reading it is writing its name: a variable or a member, no index to compute. */
  readonly name: boolean
  /** Reading it again and again costs nothing. */
  readonly free: boolean
}

export type Space = AddressSpace | 'read' | 'handle'

/** The writes of one function, by time. */
export interface WriteLog {
  store(place: Place, time: number): void
  effect(s: Effect, time: number): void
  call(s: Call, time: number): void
  readonly byRoot: ReadonlyMap<number | string, readonly Write[]>
  /** Times at which other invocations' writes may become visible, or a function wrote something. */
  readonly barriers: readonly number[]
  readonly spaceOf: (root: Root) => Space
}

interface Write {
  readonly time: number
  readonly place: Place
}

/** Pointers of a function may refer to the same memory when nothing writes it: one key for all. */
const keyOf = (root: Root): number | string =>
  root.kind === 'variable' ? root.id : root.kind === 'pointer' ? -1 : root.name

/** Which spaces a barrier makes new: everything that other invocations write. */
const SHARED: { readonly [K in Space]: boolean } = {
  function: false,
  private: false,
  uniform: false,
  immediate: false,
  read: false,
  handle: true,
  workgroup: true,
  storage: true,
}

export function memoryOf(kernel: Kernel): Memory {
  const bindings = new Map<string, Space>()
  for (const b of kernel.bindings) {
    bindings.set(
      b.name,
      b.kind === 'texture' ? 'handle' : b.kind === 'uniform' ? 'uniform' : b.access === 'read' ? 'read' : 'storage',
    )
  }
  for (const c of kernel.constants) bindings.set(c.name, 'uniform')
  const types = new Map<number | string, Type>()
  for (const b of kernel.bindings) types.set(b.name, b.type)
  for (const c of kernel.constants) types.set(c.name, c.type)
  const variables = new Map<number, Space>()
  for (const v of kernel.variables) {
    variables.set(v.id, v.space)
    types.set(v.id, v.type)
  }
  const noteVariables = (body: Block): void =>
    forEachStmt(body, (s) => {
      if (s.kind === 'var') types.set(s.variable.id, s.variable.type)
    })
  noteVariables(kernel.body)
  const pure = new Map<string, boolean>()
  const values = new Set<string>()
  const entry = scope(null)
  for (const f of kernel.functions) {
    noteVariables(f.body)
    pure.set(f.name, isPure(f.body, pure, scope(f).space))
    if (
      f.params.every((p) => typeof p.type === 'string' || p.type.kind !== 'ptr') &&
      seesNothing(f.body, values, scope(f).space)
    )
      values.add(f.name)
  }
  return entry

  function scope(func: Func | null): Memory {
    const pointers = new Map<string, PtrType>()
    for (const p of func?.params ?? [])
      if (typeof p.type !== 'string' && p.type.kind === 'ptr') pointers.set(p.name, p.type)
    const space = (root: Root): Space => {
      switch (root.kind) {
        case 'variable':
          return variables.get(root.id) ?? 'function'
        case 'pointer':
          return pointers.get(root.name)?.space ?? 'storage'
        default:
          return bindings.get(root.name) ?? 'storage'
      }
    }
    return {
      space,
      type(root) {
        switch (root.kind) {
          case 'variable':
            return types.get(root.id) ?? null
          case 'pointer':
            return pointers.get(root.name)?.of ?? null
          case 'binding':
            return types.get(root.name) ?? null
          case 'view':
            return root.type
        }
      },
      isValue: (func) => values.has(func),
      within: scope,
      access(place) {
        const s = space(place.root)
        const name = (s === 'function' || s === 'private' || s === 'uniform') && place.steps.every(isStatic)
        return { name, free: name || s === 'function' || s === 'private' }
      },
      log: () => writeLog(space, pure),
    }
  }
}

function writeLog(space: (root: Root) => Space, pure: ReadonlyMap<string, boolean>): WriteLog {
  const byRoot = new Map<number | string, Write[]>()
  const barriers: number[] = []
  const write = (place: Place, time: number): void => {
    const key = keyOf(place.root)
    const list = byRoot.get(key)
    if (list) list.push({ time, place })
    else byRoot.set(key, [{ time, place }])
  }
  return {
    byRoot,
    barriers,
    spaceOf: space,
    store: write,
    effect(s, time) {
      const row = EFFECTS[s.op]
      if (row.family === 'barrier') barriers.push(time)
      else if (s.place && (row.memory === 'write' || row.memory === 'read_write')) write(s.place, time)
    },
    call(s, time) {
      for (const a of s.args) if (isPlace(a)) write(a, time)
      if (!pure.get(s.func)) barriers.push(time)
    },
  }
}

/** Whether a function writes nothing but its own variables and what it is pointed to, and waits for nobody. */
function isPure(body: Block, pure: ReadonlyMap<string, boolean>, space: (root: Root) => Space): boolean {
  let result = true
  forEachStmt(body, (s) => {
    if (s.kind === 'store' && s.place.root.kind !== 'pointer' && space(s.place.root) !== 'function') result = false
    if (s.kind === 'effect' && EFFECTS[s.op].memory !== 'none') result = false
    if (s.kind === 'call' && !pure.get(s.func)) result = false
  })
  return result
}

function seesNothing(body: Block, values: ReadonlySet<string>, space: (root: Root) => Space): boolean {
  let result = true
  forEachStmt(body, (s) => {
    if (s.kind === 'effect' || (s.kind === 'call' && !values.has(s.func))) result = false
    if ((s.kind === 'store' || s.kind === 'load') && space(s.place.root) !== 'function') result = false
  })
  return result
}

const isStatic = (step: Step): boolean => step.kind === 'member' || step.index.kind === 'const'

/** Whether anything in (after, until] may change what `place` holds. */
export function clobbers(log: WriteLog, place: Place, after: number, until: number): boolean {
  if (until <= after) return false
  const space = log.spaceOf(place.root)
  // a function that is called may write private variables too; it is counted as a barrier
  if ((SHARED[space] || space === 'private' || place.root.kind === 'pointer') && within(log.barriers, after, until))
    return true
  const writes = log.byRoot.get(keyOf(place.root))
  if (!writes) return false
  for (let i = writes.length - 1; i >= 0; i--) {
    const w = writes[i] as Write
    if (w.time <= after) return false
    if (w.time <= until && mayOverlap(w.place, place)) return true
  }
  return false
}

function within(times: readonly number[], after: number, until: number): boolean {
  for (let i = times.length - 1; i >= 0; i--) {
    const t = times[i] as number
    if (t <= after) return false
    if (t <= until) return true
  }
  return false
}

/** Two places of one root overlap unless they part at a member or at constant indices. */
function mayOverlap(a: Place, b: Place): boolean {
  if (a.root.kind === 'view' || a.root.kind === 'pointer') return true
  const n = Math.min(a.steps.length, b.steps.length)
  for (let i = 0; i < n; i++) {
    const x = a.steps[i] as Step
    const y = b.steps[i] as Step
    if (x.kind === 'member' && y.kind === 'member') {
      if (x.name !== y.name) return false
    } else if (x.kind === 'index' && y.kind === 'index') {
      if (x.index.kind === 'const' && y.index.kind === 'const' && x.index.lanes[0] !== y.index.lanes[0]) return false
    } else return true
  }
  return true
}
