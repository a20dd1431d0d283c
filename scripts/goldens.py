#!/usr/bin/env python3
"""Goldens of the kernel library, made by PyTorch.

    python3 scripts/goldens.py --out tests/kernels/goldens

writes goldens.json, an index of the cases, and goldens.bin, their arrays one after the other (little-endian, at multiples
of 8 bytes). Inputs are rounded to f32 or f16 first, everything after that is float64, so that a result is what exact
arithmetic gives for exactly these inputs. Each case has a generator of its own, seeded by its name: a case that is added
changes no other. tests/kernels/goldens.test.ts reads the set.

Needs torch >= 2.4 and nothing else; no GPU.
"""

import argparse
import itertools
import json
import math
import pathlib
import struct
import zlib

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
torch.set_num_threads(1)

FORMATS = {"f64": "d", "f32": "f", "f16": "e", "i32": "i", "u32": "I", "i8": "b", "u8": "B"}
HALVES = (False, True)


class Goldens:
    """The cases, and the bytes of their arrays."""

    def __init__(self):
        self.cases = []
        self.bytes = bytearray()

    def put(self, tensor, dtype):
        tensor = tensor.detach()
        self.bytes += bytes(-len(self.bytes) % 8)
        values = tensor.flatten().tolist()
        if dtype[0] in "iu":
            values = [int(value) for value in values]
        at = len(self.bytes)
        self.bytes += struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values)
        return {"dtype": dtype, "shape": list(tensor.shape), "at": at}

    def write(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "goldens.bin").write_bytes(self.bytes)
        lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in self.cases)
        head = json.dumps({"torch": torch.__version__, "bytes": len(self.bytes)})[:-1]
        (folder / "goldens.json").write_text(f'{head}, "cases": [\n{lines}\n]}}\n', encoding="utf8")


class Case:
    """One call of one operation: what goes in, and what PyTorch says comes out."""

    def __init__(self, goldens, op, title, half=False, **attrs):
        self.goldens = goldens
        self.half = half
        self.dtype = "f16" if half else "f32"
        name = f"{op} {title}{' f16' if half else ''}".strip()
        if any(case["name"] == name for case in goldens.cases):
            raise ValueError(f"two cases are called {name}")
        self.generator = torch.Generator().manual_seed(zlib.crc32(name.encode()))
        self.entry = {"name": name, "op": op, "type": self.dtype, "attrs": attrs, "in": {}, "out": {}}
        goldens.cases.append(self.entry)

    def given(self, name, tensor, dtype=None):
        """Takes an input, rounded to how it is stored; gives it back in float64."""
        dtype = dtype or self.dtype
        if dtype in ("f32", "f16"):
            tensor = tensor.to(torch.float16 if dtype == "f16" else torch.float32).to(torch.float64)
        self.entry["in"][name] = self.goldens.put(tensor, dtype)
        return tensor

    def normal(self, name, *shape, scale=1.0, dtype=None):
        return self.given(name, scale * torch.randn(shape, generator=self.generator), dtype)

    def uniform(self, name, *shape, lo=-1.0, hi=1.0, dtype=None):
        return self.given(name, lo + (hi - lo) * torch.rand(shape, generator=self.generator), dtype)

    def integers(self, name, *shape, limit, dtype="u32"):
        return self.given(name, torch.randint(limit, shape, generator=self.generator), dtype)

    def result(self, dtype="f64", **tensors):
        for name, tensor in tensors.items():
            self.entry["out"][name] = self.goldens.put(tensor, dtype)

    def gradients(self, out, upstream, **inputs):
        """The gradients of `out` by the inputs, of the gradient `upstream`, as results d<name>."""
        found = torch.autograd.grad(out, list(inputs.values()), upstream)
        self.result(**{f"d{name}": gradient for name, gradient in zip(inputs, found)})


def tracked(*tensors):
    return tuple(tensor.requires_grad_() for tensor in tensors)


