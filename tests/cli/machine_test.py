#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The output of ferry info and ferry doctor about memory on simulated OpenCL machines. Run as machine_test.py FERRY
MACHINE, in that machine's environment (ferry_opencl_machines() in cmake/FerryImplementations.cmake)."""
import json
import os
import subprocess
import sys
import unittest

FERRY = MACHINE = ""
KEYS = ("reach", "coherence", "atomics", "same_address", "migrates")
USM_ONLY = ("local", "kernel_boundary", "device", True)
COPIES = ("copy", "map", "device", False, False)
# By kind: the values of KEYS, and pointer_alignment if it is reported for imports.
MACHINES = {
    "igpu": {"host": (*USM_ONLY, False), "shared": (*USM_ONLY, False),
             "imported": ("local", "map", "device", False, False, 4096)},
    "dgpu": {"host": ("link", "kernel_boundary", "none", True, False), "shared": (*USM_ONLY, True),
             "imported": (*COPIES, 1)},
    "system": {"host": ("link", "kernel_boundary", "none", True, False), "shared": (*USM_ONLY, True),
               "imported": ("link", "concurrent", "system", True, False, 1)},
    "mali": {"host": ("local", "map", "device", False, False), "shared": None, "imported": (*COPIES, 1)},
}
# A part of each fact's source.
SOURCES = {
    "igpu": ("imported", "pointer_alignment", "Intel's rule for copy-free buffers"),
    "dgpu": ("host", "reach", "CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL=0x1, CL_DEVICE_HOST_UNIFIED_MEMORY=0"),
    "system": ("imported", "coherence", "CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL=0xF"),
    "mali": ("imported", "reach", "Ferry copies what a command uses, CL_DEVICE_HOST_UNIFIED_MEMORY=1"),
}


def ferry(*arguments, **environment):
    return subprocess.run([FERRY, *arguments], env=os.environ | environment, capture_output=True, text=True, timeout=280,
                          check=False)


class Machine(unittest.TestCase):
    def device(self, **environment):
        result = ferry("info", "--json", **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        devices = json.loads(result.stdout)["devices"]
        self.assertEqual(len(devices), 1, devices)
        return devices[0]

    def test_what_follows_from_the_answers(self):
        device = self.device(FERRY_CALIBRATION="off")
        self.assertEqual(device["kind"], "gpu")
        kinds = {kind["kind"]: kind for kind in device["memory_kinds"]}
        for name, wanted in MACHINES[MACHINE].items():
            with self.subTest(kind=name):
                kind = kinds[name]
                self.assertEqual(kind["available"], wanted is not None, kind["why_not"])
                if wanted is not None:
                    keys = (*KEYS, "pointer_alignment")[:len(wanted)]
                    self.assertEqual(tuple(kind[key]["value"] for key in keys), wanted)
        kind, fact, source = SOURCES[MACHINE]
        self.assertEqual(kinds[kind][fact]["source"], source)

    def test_what_doctor_finds(self):
        if MACHINE == "system":
            self.skipTest("for doctor it is the discrete one")
        result = ferry("doctor", "--json", "--time-limit", "100")
        # On a busy machine, the doctor waits and reports that.
        said = [line for line in result.stderr.splitlines() if "no answer for" not in line]
        self.assertEqual((result.returncode, said), (0, []), result.stdout)
        findings = json.loads(result.stdout)["findings"]
        for check in ("kernel", "transfers"):
            self.assertTrue(any(f["severity"] == "good" and (f["check"], f["subject"]) == (check, "opencl:0")
                                for f in findings), findings)


if __name__ == "__main__":
    FERRY, MACHINE = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
