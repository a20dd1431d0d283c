"""Values of llama.cpp's blocks by another implementation: the package `gguf` of the llama.cpp project.

python -m venv v && v/bin/pip install gguf==0.19.0 && v/bin/python scripts/goldens-blocks.py > tests/kernels/goldens/blocks.json

For each format: two blocks of random bits with finite scales, in hexadecimal, and their values; and for the formats that the package
quantizes, 64 values and the blocks that it makes of them. Floats are f32 in base64, little-endian.
"""

import base64
import json

import numpy as np
from gguf.constants import GGML_QUANT_SIZES, GGMLQuantizationType as Type
from gguf.quants import dequantize, quantize

HALVES = {"Q4_0": [0], "Q5_0": [0], "Q8_0": [0], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208]}
rng = np.random.default_rng(1)


def floats(x):
    return base64.b64encode(np.asarray(x, "<f4").tobytes()).decode()


goldens = {}
for name, halves in HALVES.items():
    kind = Type[name]
    size, count = GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (2, count), dtype=np.uint8)
    for at in halves:
        scales = rng.uniform(-0.1, 0.1, 2).astype("<f2")
        blocks[:, at : at + 2] = scales.view(np.uint8).reshape(2, 2)
    entry = {"blocks": blocks.tobytes().hex(), "values": floats(dequantize(blocks, kind).ravel())}
    if size == 32:  # the package does not quantize to blocks of 256
        x = rng.normal(size=(1, 64)).astype(np.float32)
        entry |= {"from": floats(x.ravel()), "made": quantize(x, kind).tobytes().hex()}
    goldens[name.lower()] = entry
print(json.dumps(goldens, indent=1))