def products(goldens):
    for m, n, k, ta, tb, half in [
        (1, 1, 1, False, False, False),
        (17, 5, 33, False, False, False),
        (13, 31, 70, True, False, False),
        (4, 66, 19, False, True, False),
        (7, 9, 11, True, True, False),
        (1, 67, 129, False, True, True),
        (33, 18, 47, False, False, True),
    ]:
        title = f"{m}x{n}x{k}{' a turned' if ta else ''}{' b turned' if tb else ''}"
        case = Case(goldens, "matmul", title, half, m=m, n=n, k=k, transposeA=ta, transposeB=tb)
        a, b, dc = (
            case.normal("a", *((k, m) if ta else (m, k))),
            case.normal("b", *((n, k) if tb else (k, n))),
            case.normal("dc", m, n),
        )
        tracked(a, b)
        c = (a.T if ta else a) @ (b.T if tb else b)
        case.result(c=c)
        case.gradients(c, dc, a=a, b=b)

    activations = {
        "none": lambda x: x,
        "relu": torch.relu,
        "gelu": lambda x: F.gelu(x, approximate="tanh"),
        "silu": F.silu,
    }
    for (name, activate), half in itertools.product(activations.items(), HALVES):
        batch, m, n, k = 3, 5, 18, 37
        case = Case(goldens, "matmul_epilogue", name, half, m=m, n=n, k=k, batch=batch, alpha=0.5, activation=name)
        a, b = case.normal("a", batch, m, k), case.normal("b", batch, k, n)
        bias, residual = case.normal("bias", n), case.normal("residual", batch, m, n)
        case.result(c=activate(0.5 * torch.bmm(a, b) + bias) + residual)


def attention_options(batch, heads, queries, keys, option, case):
    """The mask that PyTorch takes, True or 0 for what is seen."""
    position = torch.arange(queries)[:, None] + keys - queries
    key = torch.arange(keys)[None, :]
    seen = torch.ones(queries, keys, dtype=torch.bool)
    if option in ("causal", "window"):
        seen = key <= position
    if option == "window":
        seen = seen & (key > position - 5)
    if option == "mask":
        seen = torch.rand((batch, heads, queries, keys), generator=case.generator) < 0.6
        seen[..., 0] = True  # PyTorch gives NaN for a row that sees nothing
        case.given("mask", seen.to(torch.int64), "u32")
    if option == "bias":
        bias = case.normal("bias", batch, heads, queries, keys, dtype="f32")
        return bias
    return torch.zeros(seen.shape).masked_fill(~seen, -math.inf)


