#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tool's output with vendor libraries that give absurd results, print, exit, or lose a device. Run as absurd_test.py
FERRY HIP_DOUBLE CUDA_ABSURD HIP_FORWARD [OPENCL_ABSURD]. HIP_FORWARD forwards to HIP_DOUBLE and gives absurd results itself
(tests/inject)."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

FERRY = HIP = CUDA = FORWARD = OPENCL = ""
INT_MAX = str(2**31 - 1)
INT_MIN = str(2**32 - 2**31)
MINUS_ONE = str(2**32 - 1)
SIZE_MAX = str(2**64 - 1)


def ferry(*arguments, **environment):
    full = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_") or k == "FERRY_CACHE_DIR"}
    # The library follows FERRY_DOUBLE_ABSURD, so verdicts of earlier processes do not apply.
    full.update({"FERRY_CALIBRATION": "off", "FERRY_PROBE": "off"}, **environment)
    return subprocess.run([FERRY, *arguments], env=full, capture_output=True, text=True, timeout=600, check=False)


class Absurd(unittest.TestCase):
    def backend(self, name, variable, library, said):
        """The report of that backend. Checks that the host's report is complete."""
        result = ferry("list", "--json", FERRY_BACKEND=f"{name},host", FERRY_DOUBLE_ABSURD=said, **{variable: library})
        self.assertEqual(result.returncode, 0, (said, result.stderr))
        document = json.loads(result.stdout)
        self.assertEqual([d["id"] for d in document["devices"] if d["backend"] == "host"], ["host:0"])
        [report] = [b for b in document["backends"] if b["name"] == name]
        return report

    def test_answers_of_a_driver_beyond_all_limits_are_named_with_call_and_value(self):
        for said, call, value in (
                (f"version:{INT_MAX}", "cuDriverGetVersion", "2147483"),
                (f"count:{INT_MAX}", "cuDeviceGetCount", INT_MAX), (f"count:{MINUS_ONE}", "cuDeviceGetCount", "-1 devices"),
                ("count:1000000", "cuDeviceGetCount", "1000000 devices"),
                (f"memory:{SIZE_MAX}", "cuDeviceTotalMem_v2", SIZE_MAX), ("memory:0", "cuDeviceTotalMem_v2", "0 bytes"),
                ("attribute:0", "cuDeviceGetAttribute", "0 work-items"),
                (f"attribute:{INT_MAX}", "cuDeviceGetAttribute", INT_MAX),
                (f"attribute:{INT_MIN}", "cuDeviceGetAttribute", "-2147483648"),
                (f"capability:{INT_MAX}", "cuDeviceGetAttribute", INT_MAX)):
            report = self.backend("cuda", "FERRY_CUDA_LIBRARY", CUDA, said)
            self.assertFalse(report["available"], said)
            reasons = "\n".join(report["reasons"])
            self.assertIn(call, reasons, said)
            self.assertIn(value, reasons, said)

    def test_answers_of_hip_beyond_all_limits_are_named_with_call_and_value(self):
        zero, minus_one, largest = 1, 2, 3  # kinds of ferry_inject_answer()
        for symbol, kind, call, value in (
                ("hipGetDeviceCount", largest, "hipGetDeviceCount", INT_MAX),
                ("hipGetDeviceCount", minus_one, "hipGetDeviceCount", "-1 devices"),
                ("hipRuntimeGetVersion", largest, "hipRuntimeGetVersion", "214"),
                ("hipDeviceTotalMem", minus_one, "hipDeviceTotalMem", SIZE_MAX),
                ("hipDeviceTotalMem", zero, "hipDeviceTotalMem", "0 bytes"),
                ("hipDeviceGetAttribute", zero, "hipDeviceGetAttribute", "0 work-items"),
                ("hipDeviceGetAttribute", largest, "hipDeviceGetAttribute", INT_MAX),
                ("hipDeviceGetAttribute", minus_one, "hipDeviceGetAttribute", "-1 ")):
            result = ferry("list", "--json", FERRY_BACKEND="hip,host", FERRY_HIP_LIBRARY=FORWARD, FERRY_HIPRTC_LIBRARY=FORWARD,
                           FERRY_INJECT_REAL=HIP, FERRY_INJECT_ANSWER=f"{symbol}:{kind}")
            self.assertEqual(result.returncode, 0, (symbol, kind, result.stderr))
            document = json.loads(result.stdout)
            self.assertEqual([d["id"] for d in document["devices"]], ["host:0"], (symbol, kind))
            [report] = [b for b in document["backends"] if b["name"] == "hip"]
            reasons = "\n".join(report["reasons"])
            self.assertIn(call, reasons, (symbol, kind))
            self.assertIn(value, reasons, (symbol, kind))

    def test_answers_of_opencl_beyond_all_limits_are_named_with_call_and_value(self):
        if not OPENCL:
            self.skipTest("there is no OpenCL loader")
        if not self.backend("opencl", "FERRY_OPENCL_LIBRARY", OPENCL, "")["available"]:
            self.skipTest("there is no OpenCL device")
        for said, call, value in (
                (f"platforms:{INT_MAX}", "clGetPlatformIDs", INT_MAX), (f"devices:{INT_MAX}", "clGetDeviceIDs", INT_MAX),
                (f"memory:{SIZE_MAX}", "CL_DEVICE_GLOBAL_MEM_SIZE", SIZE_MAX),
                ("memory:0", "CL_DEVICE_GLOBAL_MEM_SIZE", "0 bytes"),
                ("allocation:0", "CL_DEVICE_MAX_MEM_ALLOC_SIZE", "0 bytes"),
                ("group:0", "CL_DEVICE_MAX_WORK_GROUP_SIZE", "0 work-items"),
                (f"group:{SIZE_MAX}", "CL_DEVICE_MAX_WORK_GROUP_SIZE", SIZE_MAX),
                ("items:0", "CL_DEVICE_MAX_WORK_ITEM_SIZES", "0 work-items"),
                (f"text:{SIZE_MAX}", "clGetDeviceInfo", SIZE_MAX)):
            report = self.backend("opencl", "FERRY_OPENCL_LIBRARY", OPENCL, said)
            self.assertFalse(report["available"], said)
            reasons = "\n".join(report["reasons"])
            self.assertIn(call, reasons, said)
            self.assertIn(value, reasons, said)

    def findings(self, **environment):
        return json.loads(ferry("doctor", "--json", "--time-limit", "100", **environment).stdout)["findings"]

    def test_objects_and_memory_that_are_none_are_errors(self):
        for said, call in (("allocation:0", "cuMemAlloc_v2"), ("allocation:0x10000000003", "cuMemAlloc_v2"),
                           ("host:0", "cuMemHostAlloc"), ("host:12345", "cuMemHostAlloc"), ("stream:0", "cuStreamCreate"),
                           ("event:0", "cuEventCreate"), ("context:0", "cuDevicePrimaryCtxRetain")):
            with tempfile.TemporaryDirectory() as folder:  # a trace makes events
                found = self.findings(FERRY_BACKEND="cuda", FERRY_CUDA_LIBRARY=CUDA, FERRY_DOUBLE_ABSURD=said,
                                      FERRY_TRACE=os.path.join(folder, "trace.json"))
            self.assertTrue([f for f in found if f["severity"] == "problem" and f"{call} returned success and" in f["what"]],
                            (said, found))
            self.assertFalse([f for f in found if f["check"] == "examination"], (said, found))

    def test_objects_and_memory_that_are_none_are_errors_of_opencl(self):
        if not OPENCL or not self.backend("opencl", "FERRY_OPENCL_LIBRARY", OPENCL, "")["available"]:
            self.skipTest("there is no OpenCL device")
        for said, call in (("buffer:0", "clCreateBuffer"), ("queue:0", "clCreateCommandQueueWithProperties")):
            found = self.findings(FERRY_BACKEND="opencl", FERRY_OPENCL_LIBRARY=OPENCL, FERRY_DOUBLE_ABSURD=said)
            self.assertTrue([f for f in found if f"{call} returned success and no object" in f["what"]], (said, found))
            self.assertFalse([f for f in found if f["check"] == "examination"], (said, found))

    def test_texts_without_an_end_and_errors_without_a_name(self):
        report = ferry("info", "cuda:0", "--json", FERRY_BACKEND="cuda", FERRY_CUDA_LIBRARY=CUDA, FERRY_DOUBLE_ABSURD="name:endless")
        [device] = json.loads(report.stdout)["devices"]
        self.assertEqual(set(device["name"]), {"A"})
        self.assertLess(len(device["name"]), 256)
        report = self.backend("cuda", "FERRY_CUDA_LIBRARY", CUDA, "count:0,counted:7,error:null")
        self.assertIn("cuDeviceGetCount returned 7", "\n".join(report["reasons"]))

    def test_what_a_driver_prints_is_not_in_the_output(self):
        for command in (("list", "--json"), ("info", "--json"), ("info", "cuda:0", "--json"), ("doctor", "--json"),
                        ("bench", "--json", "--quick", "--filter", "none.of"), ("list",), ("info",)):
            result = ferry(*command, FERRY_BACKEND="cuda", FERRY_CUDA_LIBRARY=CUDA, FERRY_DOUBLE_ABSURD="print:1")
            self.assertNotIn("a driver's word", result.stdout, command)
            if "--json" in command and "bench" not in command:
                json.loads(result.stdout)
            if command[0] != "doctor":
                self.assertIn("a driver's word", result.stderr, command)

    def test_a_driver_that_exits_is_told_and_is_no_success(self):
        for command in ("list", "info"):
            result = ferry(command, FERRY_BACKEND="cuda,host", FERRY_CUDA_LIBRARY=CUDA, FERRY_DOUBLE_ABSURD="exit:0")
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("a library ended the process with exit()", result.stderr)

    def test_a_device_that_cannot_be_asked_costs_its_own_lines_and_no_other_device_or_backend(self):
        # As for a lost device: capabilities() throws.
        wrong = {"FERRY_BACKEND": "hip,host", "FERRY_HIP_LIBRARY": HIP, "FERRY_DOUBLE_DEVICES": "2",
                 "FERRY_CALIBRATION": "sometimes"}
        for arguments, devices in (((), ["hip:0", "hip:1", "host:0"]), (("hip:1",), ["hip:1"])):
            result = ferry("info", *arguments, "--json", **wrong)
            self.assertEqual(result.returncode, 2)
            document = json.loads(result.stdout)
            self.assertEqual([d["id"] for d in document["devices"]], devices)
            for device in document["devices"]:
                self.assertIn("sometimes", device["problem"])
            self.assertEqual([b["name"] for b in document["backends"]], ["cuda", "hip", "opencl", "vulkan", "host"])
            result = ferry("info", *arguments, **wrong)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(len(re.findall(r"\n  problem +[^\n]*sometimes", result.stdout)), len(devices))
        result = ferry("bench", "--json", "--quick", "--filter", "launch", **wrong | {"FERRY_CALIBRATION": "off",
                       "FERRY_DOUBLE_FAIL": "hipStreamCreateWithFlags:719"})
        self.assertEqual(result.returncode, 2)
        failures = json.loads(result.stdout)["failures"]
        self.assertEqual([f["device"] for f in failures], ["hip:0", "hip:1"])
        self.assertIn("719", failures[0]["reason"])

    def test_the_state_of_the_process_outlives_a_driver_that_changes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = os.path.join(folder, "plots")
            result = ferry("bench", "placement", "--quick", "--plot", trace, FERRY_BACKEND="host,cuda",
                           FERRY_CUDA_LIBRARY=CUDA, FERRY_DOUBLE_ABSURD="state:1")
            self.assertIn("host:0", result.stdout)
            self.assertTrue(os.access(trace, os.R_OK | os.W_OK | os.X_OK), "the file mode mask is another")

    def test_a_pipe_is_no_library_and_nobody_waits_for_it(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = os.path.join(folder, "pipe")
            os.mkfifo(pipe, 0o777)
            for name in ("CUDA", "HIP", "OPENCL"):
                report = self.backend(name.lower(), f"FERRY_{name}_LIBRARY", pipe, "")
                self.assertIn(f"{pipe}: it is a pipe, not a library", "\n".join(report["reasons"]))
            for name in ("FERRY_HOST_COMPILER", "FERRY_TOOL", "FERRY_CACHE_DIR", "FERRY_NVRTC_LIBRARY",
                         "FERRY_HIPRTC_LIBRARY"):
                result = ferry("info", FERRY_BACKEND="cuda,hip,host", FERRY_CUDA_LIBRARY=CUDA, FERRY_HIP_LIBRARY=HIP,
                               **{name: pipe})
                self.assertIn("\nhost", result.stdout, name)

    def test_an_output_that_cannot_be_written_is_no_success(self):
        with open("/dev/full", "wb") as full:
            result = subprocess.run([FERRY, "list"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=600, check=False,
                                    env=dict(os.environ, FERRY_BACKEND="host"))
        self.assertEqual(result.returncode, 2)
        self.assertIn("No space left on device", result.stderr)


if __name__ == "__main__":
    FERRY, HIP, CUDA, FORWARD = sys.argv[1:5]
    if len(sys.argv) > 5 and not sys.argv[5].startswith("-"):
        OPENCL = sys.argv.pop(5)
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
