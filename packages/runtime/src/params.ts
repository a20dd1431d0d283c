import type { Code, ParamField, ParamsLayout } from '@weft/codegen'
import { fault, quoted, shown } from './errors'
import { toHalf } from './half'
import { flatten, type Scalar, setScalar, shapeOf } from './lanes'

/** A field taken apart: where each scalar of its value goes. */
export interface Field extends ParamField {
  readonly scalar: Scalar
  readonly lanes: readonly number[]
}

const INTEGER: Partial<Record<Scalar, readonly [number, number]>> = {
  i32: [-(2 ** 31), 2 ** 31 - 1],
  u32: [0, 2 ** 32 - 1],
}

/** Checks that a scalar type holds `value` and gives it as a number. Throws `code`, naming the value as `what`. */
export function scalarOf(value: unknown, scalar: Scalar, what: string, code: Code): number {
  if (scalar === 'bool') {
    if (value === true || value === 1) return 1
    if (value === false || value === 0) return 0
    throw fault(code, `${what} is ${shown(value)}, expected a bool`)
  }
  if (typeof value !== 'number') throw fault(code, `${what} is ${shown(value)}, expected a number (${scalar})`)
  const range = INTEGER[scalar]
  if (range) {
    if (Number.isInteger(value) && value >= range[0] && value <= range[1]) return value
    throw fault(code, `${what} is ${value}, expected a whole number from ${range[0]} to ${range[1]} (${scalar})`)
  }
  if (Number.isNaN(value)) throw fault(code, `${what} is NaN, expected a number (${scalar})`)
  const overflows = scalar === 'f16' ? (toHalf(value) & 0x7fff) === 0x7c00 : !Number.isFinite(Math.fround(value))
  if (overflows && Number.isFinite(value)) throw fault(code, `${what} is ${value}, which ${scalar} cannot hold`)
  return value
}

export function fieldOf(field: ParamField): Field {
  const array = /^array<(.+), (\d+)>$/.exec(field.type)
  const shape = shapeOf(array?.[1] ?? field.type)
  if (!shape)
    throw fault('bad-param', `the param '${field.name}' has type ${field.type}, which the runtime does not know`)
  const length = Number(array?.[2] ?? 1)
  const stride = field.size / length // uniform arrays are padded, so the stride is the layout's to say
  const lanes = Array.from({ length }, (_, i) => shape.offsets.map((at) => field.offset + i * stride + at)).flat()
  return { ...field, scalar: shape.scalar, lanes }
}

/** Packs the params of one kernel into bytes as its shader reads them. */
export class Packer {
  readonly names: ReadonlySet<string>
  readonly #fields: readonly Field[]
  readonly #size: number
  readonly #byName: ReadonlyMap<string, Field>
  readonly #scratch: Uint8Array
  readonly #view: DataView

  constructor(
    readonly kernel: string,
    layout: ParamsLayout | null,
  ) {
    this.#fields = (layout?.fields ?? []).map(fieldOf)
    this.#size = layout?.size ?? 0
    this.#byName = new Map(this.#fields.map((field) => [field.name, field]))
    this.names = new Set(this.#byName.keys())
    this.#scratch = new Uint8Array(this.#size)
    this.#view = new DataView(this.#scratch.buffer)
  }

  /**
   * The block for `values`, which may hold other names too. Scalars are numbers (bools for `bool`), everything else a
   * list of its lanes, nested or flat. Throws `bad-param` for what is missing or does not fit its type: NaN, a
   * fraction, a negative number or one of 2³² and more for a u32.
   */
  pack(values: Readonly<Record<string, unknown>>): Uint8Array {
    const bytes = new Uint8Array(this.#size)
    const view = new DataView(bytes.buffer)
    for (const field of this.#fields) this.#write(view, field, values[field.name])
    return bytes
  }

  /**
   * A block with some values in place of those of another; it is this packer's own and holds until the next call.
   * Throws as `pack` does.
   */
  patched(block: Uint8Array, values: Readonly<Record<string, unknown>>): Uint8Array {
    this.#scratch.set(block)
    for (const name in values) {
      const field = this.#byName.get(name)
      if (field) this.#write(this.#view, field, values[name])
    }
    return this.#scratch
  }

  #write(view: DataView, field: Field, value: unknown): void {
    const { name, type, scalar, lanes } = field
    const what = `'${this.kernel}': the param '${name}'`
    if (value === undefined) {
      throw fault('bad-param', `${what} (${type}) is missing`, `the kernel's params are ${quoted(this.names)}`)
    }
    if (lanes.length === 1 && typeof value === 'number') {
      setScalar(view, lanes[0] as number, scalar, scalarOf(value, scalar, what, 'bad-param'))
      return
    }
    const given = flatten(value)
    if (given.length !== lanes.length) {
      throw fault(
        'bad-param',
        `${what} has ${given.length} number${given.length === 1 ? '' : 's'}, expected ${lanes.length} (${type})`,
      )
    }
    lanes.forEach((at, i) => {
      const lane = lanes.length === 1 ? what : `${what}, number ${i}`
      setScalar(view, at, scalar, scalarOf(given[i], scalar, lane, 'bad-param'))
    })
  }
}
