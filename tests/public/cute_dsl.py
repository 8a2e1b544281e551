"""Compiles examples of CUTLASS's CuTe DSL for sm_100a, which needs no GPU, and writes a recipe beside the
PTX of each: `gemmgen emu --device emu:100 NAME.json` runs it and checks its result.

    pip install nvidia-cutlass-dsl numpy
    python cute_dsl.py CUTLASS/examples/python/CuTeDSL/cute/blackwell FOLDER [NAME]

The examples ask torch for a GPU; their kernels are classes and functions that can be compiled with
tensors that are not there. The DSL encodes tensor maps on the host, so that they stand here again."""
import glob
import importlib
import json
import os
import re
import shutil
import sys
from unittest.mock import MagicMock

M, N, K = 512, 1024, 512


def tensor_map(buffer, kind, extent, box, swizzle="128B", bits=16):
    strides = [extent[0] * bits // 8]
    for length in extent[1:-1]:
        strides.append(strides[-1] * length)
    return {"buffer": buffer, "type": kind, "dims": extent, "strides": strides, "box": box,
            "swizzle": swizzle}


def zeros(count):
    """Structures of the DSL's that the kernel is given by value: a tiled MMA in its initial state."""
    return {"bytes_hex": "00" * count}


def by_map(index):
    return {"bytes_hex": "00" * 128, "patch": [{"offset": 0, "tensor_map": index}]}


def by_pointer(name, rest=b""):
    return {"bytes_hex": "00" * 8 + rest.hex(), "patch": [{"offset": 0, "buffer": name}]}


def words(*numbers):
    return b"".join(number.to_bytes(4, "little") for number in numbers)


def integers(rows, kind, seed, low=-4, high=4):
    bits = {"e4m3": 8}.get(kind, 16)
    return {"bytes": rows * K * bits // 8,
            "init": {"kind": "integers", "type": kind, "seed": seed, "low": low, "high": high}}


def product(kind, out, maps, params, grid, block, cluster=None):
    """A recipe of D = A B^T."""
    launch = {"grid": grid, "block": [block, 1, 1], "smem": 232448, "params": params}
    if cluster:
        launch["cluster"] = cluster
    d_bytes = {"f32": 4}.get(out, 2)
    return {"buffers": {"A": integers(M, kind, 1), "B": integers(N, kind, 2),
                        "D": {"bytes": M * N * d_bytes}},
            "tensor_maps": maps, "launches": [launch],
            "expect": [{"kind": "gemm", "d": "D", "m": M, "n": N, "k": K, "batch": 1,
                        "a": {"buffer": "A", "type": kind, "strides": [K, 1]},
                        "b": {"buffer": "B", "type": kind, "strides": [K, 1]},
                        "out": {"type": out, "strides": [N, 1]},
                        "alpha": 1.0, "accumulator": "f32", "tolerance": 0.0001}]}


def operands(kind, box_m, box_n, line=64, bits=16):
    return [tensor_map("A", kind, [K, M], [line, box_m], bits=bits),
            tensor_map("B", kind, [K, N], [line, box_n], bits=bits)]


# ---- What is compiled, and how it is launched


def tutorial(dsl, number, *options):
    module = importlib.import_module(f"tutorial.tutorial_gemm.fp16_gemm_{number}")

    def fake(rows, columns):
        return dsl.runtime.make_fake_compact_tensor(module.io_dtype, (rows, columns),
                                                    stride_order=(1, 0), assumed_align=32)

    dsl.cute.compile(module.host_function, fake(M, K), fake(N, K), fake(M, N), *options)


def fp16_gemm_0(dsl):
    """One CTA a tile."""
    tutorial(dsl, 0)
    return product("f16", "f16", operands("f16", 128, 256),
                   [zeros(32), by_map(0), by_map(1), by_pointer("D")],
                   [M // 128, N // 256, 1], 128)


def fp16_gemm_1(dsl):
    """A pair of CTAs a tile, with multicasts."""
    tutorial(dsl, 1)
    return product("f16", "f16", operands("f16", 128, 128),
                   [zeros(64), by_map(0), by_map(1), by_pointer("D")],
                   [M // 128, N // 256, 1], 128, [2, 1, 1])


def fp16_gemm_2(dsl):
    """Warps with roles of their own, the result stored by TMA."""
    tutorial(dsl, 2)
    maps = operands("f16", 128, 128) + [tensor_map("D", "f16", [N, M], [32, 128], "64B")]
    return product("f16", "f16", maps, [zeros(64), by_map(0), by_map(1), by_map(2)],
                   [M // 128, N // 256, 1], 192, [2, 1, 1])


def divisor(number):
    """The DSL's FastDivmodDivisor: n / number = ((n - q >> a) + q) >> b, with q = n * factor >> 32."""
    bits = (number - 1).bit_length()
    factor = ((1 << 32) * ((1 << bits) - number) // number + 1) % (1 << 32)
    shifts = bytes([min(bits, 1), max(bits - 1, 0), 0, 0])
    return {"bytes_hex": (words(number, factor) + shifts).hex()}


def fp16_gemm_3(dsl):
    """Two clusters take all tiles, one after the other, with two accumulators each."""
    clusters = 2
    tutorial(dsl, 3, clusters)
    maps = operands("f16", 128, 128) + [tensor_map("D", "f16", [N, M], [32, 128], "64B")]
    tiles = [divisor(M // 256), divisor(N // 256), divisor(1), divisor(1)]
    return product("f16", "f16", maps, [zeros(64), by_map(0), by_map(1), by_map(2)] + tiles,
                   [2, 1, clusters], 192, [2, 1, 1])


def fake_matrix(dsl, dtype, rows, columns):
    return dsl.runtime.make_fake_tensor(dtype, (rows, columns, 1), (columns, 1, rows * columns),
                                        assumed_align=32)


def dense(dsl, kind, out, *options):
    module = importlib.import_module("kernel.dense_gemm.dense_gemm")
    kernel = module.DenseGemmKernel(dsl.cutlass.Float32, *options)
    dsl.cute.compile(kernel, fake_matrix(dsl, kind, M, K), fake_matrix(dsl, kind, N, K),
                     fake_matrix(dsl, out, M, N), dsl.stream)


def dense_bf16(dsl):
    dense(dsl, dsl.cutlass.BFloat16, dsl.cutlass.BFloat16, True, (256, 128), (2, 1), True)
    maps = operands("bf16", 128, 64) + [tensor_map("D", "bf16", [N, M], [32, 128], "64B")]
    return product("bf16", "bf16", maps, [zeros(64), by_map(0), by_map(1), by_map(2)],
                   [M // 128, N // 128, 1], 128, [2, 1, 1])


def persistent_bf16(dsl):
    """Three pairs take all tiles one after the other, with two accumulators each."""
    clusters = 3
    module = importlib.import_module("kernel.dense_gemm.dense_gemm_persistent")
    kernel = module.PersistentDenseGemmKernel(dsl.cutlass.Float32, True, (256, 128), (2, 1), True)
    kind = dsl.cutlass.BFloat16
    dsl.cute.compile(kernel, fake_matrix(dsl, kind, M, K), fake_matrix(dsl, kind, N, K),
                     fake_matrix(dsl, kind, M, N), clusters, dsl.stream)
    maps = operands("bf16", 128, 64) + [tensor_map("D", "bf16", [N, M], [32, 128], "64B")]
    tiles = [divisor(M // 256), divisor(N // 128), divisor(1), divisor(1)]
    return product("bf16", "bf16", maps, [zeros(64), by_map(0), by_map(1), by_map(2)] + tiles,
                   [2, 1, clusters], 192, [2, 1, 1])


def dense_e4m3(dsl):
    dense(dsl, dsl.cutlass.Float8E4M3FN, dsl.cutlass.Float32, False, (128, 128), (1, 1), False)
    return product("e4m3", "f32", operands("e4m3", 128, 128, 128, 8),
                   [zeros(32), by_map(0), by_map(1), by_pointer("D")],
                   [M // 128, N // 128, 1], 128)


def nvfp4_pointers(dsl, types):
    space = dsl.cute.AddressSpace.gmem
    return [dsl.runtime.make_ptr(dtype, 1 << 20, space, assumed_align=32) for dtype in types]


ATOMS = K // 64  # of 128 rows and 4 scale factors each, of 512 bytes


def nvfp4_maps(box_b, box_factors_b):
    return [tensor_map("A", "e2m1", [K, M, 1], [256, 128, 1], bits=4),
            tensor_map("B", "e2m1", [K, N, 1], [256, box_b, 1], bits=4),
            tensor_map("SA", "u16", [256, ATOMS, M // 128, 1], [256, 4, 1, 1], "none"),
            tensor_map("SB", "u16", [256, ATOMS, N // 128, 1], box_factors_b, "none")]


def maps_and_extents(count):
    """Maps, each before its tensor's shape and strides, of which K alone is read."""
    params = []
    for i in range(count):
        params += [by_map(i), {"bytes_hex": words(0, K, 0).hex()}]
    return params


def nvfp4_product(dsl, maps, params, grid, block, cluster):
    """A recipe of D = A B^T of e2m1 with factors: what is computed is exact, and stands in a file."""
    write_scaled(dsl.folder)
    files = {name: {"bytes": os.path.getsize(f"{dsl.folder}/{name}.bin"),
                    "init": {"kind": "file", "file": f"{name}.bin"}}
             for name in ["A", "B", "SA", "SB"]}
    return {"buffers": {**files, "D": {"bytes": M * N * 2}}, "tensor_maps": maps,
            "launches": [{"grid": grid, "block": [block, 1, 1], "cluster": cluster,
                          "smem": 232448, "params": params}],
            "expect": [{"kind": "file", "buffer": "D", "file": "D.bin"}]}


def nvfp4_gemm_0(dsl):
    """e2m1 with a factor of e4m3 for 16 elements, one CTA a tile."""
    module = importlib.import_module("tutorial.tutorial_gemm.nvfp4_gemm_0")
    pointers = nvfp4_pointers(dsl, [module.ab_dtype] * 2 + [module.sf_dtype] * 2 + [module.c_dtype])
    dsl.cute.compile(module.Sm100BlockScaledDenseGemmKernel(), *pointers, (M, N, K, 1), dsl.stream)
    params = [zeros(12)] + maps_and_extents(4)[:-1]
    params += [zeros(12), by_pointer("D", words(M, N, 1, N, M * N, 0))]
    return nvfp4_product(dsl, nvfp4_maps(256, [256, 4, 2, 1]), params,
                         [M // 128, N // 256, 1], 128, [1, 1, 1])


def persistent_nvfp4(dsl):
    """The same in pairs, of which three take all tiles one after the other."""
    clusters = 3
    module = importlib.import_module("kernel.blockscaled_gemm.dense_blockscaled_gemm_persistent")
    pointers = nvfp4_pointers(dsl, [dsl.cutlass.Float4E2M1FN] * 2 +
                              [dsl.cutlass.Float8E4M3FN] * 2 + [dsl.cutlass.Float16])
    along_k = dsl.cute.nvgpu.OperandMajorMode.K
    layouts = (along_k, along_k, dsl.cutlass.tensor_utils.LayoutEnum.ROW_MAJOR)
    kernel = module.Sm100BlockScaledPersistentDenseGemmKernel(16, (256, 128), (2, 1))
    dsl.cute.compile(kernel, *pointers, layouts, (M, N, K, 1), clusters, dsl.stream)
    maps = nvfp4_maps(64, [256, 2, 1, 1])
    maps.append(tensor_map("D", "f16", [N, M, 1], [32, 128, 1], "64B"))
    counts = [M // 128, N // 128, 1]
    number = [{"bytes_hex": words(count).hex()} for count in counts]
    tiles = number + [divisor(M // 256), divisor(N // 128)]
    params = [zeros(12), zeros(12)] + maps_and_extents(5) + tiles + tiles
    return nvfp4_product(dsl, maps, params, [2, 1, clusters], 192, [2, 1, 1])


def write_scaled(folder):
    import numpy as np
    random = np.random.default_rng(1)
    values = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6])
    scaled = []
    for name, rows in [("A", M), ("B", N)]:
        codes = random.integers(0, 16, (rows, K)).astype(np.uint8)
        powers = random.integers(-2, 2, (rows, K // 16))
        (codes[:, ::2] | codes[:, 1::2] << 4).tofile(f"{folder}/{name}.bin")
        # [128 rows][64 of K][32 rows][4 times 32 rows][4 factors]
        factors = ((powers + 7) << 3).astype(np.uint8).reshape(rows // 128, 4, 32, K // 64, 4)
        factors.transpose(0, 3, 2, 1, 4).tofile(f"{folder}/S{name}.bin")
        scaled.append(values[codes] * np.repeat(2.0 ** powers, 16, axis=1))
    (scaled[0] @ scaled[1].T).astype(np.float16).tofile(f"{folder}/D.bin")


kernels = [fp16_gemm_0, fp16_gemm_1, fp16_gemm_2, fp16_gemm_3, dense_bf16, persistent_bf16,
           dense_e4m3, nvfp4_gemm_0, persistent_nvfp4]


# ---- Running


class Dsl:
    def __init__(self, folder):
        import cuda.bindings.driver
        import cutlass
        import cutlass.cute
        import cutlass.cute.runtime
        self.cutlass, self.cute, self.runtime = cutlass, cutlass.cute, cutlass.cute.runtime
        self.stream = cuda.bindings.driver.CUstream(0)
        self.folder = folder


def compile_one(kernel, folder):
    kept = f"{folder}/kept"
    os.makedirs(kept, exist_ok=True)
    os.environ.update(CUTE_DSL_ARCH="sm_100a", CUTE_DSL_KEEP="ptx", CUTE_DSL_DUMP_DIR=kept)
    for name in ["torch", "cutlass.torch", "cute.blackwell.tutorial.tutorial_gemm.utils"]:
        sys.modules[name] = MagicMock()
    recipe = kernel(Dsl(folder))
    name = kernel.__name__
    shutil.move(glob.glob(f"{kept}/*.ptx")[0], f"{folder}/{name}.ptx")
    with open(f"{folder}/{name}.ptx") as file:
        entry = re.search(r"\.entry (\w+)", file.read()).group(1)
    recipe["ptx"] = f"{name}.ptx"
    recipe["launches"][0]["entry"] = entry
    with open(f"{folder}/{name}.json", "w") as file:
        json.dump(recipe, file, indent=1)


def main(examples, folder, wanted=None):
    if not wanted:  # each in a process of its own: the DSL reads its environment once
        return max(os.spawnv(os.P_WAIT, sys.executable, [sys.executable, __file__, examples, folder,
                                                         kernel.__name__]) for kernel in kernels)
    sys.path.insert(0, examples)
    compile_one(next(kernel for kernel in kernels if kernel.__name__ == wanted), folder)
    print(f"{folder}/{wanted}.json")
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:4]))
