// ONNX models as bytes: a graph of a few operators with fixed dimensions, as much of the format as that needs.

export type OnnxType = 'float32' | 'float16' | 'int64'
const TYPES: Readonly<Record<OnnxType, number>> = { float32: 1, float16: 10, int64: 7 }

export interface OnnxArray {
  readonly type: OnnxType
  readonly dims: readonly number[]
}

export interface Node {
  readonly op: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Whole numbers become ints; numbers that are to be floats are given as `{ float }`. */
  readonly attributes?: Readonly<Record<string, number | { readonly float: number }>>
  /** '' when left out: ONNX itself. */
  readonly domain?: 'com.microsoft'
}

export interface Model {
  readonly inputs: Readonly<Record<string, OnnxArray>>
  readonly outputs: Readonly<Record<string, OnnxArray>>
  readonly nodes: readonly Node[]
  /** Vectors of whole numbers, such as axes. */
  readonly constants?: Readonly<Record<string, readonly number[]>>
}

const text = new TextEncoder()

function varint(n: number): number[] {
  const bytes: number[] = []
  let rest = n
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}

/** A field of a protobuf message: a number, or a string, or the bytes of a message. */
function field(number: number, value: number | string | readonly number[]): number[] {
  if (typeof value === 'number') return [...varint(number * 8), ...varint(value)]
  const bytes = typeof value === 'string' ? [...text.encode(value)] : value
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes]
}

const float = (number: number, value: number): number[] => [
  ...varint(number * 8 + 5),
  ...new Uint8Array(Float32Array.of(value).buffer),
]

function valueInfo(name: string, { type, dims }: OnnxArray): number[] {
  const shape = field(
    2,
    dims.flatMap((n) => field(1, field(1, n))),
  )
  return [...field(1, name), ...field(2, field(1, [...field(1, TYPES[type]), ...shape]))]
}

function attribute(name: string, value: number | { readonly float: number }): number[] {
  const content =
    typeof value === 'number' ? [...field(3, value), ...field(20, 2)] : [...float(2, value.float), ...field(20, 1)]
  return [...field(1, name), ...content]
}

function node({ op, inputs, outputs, attributes = {}, domain }: Node): number[] {
  return [
    ...inputs.flatMap((name) => field(1, name)),
    ...outputs.flatMap((name) => field(2, name)),
    ...field(4, op),
    ...Object.entries(attributes).flatMap(([name, value]) => field(5, attribute(name, value))),
    ...(domain ? field(7, domain) : []),
  ]
}

function constant(name: string, values: readonly number[]): number[] {
  const bytes = [...new Uint8Array(BigInt64Array.from(values, BigInt).buffer)]
  return [...field(1, values.length), ...field(2, TYPES.int64), ...field(8, name), ...field(9, bytes)]
}

/** The bytes of a model in the operators of ONNX 17 and of Microsoft. */
export function modelBytes({ inputs, outputs, nodes, constants = {} }: Model): Uint8Array {
  const graph = [
    ...nodes.flatMap((one) => field(1, node(one))),
    ...field(2, 'bench'),
    ...Object.entries(constants).flatMap(([name, values]) => field(5, constant(name, values))),
    ...Object.entries(inputs).flatMap(([name, array]) => field(11, valueInfo(name, array))),
    ...Object.entries(outputs).flatMap(([name, array]) => field(12, valueInfo(name, array))),
  ]
  const versions = [
    ...field(8, [...field(1, ''), ...field(2, 17)]),
    ...field(8, [...field(1, 'com.microsoft'), ...field(2, 1)]),
  ]
  return Uint8Array.from([...field(1, 8), ...field(7, graph), ...versions])
}
