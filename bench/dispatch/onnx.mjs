// An ONNX model as bytes, as much of the format as a chain of additions needs: y = x + c + c + … .

const text = new TextEncoder()

const varint = (n) => {
  const bytes = []
  for (; n > 127; n = Math.floor(n / 128)) bytes.push((n % 128) | 128)
  return [...bytes, n]
}

/** A field of a protobuf message: a number, or a string, or the bytes of a message. */
function field(number, value) {
  if (typeof value === 'number') return [...varint(number * 8), ...varint(value)]
  const bytes = typeof value === 'string' ? [...text.encode(value)] : value
  return [...varint(number * 8 + 2), ...varint(bytes.length), ...bytes]
}

const tensorInfo = (name, elements) => {
  const shape = field(1, field(1, elements))
  const type = field(1, [...field(1, 1 /* float */), ...field(2, shape)])
  return [...field(1, name), ...field(2, type)]
}

export function chainModel(operations, elements) {
  const nodes = Array.from({ length: operations }, (_, i) => {
    const input = i === 0 ? 'x' : `t${i - 1}`
    const output = i === operations - 1 ? 'y' : `t${i}`
    return field(1, [
      ...field(1, input),
      ...field(1, 'c'),
      ...field(2, output),
      ...field(3, `add${i}`),
      ...field(4, 'Add'),
    ])
  }).flat()
  const inputs = ['x', 'c'].flatMap((name) => field(11, tensorInfo(name, elements)))
  const graph = [...nodes, ...field(2, 'chain'), ...inputs, ...field(12, tensorInfo('y', elements))]
  return Uint8Array.from([...field(1, 8), ...field(7, graph), ...field(8, [...field(1, ''), ...field(2, 17)])])
}
