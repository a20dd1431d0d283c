import type { RecordedOp } from './backend'
import type { Range } from './bindings'
import { type BufferLike, DeviceBuffer, formOf, type ReadRange } from './buffer'
import { type ArrayType, viewAs } from './bytes'
import { count, fault, shown } from './errors'
import type { Launches } from './launches'
import { PreparedDispatch, stepOf, workOf } from './prepared'
import { quiet } from './work'

type Bytes = Uint8Array<ArrayBuffer>

/** A read of a recording; `T` is what `replay` gives for it. */
export interface Reading<out T> {
  /** Among the reads of the recording. */
  readonly index: number
  readonly decode: (bytes: Bytes) => T
}

const USE = 'await what it needs before: runtime.record((r) => { r.dispatch(step); return [r.read(y)] })'

/** Takes down what a recording will do, in order. Nothing runs. */
export class Recorder {
  readonly #launches: Launches
  readonly #ops: RecordedOp[]

  /** Use `runtime.record`. */
  constructor(launches: Launches, ops: RecordedOp[]) {
    this.#launches = launches
    this.#ops = ops
  }

  /** Runs a prepared dispatch, with the params and bindings that it has when the recording is replayed. */
  dispatch(prepared: PreparedDispatch): this {
    if (!(prepared instanceof PreparedDispatch)) {
      throw fault('bad-argument', `${shown(prepared)} was given, expected a prepared dispatch`, USE)
    }
    if (workOf(prepared) !== this.#launches.work) {
      throw fault('foreign-buffer', `'${prepared.kernel.name}' was prepared by another runtime`)
    }
    return this.#add({ kind: 'dispatch', step: stepOf(prepared) })
  }

  /** Copies all of a buffer or range to another one of the same size: whole words, and not within one buffer. */
  copy(from: BufferLike, to: BufferLike): this {
    const { range } = this.#launches.buffers
    const [source, target] = [range(from, 'the source of a copy'), range(to, 'the target of a copy')]
    checkCopy(source, target)
    return source.size > 0 ? this.#add({ kind: 'copy', from: source, to: target }) : this
  }

  /** Reads a buffer at this place, as `buffer.read` does; return the reading, and `replay` gives its value. */
  read<T>(buffer: DeviceBuffer<T>): Reading<T>
  read<T extends ArrayBufferView>(buffer: BufferLike, as: ArrayType<T>, range?: ReadRange): Reading<T>
  read(buffer: BufferLike, as?: ArrayType, range?: ReadRange): Reading<unknown> {
    const part = this.#launches.buffers.part(buffer, range)
    const form = buffer instanceof DeviceBuffer ? formOf(buffer) : null
    const decode = (bytes: Bytes): unknown => (as ? viewAs(as, bytes) : (form?.decode(bytes) ?? bytes))
    const index = this.#ops.filter(({ kind }) => kind === 'read').length
    this.#add({ kind: 'read', part })
    return { index, decode }
  }

  #add(op: RecordedOp): this {
    if (Object.isFrozen(this.#ops)) {
      throw fault('bad-argument', 'nothing can be added to a recording that was made', USE)
    }
    this.#ops.push(op)
    return this
  }
}

/** What the function of a recording returned: only readings have a value at each replay. Throws `bad-argument`. */
export function checkReadings(readings: unknown): void {
  if (Array.isArray(readings) && readings.every((reading) => typeof reading?.index === 'number')) return
  if (readings instanceof Promise) quiet(readings)
  throw fault(
    'bad-argument',
    `the function given to record returned ${shown(readings)}, expected a list of readings`,
    USE,
  )
}

function checkCopy(from: Range, to: Range): void {
  const [source, target] = [`'${from.memory.label}'`, `'${to.memory.label}'`]
  if (from.size !== to.size) {
    throw fault(
      'buffer-data',
      `${source} has ${count(from.size)} bytes and ${target} ${count(to.size)}: a copy is of as many`,
    )
  }
  if (from.offset % 4 !== 0 || to.offset % 4 !== 0 || from.bound % 4 !== 0 || from.bound !== to.bound) {
    throw fault('buffer-data', `the copy from ${source} to ${target} is not of whole words (4 bytes)`)
  }
  if (from.memory === to.memory) {
    throw fault('binding-overlap', `${source} would be copied within itself`, 'WebGPU copies between two buffers only')
  }
}
