"""Measures PyTorch on the contests of bench/gpu: a child process of bench/gpu/peers/torch.ts.

One JSON object a line, on standard input and output. The first line that is printed says what runs here, or why nothing
does. Then each request has an answer: `open` (a contest: inputs are filled by the formula of bench/gpu/values.ts), `run`
(once, eagerly), `time` (milliseconds of one of `count` runs: a CUDA graph between two events, so that no launch is waited
for; buffers rotate), `read` (elements of a result of the last run), `close`.
"""

import json
import math
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    print(json.dumps({"failed": f"python3 has no PyTorch ({error})"}), flush=True)
    sys.exit()
if not torch.cuda.is_available():
    print(json.dumps({"failed": f"PyTorch {torch.__version__} finds no CUDA device"}), flush=True)
    sys.exit()

torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False
DEVICE = torch.device("cuda")
LOW32 = 0xFFFFFFFF
SIGN = 0x80000000
CHUNK = 2**25
TYPES = {"f32": torch.float32, "f16": torch.float16}
# autograd runs on the stream of the forward pass, which no graph captures
EAGER = {"attention-backward", "layernorm-backward", "rmsnorm-backward"}
# results are i32; other words are u32 in the order of i32
INTEGERS = {"matmul-int8"}


def scramble(x):
    x = x ^ (x >> 16)
    x = (x * 0x7FEB352D) & LOW32
    x = x ^ (x >> 15)
    x = (x * 0x846CA68B) & LOW32
    return x ^ (x >> 16)


def elements(spec, first, count):
    """`valueAt` of values.ts for a range of positions."""
    at = torch.arange(first, first + count, dtype=torch.int64, device=DEVICE)
    bits = scramble((spec["seed"] * 0x9E3779B9 + at) & LOW32)
    scale = spec.get("scale", 1)
    if spec["type"] == "u32":
        most = spec.get("most", 0)
        return bits % most if most else bits - SIGN
    if spec["type"] == "f16":
        return (((bits >> 21).float() / 1024 - 1) * scale).half()
    return ((bits >> 8).float() / 8388608 - 1) * scale


def filled(spec, dims):
    dtype = TYPES.get(spec["type"])
    if dtype is None:  # targets are indices; other words are sorted, as i32 in the order of u32
        dtype = torch.int64 if spec.get("most") else torch.int32
    n = spec["length"]
    x = torch.empty(n, dtype=dtype, device=DEVICE)
    for first in range(0, n, CHUNK):
        count = min(CHUNK, n - first)
        values = elements(spec, first, count)
        x[first : first + count] = values.to(dtype)
    return x.reshape(dims)


def with_gradient(names, forward, gradients, of):
    """Runs the backward pass alone: the forward pass is done once, while the buffers are made."""

    def build(t, spec):
        with torch.enable_grad():
            leaves = [t[name].requires_grad_() for name in names]
            y = forward(t, spec)

        def run():
            found = torch.autograd.grad(y, leaves, t[of], retain_graph=True)
            return dict(zip(gradients, found))

        return run

    return build


def simple(compute, output="y"):
    return lambda t, spec: lambda: {output: compute(t, spec)}


def flag(spec, name):
    return name in spec.get("flags", [])


def eps(spec):
    return spec["shape"].get("eps", 1e-5)


def matmul(t, spec):
    a = t["a"].mT if flag(spec, "transposeA") else t["a"]
    b = t["b"].mT if flag(spec, "transposeB") else t["b"]
    return torch.matmul(a, b)


def matmul_int8(t, spec):
    """Words come with their highest bit flipped, see `elements`."""
    a, b = ((t[name] ^ -SIGN).view(torch.int8) for name in "ab")
    b = b.mT if flag(spec, "transposeB") else b
    return lambda: {"c": torch._int_mm(a, b)}


def attention(t, spec):
    queries, keys = t["q"].shape[2], t["k"].shape[2]
    causal = flag(spec, "causal") and queries > 1
    if causal and queries != keys:
        raise ValueError("its causal mask begins at the first key")
    grouped = t["q"].shape[1] != t["k"].shape[1]
    return F.scaled_dot_product_attention(t["q"], t["k"], t["v"], is_causal=causal, enable_gqa=grouped)


def layer_norm(t, spec):
    bias = t.get("bias")
    if bias is None:
        bias = torch.zeros_like(t["weight"]).requires_grad_()
        t["bias"] = bias
    return F.layer_norm(t["x"], t["x"].shape[-1:], t["weight"], bias, eps(spec))


def rms_norm(t, spec):
    return F.rms_norm(t["x"], t["x"].shape[-1:], t["weight"], eps(spec))


def layer_norm_backward(t, spec):
    if t.get("bias") is None:
        t["bias"] = torch.zeros_like(t["weight"])
    return with_gradient(["x", "weight", "bias"], layer_norm, ["dx", "dweight", "dbias"], "dy")(t, spec)


def cross_entropy(t, spec):
    return F.cross_entropy(t["x"], t["target"], reduction="none")


def cross_entropy_backward(t, spec):
    """What autograd runs: the gradient of the loss at log-probabilities that the forward pass has kept."""
    log_p = t["x"] - t["lse"][:, None]
    ones, zero = torch.ones_like(t["lse"]), torch.zeros((), device=DEVICE)

    def run():
        upstream = torch.ops.aten.nll_loss_backward(ones, log_p, t["target"], None, 0, -100, zero)
        return {"dx": torch.ops.aten._log_softmax_backward_data(upstream, log_p, 1, log_p.dtype)}

    return run


def sort_pairs(t, spec):
    def run():
        keys, order = torch.sort(t["keys"], stable=True)
        return {"sortedKeys": keys, "sortedValues": t["values"][order]}

    return run


