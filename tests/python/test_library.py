"""The structs and functions of _library.py are those of tests/abi/abi.txt."""

import ctypes
import os
import re
import unittest
from pathlib import Path

import gemmgen
from gemmgen import _library, _scales
from gemmgen._types import E2M1, TYPES


def listed():
    """abi.txt: of each struct its size and members, every number, the functions."""
    structs, numbers, functions, members = {}, {}, {}, None
    path = Path(os.environ["GEMMGEN_SOURCE"]) / "tests/abi/abi.txt"
    for line in path.read_text().splitlines():
        struct = re.match(r"struct (\w+) (\d+) bytes", line)
        member = re.match(r"  (\d+) (\d+) (\w+) : ", line)
        number = re.match(r"  (-?\d+) (GG_\w+)$", line)
        function = re.match(r"function .*?\b(gg_\w+)\((.*)\)$", line)
        if struct:
            members = []
            structs[struct[1]] = int(struct[2]), members
        elif member and members is not None:
            members.append((member[3], int(member[1]), int(member[2])))
        elif number:
            numbers[number[2]] = int(number[1])
        elif function:
            functions[function[1]] = 0 if function[2] == "void" else function[2].count(",") + 1
    return structs, numbers, functions


class Library(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.structs, cls.numbers, cls.functions = listed()

    def test_structs(self):
        for name, struct in _library.STRUCTS.items():
            with self.subTest(name):
                size, members = self.structs[name]
                mine = [
                    (field, getattr(struct, field).offset, getattr(struct, field).size)
                    for field, *_ in struct._fields_
                ]
                if name == "gg_kernel":  # of which the beginning is read
                    members = members[: len(mine)]
                else:
                    self.assertEqual(ctypes.sizeof(struct), size)
                self.assertEqual(mine, members)

    def test_functions(self):
        for name in (*_library._FALLIBLE, *_library._PLAIN):
            self.assertEqual(len(getattr(_library.lib, name).argtypes), self.functions[name], name)

    def test_numbers(self):
        for mine, theirs in (
            ("MAJOR_K", "GG_MAJOR_K"),
            ("MAJOR_M", "GG_MAJOR_M"),
            ("MAJOR_N", "GG_MAJOR_N"),
            ("ALONG_M", "GG_ALONG_M"),
            ("ALONG_N", "GG_ALONG_N"),
            ("ALONG_ALL", "GG_ALONG_ALL"),
            ("ALONG_ELEMENTS", "GG_ALONG_ELEMENTS"),
            ("ALONG_NONE", "GG_ALONG_NONE"),
            ("OP_LINEAR", "GG_OP_LINEAR"),
            ("OP_GATED", "GG_OP_GATED"),
            ("PROVIDER_CUDA", "GG_PROVIDER_CUDA"),
            ("PROVIDER_EMU", "GG_PROVIDER_EMU"),
            ("PROMOTE_NEVER", "GG_PROMOTE_NEVER"),
            ("OPERATIONS_MAX", "GG_OPERATIONS_MAX"),
            ("PREPARED_WORDS", "GG_PREPARED_WORDS"),
            ("GEMM_WORKSPACE", "GG_GEMM_WORKSPACE"),
            ("WORKSPACE_COUNTERS", "GG_WORKSPACE_COUNTERS"),
        ):
            self.assertEqual(getattr(_library, mine), self.numbers[theirs], mine)
        for name, type_ in (*TYPES.items(), ("e2m1", E2M1)):
            self.assertEqual(type_.number, self.numbers["GG_DTYPE_" + name])
        for name, number in _scales.TYPES.items():
            self.assertEqual(number, self.numbers["GG_DTYPE_" + name])

    def test_every_file_is_installed(self):
        source = Path(os.environ["GEMMGEN_SOURCE"]) / "python"
        there = {
            f"gemmgen/{path.name}" for path in (source / "gemmgen").iterdir() if path.is_file()
        }
        self.assertEqual(
            set(re.findall(r"'(gemmgen/[\w.]+)'", (source / "meson.build").read_text())), there
        )

    def test_version_and_path(self):
        self.assertRegex(gemmgen.__version__, r"^\d+\.\d+\.\d+")
        self.assertTrue(gemmgen.library_path())


if __name__ == "__main__":
    unittest.main()