def attention(goldens):
    for batch, heads, kv_heads, queries, keys, size, option, half in [
        (1, 2, 2, 7, 7, 64, "causal", False),
        (2, 4, 2, 5, 19, 64, "causal", False),
        (1, 4, 1, 1, 33, 64, "all", False),
        (1, 2, 1, 6, 17, 40, "all", False),
        (1, 2, 2, 9, 23, 32, "window", False),
        (1, 2, 1, 5, 11, 80, "mask", False),
        (1, 2, 2, 4, 13, 48, "bias", False),
        (1, 2, 1, 3, 9, 72, "softcap", False),
        (1, 2, 1, 6, 18, 64, "causal", True),
        (1, 2, 2, 5, 14, 96, "all", True),
    ]:
        title = f"{option} {batch}x{heads}/{kv_heads}x{queries}x{keys}x{size}"
        attrs = {"batch": batch, "heads": heads, "kvHeads": kv_heads, "queries": queries, "keys": keys, "headSize": size}
        if option == "causal":
            attrs["causal"] = True
        if option == "window":
            attrs |= {"causal": True, "window": 5}
        if option == "softcap":
            attrs["softCap"] = 2.5
        case = Case(goldens, "attention", title, half, **attrs)
        q = case.normal("q", batch, heads, queries, size)
        k, v = case.normal("k", batch, kv_heads, keys, size), case.normal("v", batch, kv_heads, keys, size)
        dout = case.normal("dout", batch, heads, queries, size)
        mask = attention_options(batch, heads, queries, keys, option, case)
        tracked(q, k, v)
        wide_k, wide_v = (x.repeat_interleave(heads // kv_heads, dim=1) for x in (k, v))
        scores = q @ wide_k.transpose(-1, -2) / math.sqrt(size)
        if option == "softcap":
            scores = 2.5 * torch.tanh(scores / 2.5)
            out = torch.softmax(scores, -1) @ wide_v
        else:
            scores = scores + mask
            out = F.scaled_dot_product_attention(q, wide_k, wide_v, attn_mask=mask)
        case.result(out=out, lse=torch.logsumexp(scores, -1))
        case.gradients(out, dout, q=q, k=k, v=v)


def norms(goldens):
    for (rows, cols), half in itertools.product([(3, 67), (2, 257), (5, 1)], HALVES):
        for op in ("layernorm", "rmsnorm"):
            case = Case(goldens, op, f"{rows}x{cols}", half, rows=rows, cols=cols, eps=1e-5)
            x, weight = case.normal("x", rows, cols), case.normal("weight", cols)
            dy = case.normal("dy", rows, cols)
            tracked(x, weight)
            if op == "layernorm":
                (bias,) = tracked(case.normal("bias", cols))
                y = F.layer_norm(x, (cols,), weight, bias, 1e-5)
                case.gradients(y, dy, x=x, weight=weight, bias=bias)
            else:
                y = F.rms_norm(x, (cols,), weight, 1e-5)
                case.gradients(y, dy, x=x, weight=weight)
            case.result(y=y)
    for (items, channels, places, groups), half in itertools.product([(2, 6, 5, 3), (1, 4, 90, 1), (3, 3, 4, 3)], HALVES):
        attrs = {"items": items, "channels": channels, "places": places, "groups": groups, "eps": 1e-5}
        case = Case(goldens, "groupnorm", f"{items}x{channels}x{places} by {groups}", half, **attrs)
        x, weight = case.normal("x", items, channels, places), case.normal("weight", channels)
        bias, dy = case.normal("bias", channels), case.normal("dy", items, channels, places)
        tracked(x, weight, bias)
        y = F.group_norm(x, groups, weight, bias, 1e-5)
        case.result(y=y)
        case.gradients(y, dy, x=x, weight=weight, bias=bias)


def rows(goldens):
    for op, (count, cols), half in itertools.product(("softmax", "log_softmax"), [(3, 67), (2, 300)], HALVES):
        case = Case(goldens, op, f"{count}x{cols}", half, rows=count, cols=cols)
        x, dy = case.normal("x", count, cols, scale=4.0), case.normal("dy", count, cols)
        tracked(x)
        y = F.softmax(x, -1) if op == "softmax" else F.log_softmax(x, -1)
        case.result(y=y)
        case.gradients(y, dy, x=x)
    for (count, cols), half in itertools.product([(5, 67), (3, 1031)], HALVES):
        case = Case(goldens, "cross_entropy", f"{count}x{cols}", half, rows=count, cols=cols, scale=1 / count)
        x = case.normal("x", count, cols, scale=4.0)
        target = torch.randint(cols, (count,), generator=case.generator)
        target[1] = -1  # left out; 4,294,967,295 as u32
        case.given("target", torch.where(target < 0, 2**32 - 1, target), "u32")
        tracked(x)
        loss = F.cross_entropy(x, target, ignore_index=-1, reduction="none")
        case.result(loss=loss, lse=torch.logsumexp(x, -1))
        case.gradients(loss.sum() / count, None, x=x)
    for half in HALVES:
        case = Case(goldens, "mean_squared_error", "301", half, n=301)
        x, y = case.normal("x", 301), case.normal("y", 301)
        case.result(out=F.mse_loss(x, y).reshape(1))


def elementwise(goldens):
    ops = {
        "tanh": torch.tanh,
        "sigmoid": torch.sigmoid,
        "relu": torch.relu,
        "gelu": lambda x: F.gelu(x, approximate="tanh"),
        "gelu_erf": F.gelu,
        "silu": F.silu,
        "softplus": F.softplus,
        "hardsigmoid": F.hardsigmoid,
        "hardswish": F.hardswish,
        "erf": torch.erf,
        "exp": torch.exp,
        "exp2": torch.exp2,
        "sin": torch.sin,
        "cos": torch.cos,
        "round": torch.round,
        "floor": torch.floor,
        "leaky_relu": lambda x: F.leaky_relu(x, 0.125),
        "elu": lambda x: F.elu(x, 0.75),
        "clamp": lambda x: torch.clamp(x, -0.5, 1.25),
    }
    params = {"leaky_relu": {"slope": 0.125}, "elu": {"alpha": 0.75}, "clamp": {"low": -0.5, "high": 1.25}}
    differentiable = {"tanh", "sigmoid", "relu", "gelu", "gelu_erf", "silu", "softplus"}
    for (name, function), half in itertools.product(ops.items(), HALVES):
        case = Case(goldens, "elementwise", name, half, name=name, params=params.get(name, {}))
        x = case.uniform("x", 131, lo=-3.0, hi=3.0)
        if name in differentiable:
            dy = case.uniform("dy", 131)
            tracked(x)
        y = function(x)
        case.result(y=y)
        if name in differentiable:
            case.gradients(y, dy, x=x)
    for (name, function), half in itertools.product({"log": torch.log, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt}.items(), HALVES):
        case = Case(goldens, "elementwise", name, half, name=name, params={})
        case.result(y=function(case.uniform("x", 67, lo=0.125, hi=9.0)))

    # a sequence of -5 .. 5 with fractions by a sequence of both signs: every pair of signs, and quotients that are whole
    case = Case(goldens, "elementwise", "floor_div", name="floor_div", params={})
    x = case.given("x", torch.arange(-20, 21).repeat_interleave(4) / 4.0)
    y = case.given("divisor", torch.tensor([-2.0, -0.75, 0.5, 3.0]).repeat(41))
    case.result(y=torch.floor_divide(x, y))

    gates = {"swiglu": F.silu, "geglu": lambda x: F.gelu(x, approximate="tanh"), "reglu": torch.relu}
    for (name, function), half in itertools.product(gates.items(), HALVES):
        case = Case(goldens, "gated", name, half, name=name)
        x, y, dz = (case.uniform(name, 97, lo=-3.0, hi=3.0) for name in ("x", "y", "dz"))
        tracked(x, y)
        z = function(x) * y
        case.result(z=z)
        case.gradients(z, dz, x=x, y=y)


def rope(goldens):
    def half_form(x, cos, sin):
        a, b = x.chunk(2, dim=-1)
        turned = torch.cat((-b, a), dim=-1)
        return x * torch.cat((cos, cos), -1) + turned * torch.cat((sin, sin), -1)

    def interleaved_form(x, cos, sin):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2).contiguous())
        return torch.view_as_real(pairs * torch.complex(cos, sin)).flatten(-2)

    for outer, tokens, inner, size, rotary, past, interleaved, half in [
        (2, 5, 1, 16, 16, 0, False, False),
        (1, 3, 2, 24, 12, 7, True, False),
        (1, 2, 3, 64, 64, 2000, False, False),
        (1, 3, 1, 32, 32, 131_069, True, False),
        (2, 3, 2, 16, 16, 5, False, True),
        (1, 4, 1, 20, 8, 131_000, True, True),
    ]:
        attrs = {"outer": outer, "tokens": tokens, "inner": inner, "headSize": size, "rotary": rotary, "past": past}
        title = f"{outer}x{tokens}x{inner}x{size} {rotary} from {past}{' interleaved' if interleaved else ''}"
        case = Case(goldens, "rope", title, half, interleaved=interleaved, **attrs)
        x, dout = case.normal("x", outer, tokens, inner, size), case.normal("dout", outer, tokens, inner, size)
        tracked(x)
        frequencies = 10_000.0 ** (-torch.arange(0, rotary, 2) / rotary)
        angles = torch.outer(torch.arange(past, past + tokens).to(torch.float64), frequencies)
        cos, sin = (f(angles).reshape(1, tokens, 1, -1) for f in (torch.cos, torch.sin))
        turned = (interleaved_form if interleaved else half_form)(x[..., :rotary], cos, sin)
        out = torch.cat((turned, x[..., rotary:]), -1)
        case.result(out=out)
        case.gradients(out, dout, x=x)


