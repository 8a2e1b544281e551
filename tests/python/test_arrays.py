"""DLPack capsules and array interfaces: read where they are, and given back."""

import gc
import sys
import unittest
import weakref

import gemmgen
from arrays import Array, OnDevice, Tensor, a_value, alive, b_value, product
from gemmgen import _arrays, _dlpack


class Capsules(unittest.TestCase):
    def setUp(self):
        gc.collect()
        self.assertEqual(alive, {})

    def tearDown(self):
        gc.collect()
        self.assertEqual(alive, {}, "capsules that nobody freed")

    def operands(self):
        return (
            Tensor("f16", (8, 16), a_value),
            Tensor("f16", (16, 8), b_value),
            Tensor("f32", (8, 8)),
        )

    def test_versioned_and_older(self):
        for versioned in (True, False):
            a, b, d = self.operands()
            a.versioned = b.versioned = d.versioned = versioned
            gemmgen.matmul(a, b, d)
            self.assertEqual(d.values(), product(a, b))

    def test_a_plan_keeps_them_and_lets_them_go(self):
        plan = gemmgen.plan(*self.operands())
        self.assertEqual(len(alive), 3)
        plan()
        del plan

    def test_errors_let_them_go(self):
        a, b, d = self.operands()
        for arguments in ((a, a, d), (a, b, Tensor("f32", (8, 9)))):
            with self.assertRaises(ValueError):
                gemmgen.matmul(*arguments)

    def test_a_view(self):
        a = self.operands()[0]
        before = sys.getrefcount(a)
        view = _arrays.view("a", a)
        self.assertEqual(
            (view.address, view.type.name, view.shape, view.strides, view.place),
            (a.address, "f16", (8, 16), (16, 1), _arrays.HOST),
        )
        self.assertIsNone(a.stream)
        del view
        self.assertEqual(sys.getrefcount(a), before)

    def test_no_strides_are_packed_ones(self):
        a = self.operands()[0]
        managed = _dlpack.DLManagedTensorVersioned(major=1)
        capsule = a.capsule(managed, b"dltensor_versioned")
        managed.tensor.strides = None
        self.assertEqual(_dlpack.read(capsule).strides, (16, 1))

    def test_devices_and_streams(self):
        a = self.operands()[0]
        a.device = (_dlpack.CUDA, 3)
        self.assertEqual(_arrays.view("a", a, 77).place, 3)
        self.assertEqual(a.stream, 77)
        _arrays.view("a", a)
        self.assertEqual(a.stream, 1)  # the default stream, which DLPack calls so
        a.device = (_dlpack.CUDA_HOST, 0)
        self.assertEqual(_arrays.view("a", a).place, _arrays.HOST)
        a.device = (10, 0)
        with self.assertRaisesRegex(ValueError, "a is on DLPack's device type 10"):
            _arrays.view("a", a)

    def test_what_is_read_only_is_not_written(self):
        a, b, d = self.operands()
        a.readonly = True
        gemmgen.matmul(a, b, d)
        d.readonly = True
        with self.assertRaisesRegex(ValueError, "an array that is written is read-only"):
            gemmgen.matmul(a, b, d)

    def test_refused(self):
        a = self.operands()[0]
        a.lanes = 2
        with self.assertRaisesRegex(TypeError, "code 2 of 16 bits x 2"):
            _arrays.view("a", a)
        a.lanes, a.major = 1, 2
        with self.assertRaisesRegex(BufferError, "version 2.0; 1 is known"):
            _arrays.view("a", a)
        for what in (None, object(), 7):
            with self.assertRaisesRegex(TypeError, "no capsule of a tensor"):
                _dlpack.read(what)

    def test_memory_of_the_emulator_is_freed(self):
        class Counting:
            taken = 0

        device = gemmgen.device("emu")
        alloc, free = device.alloc, device.free
        Counting.open = set()
        device.alloc = lambda count: Counting.open.add(address := alloc(count)) or address
        device.free = lambda address: Counting.open.discard(address) or free(address)
        try:
            gemmgen.matmul(*self.operands())
            plan = gemmgen.plan(*self.operands())
            self.assertEqual(len(Counting.open), 3)
            plan()
            gone = weakref.ref(plan)
            del plan
            gc.collect()
            self.assertIsNone(gone())
            self.assertEqual(Counting.open, set())
        finally:
            del device.alloc, device.free


class Interfaces(unittest.TestCase):
    def test_cuda_array_interface(self):
        x = OnDevice(Array("f16", (8, 16), a_value, (32, 1)), stream=5)
        view = _arrays.view("x", x)
        self.assertEqual(
            (view.address, view.type.name, view.strides, view.place, view.stream),
            (x.address, "f16", (32, 1), 0, 5),
        )

    def test_strides_of_half_elements(self):
        class Odd:
            __array_interface__ = {
                "shape": (4, 4),
                "typestr": "<f4",
                "data": (4096, False),
                "strides": (18, 4),
                "version": 3,
            }

        with self.assertRaisesRegex(ValueError, "x has strides of .18, 4. bytes"):
            _arrays.view("x", Odd())

    def test_other_types(self):
        class Complex:
            __array_interface__ = {
                "shape": (4, 4),
                "typestr": "<c8",
                "data": (4096, False),
                "version": 3,
            }

        with self.assertRaisesRegex(
            TypeError, "x is of <c8, which gemmgen does not multiply: f16,"
        ):
            _arrays.view("x", Complex())


if __name__ == "__main__":
    unittest.main()
