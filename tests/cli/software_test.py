#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""software_test.py FERRY: a driver for graphics that computes on the processor comes after the host, unless it is named."""
import json
import os
import subprocess
import sys


def listed(backend):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("FERRY_")}
    environment.update(OCL_ICD_VENDORS="/nonexistent", FERRY_CUDA_LIBRARY="/nonexistent", FERRY_HIP_LIBRARY="/nonexistent")
    environment.pop("OCL_ICD_FILENAMES", None)
    if backend:
        environment["FERRY_BACKEND"] = backend
    run = subprocess.run([sys.argv[1], "list", "--json"], env=environment, stdout=subprocess.PIPE, check=False)
    report = json.loads(run.stdout)
    return report["default"], [device["id"] for device in report["devices"]]


for backend, default, devices in ((None, "host:0", ["host:0", "vulkan:0"]), ("auto", "host:0", ["host:0", "vulkan:0"]),
                                  ("vulkan,host", "vulkan:0", ["vulkan:0", "host:0"]), ("vulkan", "vulkan:0", ["vulkan:0"])):
    found = listed(backend)
    if found != (default, devices):
        sys.exit(f"FERRY_BACKEND={backend}: {found} where {(default, devices)} was expected")
