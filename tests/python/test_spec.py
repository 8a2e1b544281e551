"""generate(), explain() and layout()."""

import os
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

import gemmgen

SPEC = {
    "arch": "sm_80",
    "a": {"type": "bf16", "major": "k"},
    "b": "bf16",
    "d": "f32",
    "tile": [128, 128, 64],
    "stages": 3,
}
SOURCE = Path(os.environ["GEMMGEN_SOURCE"])


class Specs(unittest.TestCase):
    def test_a_mapping_a_text_and_a_path(self):
        text = (
            "arch: sm_80\na: {type: bf16, major: k}\nb: bf16\nd: f32\ntile: [128, 128,"
            " 64]\nstages: 3\n"
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "mine.yaml"
            path.write_text(text)
            kernels = [gemmgen.generate(spec)[0] for spec in (SPEC, text, path, str(path))]
        self.assertEqual(len({kernel.entry for kernel in kernels}), 1)
        kernel = kernels[0]
        self.assertEqual((kernel.family, kernel.arch), ("sm80", "sm_80"))
        self.assertIn(f"{kernel.entry}(", kernel.text)
        self.assertTrue(kernel.text.endswith("\n"))
        self.assertIn(kernel.entry, repr(kernel))

    def test_explain(self):
        (kernel,) = gemmgen.generate(SPEC)
        self.assertEqual(kernel.explain(), gemmgen.explain(SPEC))
        self.assertIn("bank conflicts", kernel.explain())
        self.assertEqual(kernel.facts()["kernel"]["family"], "sm80")

    def test_a_sweep(self):
        kernels = gemmgen.generate(
            {key: value for key, value in SPEC.items() if key != "stages"}
            | {"sweep": {"stages": [2, 3]}}
        )
        self.assertEqual(len(kernels), 2)
        self.assertNotEqual(kernels[0].entry, kernels[1].entry)

    def test_a_shipped_spec_outlives_its_file(self):
        (kernel,) = gemmgen.generate(SOURCE / "specs/sm90/14_pingpong.yaml")
        self.assertEqual(kernel.arch, "sm_90a")
        self.assertIn("take whole tiles in turns", kernel.explain())

    def test_errors(self):
        with self.assertRaises(gemmgen.Error) as caught:
            gemmgen.generate("arch: sm_80\na: bf17\nb: bf16\nd: f32\n")
        error = caught.exception
        self.assertEqual(
            (error.name, error.stage, error.file, error.line, error.column, error.path),
            ("SPEC_CHOICE", "spec", "<spec>", 2, 4, "a"),
        )
        self.assertIn("    2 | a: bf17\n", str(error))
        self.assertIn("did you mean 'bf16'", error.message)
        with self.assertRaisesRegex(gemmgen.Error, "cannot read '/nowhere.yaml'"):
            gemmgen.generate("/nowhere.yaml")
        with self.assertRaisesRegex(gemmgen.Error, "stages fit"):
            gemmgen.explain({**SPEC, "stages": 40})
        with self.assertRaisesRegex(
            TypeError, "a spec is a path, a text of YAML or a mapping, not int"
        ):
            gemmgen.generate(7)


class Layouts(unittest.TestCase):
    def test_values(self):
        for expression, value in (
            ("composition((6,2):(8,2), (4,3):(3,1))", "((2,2),3):((24,2),8)"),
            ("local_tile((8,8):(1,8), (4,4), (0,1))", "32 o (4,4):(1,8)"),
            ("(4,8):(8,1)(2,3)", "19"),
        ):
            self.assertEqual(str(gemmgen.layout(expression)), value)
        self.assertEqual(str(gemmgen.layout("(_4,8):(_8,1)", cute=True)), "(_4,8):(_8,1)")
        self.assertEqual(gemmgen.layout("4:1"), gemmgen.layout("4:1"))
        self.assertIn("# 4:1", repr(gemmgen.layout("4:1")))

    def test_drawings(self):
        for layout in (
            gemmgen.layout("Sw<3,3,3> o 0 o (8,64):(64,1)", bits=16),
            gemmgen.layout("SM80_16x8x16_F32F16F16F32_TN"),
            gemmgen.layout("(4,8):(8,1)", compact=True),
            gemmgen.layout("((4,8),2):((16,1),8)", tile="(8,8)"),
        ):
            svg = xml.etree.ElementTree.fromstring(layout._repr_svg_())
            self.assertTrue(svg.tag.endswith("svg"))
        self.assertIn(" 9 ", gemmgen.layout("(4,8):(8,1)").table)
        number = gemmgen.layout("size((4,8):(8,1))")
        self.assertEqual(str(number), "32")
        self.assertIsNone(number._repr_svg_())
        with self.assertRaises(gemmgen.Error):
            number.svg

    def test_errors(self):
        with self.assertRaises(gemmgen.Error) as caught:
            gemmgen.layout("(4,8):(8,1")
        self.assertEqual((caught.exception.name, caught.exception.column), ("LAYOUT_SYNTAX", 11))
        with self.assertRaisesRegex(TypeError, "an expression is a str, not int"):
            gemmgen.layout(4)


if __name__ == "__main__":
    unittest.main()
