#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferry compile: its output for each target, and its status. Run as compile_test.py FERRY."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

FERRY = ""
KERNEL = """#include "more.h"
__kernel void turn(__global float* data, uint n) {
    __local float part[SIZE];
    part[get_local_id(0)] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_global_id(0) < n) data[get_global_id(0)] = part[get_local_id(0) ^ 1];
}
"""


def ferry(*arguments, **environment):
    full = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_")}
    full["FERRY_CACHE_LIMIT"] = "0"
    full.update(environment)
    return subprocess.run([FERRY, "compile", *arguments], env=full, capture_output=True, text=True, timeout=300,
                          check=False)


class Compile(unittest.TestCase):
    def setUp(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "turn.cl")
        os.mkdir(os.path.join(self.folder.name, "in"))
        with open(os.path.join(self.folder.name, "in", "more.h"), "w", encoding="utf-8") as file:
            file.write("#define SIZE 256\n")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(KERNEL)

    def tearDown(self):
        self.folder.cleanup()

    def compile(self, *arguments, **environment):
        result = ferry(self.file, "-I", os.path.join(self.folder.name, "in"), "--json", *arguments, **environment)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def test_machine_code_tells_registers_and_local_memory(self):
        counted = 0
        for target in self.compile("--backend", "cuda", "--backend", "hip")["targets"]:
            if not target["available"]:
                continue
            counted += 1
            kernel = target["kernels"][0]
            self.assertEqual(kernel["name"], "turn")
            self.assertGreater(kernel["registers"], 2, target)
            self.assertLess(kernel["registers"], 64, target)
            self.assertEqual(kernel["local_bytes"], 1024, target)
        if counted == 0:
            self.skipTest("neither NVRTC nor hipRTC is here")

    def test_ptx_is_made_where_it_is_asked_for(self):
        target = self.compile("--backend", "cuda", "--arch", "compute_80", "--emit", self.folder.name)["targets"][0]
        if not target["available"]:
            self.skipTest("NVRTC is not here")
        self.assertEqual(target["arch"], "compute_80")
        self.assertEqual(target["kernels"][0]["registers"], 0)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "turn.cuda.compute_80.ptx")))

    def test_a_function_that_is_defined_nowhere_is_an_error_of_every_compiler(self):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("float mystery(float x);\n"
                       "kernel void k(global float* a) { a[get_global_id(0)] = mystery(a[0]); }\n")
        result = ferry(self.file, "--json")
        self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
        targets = [target for target in json.loads(result.stdout)["targets"] if target["available"]]
        self.assertIn("host", [target["backend"] for target in targets])
        for target in targets:
            self.assertFalse(target["ok"], target)
            self.assertIn("mystery", target["diagnostics"])

    def test_an_architecture_that_hiprtc_does_not_know_is_an_error(self):
        target = self.compile("--backend", "hip")["targets"][0]
        if not target["available"]:
            self.skipTest("hipRTC is not here")
        for arch in ("gfx1299", "gfx9zz"):
            result = ferry(self.file, "-I", os.path.join(self.folder.name, "in"), "--backend", "hip", "--arch", arch)
            self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
            self.assertIn(f"hipRTC does not know the architecture '{arch}'", result.stdout)

    def test_text_form_shows_them(self):
        result = ferry(self.file, "-I", os.path.join(self.folder.name, "in"), "--backend", "host")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("kernel turn(float* data, uint n)", result.stdout)
        self.assertNotIn("registers", result.stdout)

    def test_kernels_for_launches_with_an_offset(self):
        for target in self.compile("--global-offsets", "--emit", self.folder.name)["targets"]:
            if target["backend"] == "opencl":
                continue
            [kernel] = target["kernels"]
            self.assertEqual(len(kernel["arguments"]), 2, target)
            stem = f"turn.{target['backend']}.{target['arch']}.cpp"
            with open(os.path.join(self.folder.name, stem), encoding="utf-8") as file:
                self.assertIn("FY_OFFSETS 1" if target["backend"] == "host" else "fy_origin", file.read())

    def test_a_text_for_opencl_only_goes_to_no_other_compiler(self):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("#pragma vendor_hint 3\nkernel void k(global int* a) { a[get_global_id(0)] = 1; }\n")
        plain = ferry(self.file, "--json")
        self.assertEqual(plain.returncode, 2, plain.stdout + plain.stderr)
        for target in json.loads(plain.stdout)["targets"]:
            self.assertFalse(target["ok"], target)
            self.assertIn(f"{self.file}:1:1: error: the pragma 'vendor_hint 3' is not known", target["diagnostics"])
        marked = ferry(self.file, "--json", "--opencl-only")
        targets = json.loads(marked.stdout)["targets"]
        self.assertEqual({target["backend"] for target in targets}, {"opencl"} if targets else set())
        self.assertTrue(all(target["ok"] for target in targets), targets)
        for arguments, message in ((["--backend", "host"], "asked for host"),
                                   (["--target=check"], "exempts the text"), (["--target=spirv"], "exempts the text")):
            refused = ferry(self.file, "--opencl-only", *arguments)
            self.assertEqual(refused.returncode, 2, refused.stdout + refused.stderr)
            self.assertIn("opencl_only", refused.stderr)
            self.assertIn(message, refused.stderr)

    def test_missing_compiler_is_no_failure(self):
        result = ferry(self.file, "-I", os.path.join(self.folder.name, "in"), "--backend", "cuda",
                       FERRY_NVRTC_LIBRARY="/nowhere/libnvrtc.so")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertIn("no compiler", result.stdout)
        self.assertIn("/nowhere/libnvrtc.so", result.stdout)

    def test_error_has_the_file_line_and_column(self):
        result = ferry(self.file, "--backend", "host")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"{self.file}:1:10: ", result.stdout)
        self.assertIn("more.h", result.stdout)

    def refused(self, message, *arguments, **environment):
        result = ferry(self.file, "-I", os.path.join(self.folder.name, "in"), *arguments, **environment)
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertEqual(result.stdout, "")
        self.assertIn(message, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_what_is_no_request_is_said_once(self):
        self.refused("'-foo'", "--options=-foo")
        self.refused("'-foo'", "--options=-foo", "--backend", "host")
        self.refused("--arch 'no such thing'", "--backend", "opencl", "--arch", "no such thing")
        self.refused('"metal" is not a backend', "--backend", "opencl", FERRY_BACKEND="metal")
        self.refused(f"The folder '{self.file}/out' cannot be made: Not a directory", "--emit", self.file + "/out")
        result = ferry(self.folder.name)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, f"'{self.folder.name}' cannot be read: Is a directory\n")

    def spirv(self, text, *arguments):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)
        return ferry(self.file, "--target=spirv", "--emit", self.folder.name, "-I",
                     os.path.join(self.folder.name, "in"), *arguments)

    def test_spirv_is_written_with_every_kernel(self):
        result = self.spirv(KERNEL, "--json")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        answer = json.loads(result.stdout)
        self.assertEqual([kernel["name"] for kernel in answer["kernels"]], ["turn"])
        self.assertEqual(answer["file"], os.path.join(self.folder.name, "turn.spv"))
        with open(answer["file"], "rb") as file:
            words = file.read()
        self.assertEqual(len(words), answer["bytes"])
        self.assertEqual(words[:8].hex(), "0302230700000100")
        self.assertIn(b"turn\0", words)

    def test_spirv_leaves_out_a_kernel_with_images_and_names_its_line(self):
        image = "kernel void blur(read_only image2d_t in) {\n}\n"
        result = self.spirv(KERNEL + image)
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"{self.file}:8:", result.stdout)
        self.assertIn("error: the kernel 'blur' is left out: images and samplers are not emitted as SPIR-V",
                      result.stdout)
        self.assertIn("turn.spv: ", result.stdout)
        self.assertIn(" bytes, 1 kernel\n", result.stdout)
        self.assertTrue(os.path.exists(os.path.join(self.folder.name, "turn.spv")))

    def test_spirv_of_a_text_with_an_error_is_not_written(self):
        result = self.spirv("kernel void k() { return 1 }\n")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"{self.file}:1:", result.stdout)
        self.assertFalse(os.path.exists(os.path.join(self.folder.name, "turn.spv")))

    def test_a_compiler_that_ends_the_process_costs_its_answer_alone(self):
        compiler = os.path.join(self.folder.name, "c++")
        with open(compiler, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nkill -SEGV $PPID\n")
        os.chmod(compiler, 0o755)
        result = ferry(self.file, "-I", os.path.join(self.folder.name, "in"), "--backend", "host", "--json",
                       FERRY_HOST_COMPILER=compiler)
        self.assertEqual(result.returncode, 2)
        [target] = json.loads(result.stdout)["targets"]
        self.assertEqual((target["backend"], target["ok"]), ("host", False))
        self.assertIn("ended by signal", target["diagnostics"])


if __name__ == "__main__":
    FERRY = sys.argv.pop(1)
    unittest.main()