def optimizers(goldens):
    n, steps = 37, 5
    for (lr, beta1, beta2, eps, decay), half in itertools.product(
        [(1e-3, 0.9, 0.999, 1e-8, 0.01), (0.1, 0.8, 0.95, 1e-6, 0.0)], HALVES
    ):
        attrs = {"n": n, "steps": steps, "lr": lr, "beta1": beta1, "beta2": beta2, "eps": eps, "decay": decay}
        case = Case(goldens, "adamw", f"lr {lr} decay {decay}", half, **attrs)
        p, g = case.normal("p", n).clone().requires_grad_(), case.normal("g", steps, n)
        optimizer = torch.optim.AdamW([p], lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=decay, foreach=False)
        trail = []
        for step in range(steps):
            p.grad = g[step].clone()
            optimizer.step()
            trail.append(p.detach().clone())
        state = optimizer.state[p]
        case.result(p=torch.stack(trail), m=state["exp_avg"], v=state["exp_avg_sq"])
    for (momentum, decay, nesterov), half in itertools.product([(0.0, 0.0, False), (0.9, 0.01, False), (0.9, 0.0, True)], HALVES):
        attrs = {"n": n, "steps": steps, "lr": 0.05, "momentum": momentum, "decay": decay, "nesterov": nesterov}
        title = f"momentum {momentum} decay {decay}{' nesterov' if nesterov else ''}"
        case = Case(goldens, "sgd", title, half, **attrs)
        p, g = case.normal("p", n).clone().requires_grad_(), case.normal("g", steps, n)
        optimizer = torch.optim.SGD(
            [p], lr=0.05, momentum=momentum, weight_decay=decay, nesterov=nesterov, foreach=False
        )
        trail = []
        for step in range(steps):
            p.grad = g[step].clone()
            optimizer.step()
            trail.append(p.detach().clone())
        case.result(p=torch.stack(trail))
    for most, half in itertools.product((0.5, 100.0), HALVES):
        case = Case(goldens, "clip_by_norm", f"to {most}", half, n=n, most=most)
        g = case.normal("g", n).clone()
        holder = torch.nn.Parameter(torch.zeros(n))
        holder.grad = g.clone()
        torch.nn.utils.clip_grad_norm_([holder], most)
        case.result(g=holder.grad, squares=(g * g).sum().reshape(1))


