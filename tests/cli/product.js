// What the generated matmul module is asked to do, in Node and in a browser alike: plain JavaScript, given the module's
// exports and a device. Small whole numbers, whose products are exact in f32.

const value = (i, step) => ((i * step) % 13) - 6

export async function product(matmul, device, languageFeatures, [m, n, k]) {
  const a = Float32Array.from({ length: m * k }, (_, i) => value(i, 7))
  const b = Float32Array.from({ length: k * n }, (_, i) => value(i, 5))
  const kernel = await matmul.create(device, { languageFeatures })
  const [STORAGE, COPY_SRC, COPY_DST, MAP_READ] = [128, 4, 8, 1]
  const storage = (data) => {
    const buffer = device.createBuffer({ size: data.byteLength, usage: STORAGE | COPY_SRC | COPY_DST })
    device.queue.writeBuffer(buffer, 0, data)
    return buffer
  }
  const c = storage(new Float32Array(m * n).fill(-1))
  const bound = kernel.bind({ a: storage(a), b: { buffer: storage(b) }, c })
  const encoder = device.createCommandEncoder()
  bound.dispatch(encoder, { m, n, k })
  bound.dispatch(encoder, { m: 0, n, k })
  const staging = device.createBuffer({ size: m * n * 4, usage: MAP_READ | COPY_DST })
  encoder.copyBufferToBuffer(c, 0, staging, 0, m * n * 4)
  device.queue.submit([encoder.finish()])
  await staging.mapAsync(1)
  const got = new Float32Array(staging.getMappedRange().slice(0))
  let wrong = 0
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0
      for (let l = 0; l < k; l++) sum += a[i * k + l] * b[l * n + j]
      if (got[i * n + j] !== sum) wrong++
    }
  }
  return { variant: kernel.variant, elements: got.length, wrong }
}
