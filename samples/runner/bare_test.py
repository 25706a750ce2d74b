#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The runner on a machine with no OpenCL, no GPU and no C++ compiler: its table has only the host, and samples pass
there. Run as bare_test.py RUNNER OUTPUT."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

RUNNER = OUTPUT = ""
# All samples of every build, except 12_transfer_anatomy, which takes ten seconds.
SHORT = ["01_transfer", "02_async", "03_events", "04_queues", "05_pinned", "06_devices", "07_blur", "08_mandelbrot",
         "09_nbody", "10_sha256", "11_gemm", "13_zero_copy", "14_direct_access", "15_zero_copy_struct",
         "16_larger_than_memory"]


def run(*arguments):
    hidden = ("FERRY_BACKEND", "FERRY_DEVICE", "FERRY_OPENCL_LIBRARY", "FERRY_HOST_MODE")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    with tempfile.TemporaryDirectory() as empty:
        # No vendor library, and an OpenCL loader that finds no driver. Khronos' loader, which CUDA includes, may find
        # drivers anyway. In that case there is no loader.
        if os.path.exists("/proc/driver/nvidia"):
            environment["FERRY_OPENCL_LIBRARY"] = empty + "/libOpenCL.so"
        environment.update(OCL_ICD_VENDORS=empty, OCL_ICD_FILENAMES="", FERRY_HOST_COMPILER=empty + "/c++",
                           FERRY_CUDA_LIBRARY=empty + "/libcuda.so", FERRY_NVRTC_LIBRARY=empty + "/libnvrtc.so",
                           FERRY_HIP_LIBRARY=empty + "/libamdhip64.so", FERRY_HIPRTC_LIBRARY=empty + "/libhiprtc.so",
                           FERRY_VULKAN_LIBRARY=empty + "/libvulkan.so")
        return subprocess.run([RUNNER, "--output", OUTPUT, *arguments], env=environment, capture_output=True, text=True,
                              timeout=500, check=False)


class Bare(unittest.TestCase):
    def test_the_table_has_the_host_alone_and_every_sample_passes(self):
        result = run("--once", *SHORT)
        said = result.stdout + result.stderr
        self.assertEqual(result.returncode, 0, said)
        lines = result.stdout.splitlines()
        self.assertTrue(lines[0].startswith("host:0 "), said)
        head = next(i for i, line in enumerate(lines) if line.startswith("sample "))
        self.assertEqual(lines[head].split(), ["sample", "host:0"])
        rows = [line.split() for line in lines[head + 2:head + 2 + len(SHORT)]]
        self.assertEqual([row[0] for row in rows], SHORT, said)
        self.assertEqual({row[1] for row in rows}, {"PASS"}, said)
        self.assertIn(f"{len(SHORT)} of {len(SHORT)} passed", said)

    def test_a_sample_that_is_not_there_is_named(self):
        result = run("nothing_is_called_so")
        self.assertEqual(result.returncode, 2, result.stdout)
        self.assertIn("No sample is called nothing_is_called_so", result.stderr)

    def test_every_sample_is_listed_for_the_host(self):
        result = run("--list")
        self.assertEqual(result.returncode, 0, result.stderr)
        names = re.findall(r"^\d\d_\w+$", result.stdout, re.M)
        self.assertLessEqual(set(SHORT), set(names))
        self.assertEqual(re.findall(r"^\w+:\d+", result.stdout, re.M), ["host:0"])


if __name__ == "__main__":
    OUTPUT = sys.argv.pop()
    RUNNER = sys.argv.pop()
    unittest.main()