def convolutions(goldens):
    for items, channels, size, outs, kernel, stride, pad, dilation, groups, half in [
        (2, 3, (9, 7), 4, (3, 3), (1, 1), (1, 1), (1, 1), 1, False),
        (1, 4, (11, 8), 6, (3, 2), (2, 1), (0, 2), (1, 2), 2, False),
        (1, 5, (8, 8), 5, (3, 3), (2, 2), (1, 1), (1, 1), 5, False),
        (1, 7, (5, 6), 3, (1, 1), (1, 1), (0, 0), (1, 1), 1, False),
        (1, 6, (7, 9), 4, (3, 3), (1, 2), (1, 0), (2, 1), 2, True),
    ]:
        attrs = {
            "items": items, "channels": channels, "size": size, "outs": outs, "filter": kernel,
            "stride": stride, "pad": pad, "dilation": dilation, "groups": groups,
        }
        title = f"{channels} to {outs} of {size[0]}x{size[1]} by {kernel[0]}x{kernel[1]} in {groups}"
        case = Case(goldens, "conv2d", title, half, **attrs)
        x = case.normal("x", items, channels, *size)
        weight, bias = case.normal("weight", outs, channels // groups, *kernel), case.normal("bias", outs)
        case.result(y=F.conv2d(x, weight, bias, stride, pad, dilation, groups))

        out_pad = (stride[0] - 1, 0)
        case = Case(goldens, "conv_transpose2d", title, half, outPad=out_pad, **attrs)
        x = case.normal("x", items, channels, *size)
        grouped = outs // groups
        weight, bias = case.normal("weight", channels, grouped, *kernel), case.normal("bias", outs)
        case.result(y=F.conv_transpose2d(x, weight, bias, stride, pad, out_pad, groups, dilation))
    for half in HALVES:
        case = Case(
            goldens, "conv1d", "6 to 4 of 23 by 5", half,
            items=2, channels=6, length=23, outs=4, filter=5, stride=2, pad=3, dilation=2, groups=2,
        )
        x, weight, bias = case.normal("x", 2, 6, 23), case.normal("weight", 4, 3, 5), case.normal("bias", 4)
        case.result(y=F.conv1d(x, weight, bias, 2, 3, 2, 2))


def images(goldens):
    planes, size = 6, (9, 11)
    for half in HALVES:
        window = {"filter": (3, 2), "stride": (2, 1), "pad": (1, 1)}
        case = Case(goldens, "max_pool2d", "3x2", half, planes=planes, size=size, dilation=(1, 2), **window)
        x = case.normal("x", planes, *size)
        y, index = F.max_pool2d(x[None], (3, 2), (2, 1), (1, 1), (1, 2), return_indices=True)
        case.result(y=y[0])
        case.result("i32", index=index[0])
        for with_pad in (False, True):
            title = f"3x2{' with pad' if with_pad else ''}"
            case = Case(goldens, "avg_pool2d", title, half, planes=planes, size=size, withPad=with_pad, **window)
            x = case.normal("x", planes, *size)
            case.result(y=F.avg_pool2d(x[None], (3, 2), (2, 1), (1, 1), count_include_pad=with_pad)[0])
        case = Case(goldens, "adaptive_avg_pool2d", "4x5", half, planes=planes, size=size, out=(4, 5))
        case.result(y=F.adaptive_avg_pool2d(case.normal("x", planes, *size), (4, 5)))
        case = Case(goldens, "batch_norm", "3x4x5", half, items=3, channels=4, places=5, eps=1e-5)
        x, mean = case.normal("x", 3, 4, 5), case.normal("mean", 4)
        variance = case.uniform("variance", 4, lo=0.25, hi=2.0)
        weight, bias = case.normal("weight", 4), case.normal("bias", 4)
        case.result(y=F.batch_norm(x, mean, variance, weight, bias, training=False, eps=1e-5))
        for out, corners in itertools.product([(13, 5), (9, 22)], (False, True)):
            title = f"{out[0]}x{out[1]}{' corners' if corners else ''}"
            case = Case(goldens, "upsample_bilinear", title, half, planes=planes, size=size, out=out, corners=corners)
            x = case.normal("x", planes, *size)
            case.result(y=F.interpolate(x[None], size=out, mode="bilinear", align_corners=corners)[0])
        case = Case(goldens, "upsample_nearest", "18x33", half, planes=planes, size=size, out=(18, 33))
        case.result(y=F.interpolate(case.normal("x", planes, *size)[None], size=(18, 33), mode="nearest")[0])
        case = Case(goldens, "pixel_shuffle", "2x12x3x5 by 2", half, items=2, channels=12, size=(3, 5), factor=2)
        case.result(y=F.pixel_shuffle(case.normal("x", 2, 12, 3, 5), 2))
    for mode, corners in itertools.product(("bilinear", "nearest"), (False, True)):
        attrs = {"items": 2, "channels": 3, "size": (5, 6), "out": (4, 3), "nearest": mode == "nearest", "corners": corners}
        case = Case(goldens, "grid_sample", f"{mode}{' corners' if corners else ''}", **attrs)
        x, grid = case.normal("x", 2, 3, 5, 6), case.uniform("grid", 2, 4, 3, 2, lo=-1.4, hi=1.4)
        case.result(y=F.grid_sample(x, grid, mode=mode, padding_mode="zeros", align_corners=corners))


def indexing(goldens):
    for half in HALVES:
        case = Case(goldens, "embedding", "19 of 11x7", half, size=11, count=19, inner=7)
        table, index = case.normal("table", 11, 7), case.integers("index", 19, limit=11)
        case.result(y=F.embedding(index, table))
        case = Case(goldens, "gather", "2x5x3 of 9", half, outer=2, size=9, count=5, inner=3)
        x, index = case.normal("x", 2, 9, 3), case.integers("index", 2, 5, 3, limit=9)
        case.result(y=torch.gather(x, 1, index))
    case = Case(goldens, "embedding_backward", "19 of 11x7", size=11, count=19, inner=7)
    dy, index = case.normal("dy", 19, 7), case.integers("index", 19, limit=11)
    table = torch.zeros(11, 7, requires_grad=True)
    case.gradients(F.embedding(index, table), dy, table=table)
    case = Case(goldens, "cumsum", "1033", n=1033)
    case.result(y=torch.cumsum(case.normal("x", 1033), 0))
    case = Case(goldens, "sort", "517 with ties, infinities and NaN", n=517)
    x = torch.round(4 * torch.randn(517, generator=case.generator)) / 4
    x[[3, 200]], x[[5, 400]], x[[7, 111, 300]] = math.inf, -math.inf, math.nan
    x[x == 0] = 0.0  # PyTorch takes zeros of both signs for equal
    case.given("x", x)
    sorted_x, order = torch.sort(x, stable=True)
    case.result(sorted=sorted_x)
    case.result("u32", order=order)


def reductions(goldens):
    shape = (3, 4, 5, 6)
    ops = {
        "sum": lambda x, d: x.sum(d),
        "mean": lambda x, d: x.mean(d),
        "sumSquares": lambda x, d: (x * x).sum(d),
        "min": torch.amin,
        "max": torch.amax,
        "variance": lambda x, d: torch.var(x, d, correction=0),
    }
    for (op, function), axes, half in itertools.product(ops.items(), [(3,), (1, 2), (0,)], HALVES):
        case = Case(goldens, "reduce", f"{op} over {axes}", half, reduction=op, shape=shape, axes=axes)
        case.result(out=function(case.normal("x", *shape), axes))
    for op, axis, half in itertools.product((torch.argmax, torch.argmin), (3, 1), HALVES):
        case = Case(goldens, "reduce", f"{op.__name__} over {axis}", half, reduction=op.__name__, shape=shape, axes=(axis,))
        case.result("u32", out=op(case.normal("x", *shape), dim=axis))


def quantization(goldens):
    def away_from_ties(case, name, *extents, scale, limit):
        """Numbers that no rounding of a quotient can put into another step."""
        steps = torch.randint(-limit, limit + 1, extents, generator=case.generator)
        return case.given(name, (steps + 0.8 * torch.rand(extents, generator=case.generator) - 0.4) * scale, "f32")

    case = Case(goldens, "quantize_per_tensor", "103", n=103, scale=0.0625, zeroPoint=-7, low=-128, high=127)
    x = away_from_ties(case, "x", 103, scale=0.0625, limit=140)
    q = torch.quantize_per_tensor(x.to(torch.float32), 0.0625, -7, torch.qint8)
    case.result("i8", q=q.int_repr())
    case.result(x=q.dequantize().to(torch.float64))

    for m, n, k in [(1, 9, 37), (5, 6, 64)]:
        case = Case(goldens, "linear_int8", f"{m}x{n}x{k}", m=m, n=n, k=k)
        scales = case.uniform("scales", n, lo=0.01, hi=0.05)
        weight = away_from_ties(case, "weight", n, k, scale=scales[:, None], limit=127)
        q = torch.quantize_per_channel(
            weight.to(torch.float32), scales, torch.zeros(n, dtype=torch.int64), 0, torch.qint8
        )
        case.given("q", q.int_repr(), "i8")
        x = case.normal("x", m, k)
        case.result(y=x @ (q.int_repr().to(torch.float64) * scales[:, None]).T)

    for (m, n, k, group), zeros in itertools.product([(1, 8, 96, 32), (3, 5, 128, 64), (2, 4, 70, 32)], (False, True)):
        groups = -(-k // group)
        title = f"{m}x{n}x{k} by {group}{' with zero points' if zeros else ''}"
        case = Case(goldens, "linear_int4", title, m=m, n=n, k=k, group=group, zeroPoints=zeros)
        scales = case.uniform("scales", n, groups, lo=0.02, hi=0.1)
        points = case.integers("zeros", n, groups, limit=16, dtype="u8") if zeros else torch.full((n, groups), 8)
        weight = away_from_ties(case, "weight", n, k, scale=scales.repeat_interleave(group, 1)[:, :k], limit=9)
        padded = F.pad(weight, (0, groups * group - k)).reshape(n * groups, group)
        steps, offsets = scales.reshape(-1), points.reshape(-1)
        near = torch.fake_quantize_per_channel_affine(
            padded.to(torch.float32), steps.to(torch.float32), offsets.to(torch.int32), 0, 0, 15
        )
        q = torch.round(near.to(torch.float64) / steps[:, None]) + offsets[:, None]
        q = q.reshape(n, groups * group)[:, :k]
        case.given("q", q, "u8")
        exact = (q - points.repeat_interleave(group, 1)[:, :k]) * scales.repeat_interleave(group, 1)[:, :k]
        x = case.normal("x", m, k)
        case.result(w=exact, y=x @ exact.T)


FAMILIES = (
    products, attention, norms, rows, elementwise, rope, optimizers, convolutions, images, indexing, reductions, quantization,
)


def main():
    parser = argparse.ArgumentParser(description="writes goldens.json and goldens.bin")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the folder to write to")
    goldens = Goldens()
    folder = parser.parse_args().out
    for family in FAMILIES:
        family(goldens)
    goldens.write(folder)
    print(f"{len(goldens.cases)} cases, {len(goldens.bytes)} bytes, torch {torch.__version__}")


if __name__ == "__main__":
    main()