def adamw(t, spec):
    shape = spec["shape"]
    step = torch.full((), float(shape.get("step", 1)) - 1, device=DEVICE)

    def run():
        step.fill_(float(shape.get("step", 1)))
        torch._fused_adamw_(
            [t["p"]], [t["g"]], [t["m"]], [t["v"]], [], [step],
            lr=shape.get("lr", 1e-3), beta1=shape.get("beta1", 0.9), beta2=shape.get("beta2", 0.999),
            weight_decay=shape.get("decay", 0.01), eps=shape.get("eps", 1e-8), amsgrad=False, maximize=False,
        )  # fmt: skip
        return {"p": t["p"], "m": t["m"], "v": t["v"]}

    return run


KINDS = {
    "copy": simple(lambda t, _: t["x"].clone()),
    "matmul": simple(matmul, "c"),
    "matmul-int8": matmul_int8,
    "attention": simple(attention, "out"),
    "attention-backward": with_gradient(["q", "k", "v"], attention, ["dq", "dk", "dv"], "dout"),
    "softmax": simple(lambda t, _: torch.softmax(t["x"], -1)),
    "log-softmax": simple(lambda t, _: torch.log_softmax(t["x"], -1)),
    "softmax-backward": simple(
        lambda t, _: torch.ops.aten._softmax_backward_data(t["dy"], t["y"], -1, t["y"].dtype), "dx"
    ),
    "layernorm": simple(layer_norm),
    "rmsnorm": simple(rms_norm),
    "layernorm-backward": layer_norm_backward,
    "rmsnorm-backward": with_gradient(["x", "weight"], rms_norm, ["dx", "dweight"], "dy"),
    "cross-entropy": simple(cross_entropy, "loss"),
    "cross-entropy-backward": cross_entropy_backward,
    "gelu": simple(lambda t, spec: F.gelu(t["x"], approximate="tanh" if flag(spec, "tanh") else "none")),
    "silu": simple(lambda t, _: F.silu(t["x"])),
    "exp": simple(lambda t, _: torch.exp(t["x"])),
    "add": simple(lambda t, _: t["a"] + t["b"]),
    "mul": simple(lambda t, _: t["a"] * t["b"]),
    "sum": simple(lambda t, spec: t["x"].sum(dtype=TYPES[spec["outputs"]["y"]["type"]])),
    "max": simple(lambda t, _: t["x"].max()),
    "sum-rows": simple(lambda t, _: t["x"].sum(1)),
    "sum-columns": simple(lambda t, _: t["x"].sum(0)),
    "scan": simple(lambda t, _: torch.cumsum(t["x"], 0)),
    "sort-pairs": sort_pairs,
    "adamw": adamw,
}


class Rows:
    """A contest with its sets of buffers."""

    def __init__(self, spec, turns):
        dims = spec["dims"]
        build = KINDS[spec["kind"]]
        self.eager = spec["kind"] in EAGER
        self.integers = spec["kind"] in INTEGERS
        self.runs = []
        for _ in range(turns):
            tensors = {name: filled(one, dims[name]) for name, one in spec["inputs"].items() if name in dims}
            self.runs.append(build(tensors, spec))
        self.results = [None] * turns
        self.graphs = {}
        self.next = 0
        self.last = None

    def run(self):
        self.last = self.runs[0]()
        torch.cuda.synchronize()

    def lead(self, count):
        for i in range(count):
            turn = (self.next + i) % len(self.runs)
            # as many results as sets are kept, so that no run gets memory that is still in a cache
            self.results[turn] = self.runs[turn]()

    def captured(self, count):
        key = (self.next % len(self.runs), count)
        if self.eager:
            return lambda: self.lead(count)
        if key not in self.graphs:
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self.lead(min(count, 2))
            torch.cuda.current_stream().wait_stream(stream)
            graph = torch.cuda.CUDAGraph()
            try:
                with torch.cuda.graph(graph):
                    self.lead(count)
                self.graphs[key] = graph.replay
            except RuntimeError:
                torch.cuda.synchronize()
                self.graphs[key] = lambda: self.lead(count)
        return self.graphs[key]

    def time(self, count):
        # two in a row: the first brings the device back from idling
        for _ in range(2):
            launch = self.captured(count)
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            torch.cuda.synchronize()
            begin.record()
            launch()
            end.record()
            end.synchronize()
            self.next = (self.next + count) % len(self.runs)
        return begin.elapsed_time(end)

    def read(self, name, first, count):
        x = self.last[name].detach().reshape(-1)[first : first + count]
        if x.dtype == torch.int32:
            return (x.long() & LOW32 if self.integers else x.long() + SIGN).tolist()
        return [value if math.isfinite(value) else None for value in x.double().tolist()]


def answer(request, rows):
    op, contest = request["op"], request.get("contest")
    if op == "open":
        rows[contest] = Rows(request["spec"], request["turns"])
        return {}
    if op == "close":
        rows.pop(contest, None)
        torch.cuda.empty_cache()
        return {}
    one = rows[contest]
    if op == "run":
        one.run()
        return {}
    if op == "time":
        return {"ms": one.time(request["count"])}
    return {"values": one.read(request["name"], request["first"], request["count"])}


def main():
    cuda = torch.version.cuda
    print(
        json.dumps({"label": f"PyTorch {torch.__version__.split('+')[0]} (CUDA {cuda})", "kinds": list(KINDS)}),
        flush=True,
    )
    rows = {}
    torch.set_grad_enabled(False)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            result = answer(request, rows)
        except Exception as error:  # whatever fails is a row with its reason
            result = {"failed": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps({"id": request["id"], **result}), flush=True)


main()
