"""gemmgen: specialised CUDA GEMM kernels, over libgemmgen.

    import gemmgen, torch

    d = gemmgen.matmul(a, b)                                     # the best of the shipped kernels
    d = gemmgen.matmul(a, b, epilogue="bias gelu", bias=bias)    # D = gelu(A * B + bias)

    plan = gemmgen.plan(a, b, out)                               # checked and prepared once
    plan()                                                       # a launch, and nothing else

    kernel, = gemmgen.generate("specs/sm90/14_pingpong.yaml")    # CUDA C++ from a YAML spec
    print(kernel.text)
    gemmgen.layout("Sw<3,3,3> o 0 o (8,64):(64,1)")              # a drawing, in a notebook

Arrays are torch's tensors, whatever speaks ``__cuda_array_interface__`` or DLPack (cupy, numba,
jax), and in host memory numpy's; what is in host memory is computed by gemmgen's emulator. Nothing
but libgemmgen is needed: torch, numpy and cupy are used where the program has them.
"""

from ._arrays import e2m1
from ._context import Device, device
from ._error import Error
from ._layout import Layout, layout
from ._library import library_path, version
from ._matmul import Plan, matmul, mlp, plan
from ._scales import Scales, pack_scales
from ._sparse import Sparse, compress, prune
from ._spec import Kernel, explain, generate

__version__ = version()
__all__ = [
    "Device",
    "Error",
    "Kernel",
    "Layout",
    "Plan",
    "Scales",
    "Sparse",
    "compress",
    "device",
    "e2m1",
    "explain",
    "generate",
    "layout",
    "library_path",
    "matmul",
    "mlp",
    "pack_scales",
    "plan",
    "prune",
    "version",
]
