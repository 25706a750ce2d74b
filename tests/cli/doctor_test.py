#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ferry doctor on machines that are broken in many ways. Run as doctor_test.py FERRY HIP_DOUBLE LACKING CUDA_STUB
CUDA_SILENT FAULTY_TOOL CUDA_EMPTY NVRTC_EMPTY
CUDA_ABSURD."""
import glob
import json
import os
import re
import resource
import stat
import subprocess
import sys
import tempfile
import time
import unittest

FERRY = HIP = LACKING = STUB = SILENT = FAULTY = EMPTY = NVRTC = ABSURD = ""
NOWHERE = "/nowhere/lib.so.1"
# Enough time to measure a device on a machine that has much to do.
PATIENT = {"FERRY_CALIBRATION": "fresh", "FERRY_CALIBRATION_LIMIT": "100000"}


def doctor(*arguments, setup=None, **environment):
    full = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_") or k == "FERRY_CACHE_DIR"}
    full.update(environment)
    if "--time-limit" not in arguments:  # nothing hangs, though it may take long on a machine that has much to do
        arguments += ("--time-limit", "250")
    return subprocess.run([FERRY, "doctor", *arguments], env=full, capture_output=True, text=True, timeout=280,
                          check=False, preexec_fn=setup)


def ends(process):
    """Whether the process has ended within half a minute. It may still wait to be reaped."""
    for _ in range(300):
        try:
            with open(f"/proc/{process}/stat", encoding="utf-8") as file:
                if file.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.1)
    return False


class Doctor(unittest.TestCase):
    def examine(self, status, *arguments, setup=None, **environment):
        """The findings of a run that must end with `status`. Checks that each is complete."""
        result = doctor("--json", *arguments, setup=setup, **environment)
        # On a busy machine, it reports slow steps on standard error.
        told = [line for line in result.stderr.splitlines() if not re.fullmatch(r"ferry doctor: .* no answer for .*", line)]
        self.assertEqual((result.returncode, told), (status, []), result.stdout)
        findings = json.loads(result.stdout)["findings"]
        for finding in findings:
            self.assertEqual(set(finding), {"severity", "check", "subject", "what", "mend"})
            self.assertIn(finding["severity"], ("good", "note", "warning", "problem"))
            self.assertRegex(finding["what"], r"(?s)^\S.*\S$")
            if finding["severity"] == "good":
                self.assertIsNone(finding["mend"])
            else:
                self.assertRegex(finding["mend"] or "", r"(?s)^\S.*\S\.$", finding)
        self.assertEqual(status == 1, any(f["severity"] == "problem" for f in findings), findings)
        return findings

    def expect(self, findings, severity, check, subject, text):
        """Checks that the findings include exactly this one."""
        fitting = [f for f in findings if (f["severity"], f["check"], f["subject"]) == (severity, check, subject)
                   and text in f["what"]]
        self.assertTrue(fitting, f"no {severity} of {check} with {text!r} in {json.dumps(findings, indent=1)}")
        return fitting[0]

    def expect_mend(self, findings, backend, text, *words):
        """Checks that a problem of that backend has these words for the fault and for the remedy."""
        mend = self.expect(findings, "problem", "backend", backend, text)["mend"]
        for word in words:
            self.assertIn(word, mend)

    def hip(self, status, *arguments, **environment):
        return self.examine(status, *arguments, FERRY_BACKEND="hip", FERRY_HIP_LIBRARY=HIP, **environment)

    def test_a_device_that_works(self):
        findings = self.hip(0, **PATIENT)
        for check in ("kernel", "transfers", "memory", "staging", "compiler"):
            self.expect(findings, "good", check, "hip:0", "")
        facts = self.expect(findings, "good", "facts", "hip:0", "No declared fact about memory was found wrong")
        self.assertRegex(facts["what"], r"; [1-9]\d* facts? (was|were) measured\.$", facts)
        self.expect(findings, "good", "backend", "hip", f"It was opened: {os.path.realpath(HIP)}, HIP 6.3.")
        self.expect(findings, "good", "device", "hip:0", ", driver 6.3.42134, API 6.3.")

    def test_facts_that_were_not_measured_are_a_note(self):
        findings = self.hip(0, FERRY_CALIBRATION="off")
        note = self.expect(findings, "note", "facts", "hip:0", "No fact about memory was measured")
        self.assertIn("FERRY_CALIBRATION", note["mend"])
        self.assertFalse([f for f in findings if re.search(r"\b0 (facts? )?(was|were) measured", f["what"])], findings)

    def test_no_line_has_more_than_120_columns(self):
        """Except for lines of one word."""
        def limit():
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (64 << 10, 64 << 10))
        text = doctor(setup=limit, FERRY_BACKEND="host", FERRY_CALIBRATION="off").stdout
        self.assertIn("-> If page-locked memory is refused, raise the limit", text)  # the whole sentence is longer
        for line in text.splitlines():
            self.assertTrue(len(line) <= 120 or len(line.split()) < 2, line)

    def test_a_library_behind_a_link(self):
        with tempfile.TemporaryDirectory() as folder:
            link = os.path.join(folder, "libamdhip64.so.6")
            os.symlink(HIP, link)
            findings = self.examine(0, FERRY_BACKEND="hip", FERRY_HIP_LIBRARY=link, FERRY_CALIBRATION="off")
        self.expect(findings, "good", "backend", "hip", f"It was opened: {link} ({os.path.realpath(HIP)}), HIP 6.3.")

    def test_which_libraries_and_drivers_of_opencl(self):
        keep = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_") or k == "FERRY_CACHE_DIR"}
        settings = {"FERRY_BACKEND": "opencl", "FERRY_CALIBRATION": "off"}
        known = subprocess.run([FERRY, "list", "--json"], env=keep | settings, capture_output=True, text=True,
                               timeout=600, check=False)
        if known.returncode != 0:
            self.skipTest("no OpenCL device")
        result = doctor("--json", **settings)
        findings = json.loads(result.stdout)["findings"]
        opened = self.expect(findings, "good", "backend", "opencl", "It was opened: libOpenCL.so")["what"]
        files = re.findall(r"\((/[^)]*)\)", opened)
        self.assertTrue(files and all(os.path.isfile(file) and not os.path.islink(file) for file in files), opened)
        for device in json.loads(known.stdout)["devices"]:
            what = self.expect(findings, "good", "device", device["id"], device["name"])["what"]
            self.assertIn(f", platform {device['platform']}, driver {device['driver_version']}, API ", what)
            self.assertRegex(opened, re.escape(device["platform"]) + r" \(/[^)]*\)")

    def test_the_host(self):
        findings = self.examine(0, FERRY_BACKEND="host")
        self.expect(findings, "good", "device", "host:0", f", driver {os.uname().sysname} {os.uname().release}")
        self.expect(findings, "good", "kernel", "host:0", "known answers")
        text = doctor(FERRY_BACKEND="host")
        self.assertEqual(text.returncode, 0)
        self.assertIn("0 problems", text.stdout)

    def test_one_device(self):
        findings = self.examine(0, "host:0")
        self.assertEqual({f["subject"] for f in findings}, {"host:0"})

    def test_a_backend_that_is_wanted_and_missing(self):
        findings = self.examine(1, FERRY_BACKEND="cuda", FERRY_CUDA_LIBRARY=NOWHERE)
        self.expect_mend(findings, "cuda", NOWHERE, "FERRY_CUDA_LIBRARY", "unset it")

    def test_a_machine_without_the_vendors_library(self):
        with tempfile.TemporaryDirectory() as folder:  # of that name, and no library: the same on every machine
            for name in ("libcuda.so.1", "libcuda.so"):
                with open(os.path.join(folder, name), "w", encoding="utf-8"):
                    pass
            if os.path.exists("/usr/lib/wsl/lib/libcuda.so.1"):
                self.skipTest("this machine has a driver in /usr/lib/wsl/lib")
            findings = self.examine(1, FERRY_BACKEND="cuda", LD_LIBRARY_PATH=folder)
        self.expect_mend(findings, "cuda", "No library was found", "install NVIDIA's driver", "FERRY_CUDA_LIBRARY")

    def test_a_backend_that_nobody_wants_is_no_problem(self):
        for device in glob.glob("/sys/bus/pci/devices/*"):
            with open(device + "/class", encoding="ascii") as kind, open(device + "/vendor", encoding="ascii") as vendor:
                if kind.read()[:4] in ("0x03", "0x12") and vendor.read().strip() in ("0x10de", "0x1002"):
                    self.skipTest("this machine has a device that wants one")
        with tempfile.TemporaryDirectory() as folder:  # of that name, and no library: the same on every machine
            for name in ("libcuda.so.1", "libcuda.so"):
                with open(os.path.join(folder, name), "w", encoding="utf-8"):
                    pass
            findings = self.examine(0, LD_LIBRARY_PATH=folder, FERRY_BACKEND="auto")
        finding = self.expect(findings, "note", "backend", "cuda", "No library was found")
        self.assertIn("no such device", finding["mend"])

    def test_a_library_that_the_user_chose_and_that_does_not_open(self):
        findings = self.examine(1, FERRY_CUDA_LIBRARY=NOWHERE)
        self.expect_mend(findings, "cuda", NOWHERE, "FERRY_CUDA_LIBRARY", "unset it")

    def test_a_variable_that_nobody_reads(self):
        findings = self.examine(0, "host:0")
        self.assertFalse([f for f in findings if f["check"] == "variables"], findings)
        findings = self.examine(0, FERRY_BACKEND="host", FERRY_CALIBRATE="off", FERRY_ANSWER="42")
        finding = self.expect(findings, "warning", "variables", "machine", "FERRY_CALIBRATE")
        self.assertIn("did you mean FERRY_CALIBRATION?", finding["what"])
        self.expect(findings, "warning", "variables", "machine", "FERRY_ANSWER")

    def test_an_icd_file_that_names_a_missing_library(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "gone.icd")
            with open(path, "w", encoding="utf-8") as file:
                file.write("/nowhere/libgone.so\n")
            findings = self.examine(1, FERRY_BACKEND="opencl", OCL_ICD_VENDORS=folder, OCL_ICD_FILENAMES="")
        finding = self.expect(findings, "problem", "backend", "opencl", path)
        self.assertIn("/nowhere/libgone.so, which does not exist", finding["what"])

    def test_the_toolkits_stub(self):
        findings = self.examine(1, FERRY_BACKEND="cuda", FERRY_CUDA_LIBRARY=STUB)
        self.expect_mend(findings, "cuda", "stub", "install NVIDIA's driver", "LD_LIBRARY_PATH")

    def test_a_driver_that_refuses_every_call(self):
        findings = self.examine(1, FERRY_BACKEND="cuda", FERRY_CUDA_LIBRARY=SILENT)
        self.expect_mend(findings, "cuda", "cu", "install NVIDIA's driver")

    def test_a_library_without_the_functions(self):
        findings = self.examine(1, FERRY_BACKEND="hip", FERRY_HIP_LIBRARY=LACKING)
        self.expect_mend(findings, "hip", "hip", "too old", "install ROCm", "FERRY_HIP_LIBRARY")

    def test_no_device(self):
        findings = self.hip(1, FERRY_DOUBLE_DEVICES="0")
        self.expect_mend(findings, "hip", "finds no device", "rocminfo", "HIP_VISIBLE_DEVICES")

    def test_a_runtime_that_is_too_old(self):
        findings = self.hip(1, FERRY_DOUBLE_RUNTIME_VERSION="40421401")
        self.expect_mend(findings, "hip", "ROCm 5.0", "too old", "install ROCm")

    def test_opencl_without_a_platform(self):
        with tempfile.TemporaryDirectory() as folder:
            findings = self.examine(1, FERRY_BACKEND="opencl", OCL_ICD_VENDORS=folder, OCL_ICD_FILENAMES="")
        self.expect_mend(findings, "opencl", "", "a driver (Debian, Ubuntu")

    def test_a_host_mode_that_there_is_not(self):
        findings = self.examine(1, FERRY_BACKEND="host", FERRY_HOST_MODE="lenient")
        self.expect_mend(findings, "host", 'FERRY_HOST_MODE is "lenient"', "a valid value")

    def test_a_setting_that_takes_no_such_value(self):
        """It is named once, and the text does not blame the driver."""
        for name, check in {"FERRY_CHECK": "memory", "FERRY_WAIT": "memory", "FERRY_CALIBRATION": "facts"}.items():
            findings = self.examine(1, FERRY_BACKEND="host", **{name: "sometimes"})
            problems = [f for f in findings if f["severity"] == "problem"]
            self.assertEqual([f["check"] for f in problems], [check], problems)
            self.assertIn(f'{name} is "sometimes"', problems[0]["what"])
            self.assertIn("a valid value", problems[0]["mend"])

    def test_the_device_that_programs_get(self):
        chosen = self.examine(0, FERRY_BACKEND="host", FERRY_DEVICE="host:0")
        self.expect(chosen, "good", "choice", "machine", "host:0")
        missing = self.examine(1, FERRY_BACKEND="host", FERRY_DEVICE="host:7")
        finding = self.expect(missing, "problem", "choice", "machine", "host:7")
        self.assertTrue(finding["mend"].startswith("Set FERRY_DEVICE to a device shown by ferry list"), finding)
        self.assertFalse([f for f in self.examine(0, FERRY_BACKEND="host") if f["check"] == "choice"])

    def test_a_device_whose_backend_is_not_to_be_had(self):
        for device in ("hip:0", "0"):
            findings = self.examine(1, FERRY_BACKEND="hip", FERRY_HIP_LIBRARY=NOWHERE, FERRY_DEVICE=device)
            mend = self.expect(findings, "problem", "choice", "machine", NOWHERE)["mend"]
            self.assertTrue(mend.startswith("Set FERRY_HIP_LIBRARY to the path"), mend)
            self.assertIn("Or set FERRY_DEVICE to another device", mend)

    def test_a_kernel_that_ends_the_device(self):
        findings = self.hip(1, FERRY_DOUBLE_FAIL="kernel:mix_words:719")
        self.expect(findings, "problem", "kernel", "hip:0", "719")
        self.assertFalse([f for f in findings if f["check"] == "facts"], "the device is lost before")

    def test_copies_that_fail(self):
        findings = self.hip(1, FERRY_DOUBLE_FAIL="hipMemcpyDtoHAsync:1")
        self.expect(findings, "problem", "transfers", "hip:0", "hipMemcpyDtoHAsync")

    def test_a_kernel_whose_result_is_wrong(self):
        findings = self.hip(1, FERRY_DOUBLE_WRONG="mix_words")
        finding = self.expect(findings, "problem", "kernel", "hip:0", "A kernel computed ")
        self.assertRegex(finding["what"], r"computed \d+ instead of \d+, at item 0\.")
        self.assertIn("Do not trust results of this device", finding["mend"])
        self.expect(findings, "good", "transfers", "hip:0", "")

    def test_copies_whose_bytes_change(self):
        findings = self.hip(1, FERRY_DOUBLE_WRONG="hipMemcpyDtoHAsync")
        finding = self.expect(findings, "problem", "transfers", "hip:0", "Of 1 bytes copied to the device, within it")
        self.one_bit(finding, 0)
        self.assertIn("Do not trust results of this device", finding["mend"])

    def one_bit(self, finding, at):
        """Checks that the finding names that byte, with two values that differ in the double's bit."""
        [back, was] = re.search(rf", byte {at} came back as (\d+) instead of (\d+)\.$", finding["what"]).groups()
        self.assertEqual(int(back) ^ int(was), 0x10, finding)

    def test_every_kind_of_copy_is_looked_at(self):
        findings = self.hip(0)
        good = self.expect(findings, "good", "transfers", "hip:0", "were copied there and back and compared; ")
        staged = int(re.search(r"; (\d+) bytes went through page-locked slots\.$", good["what"]).group(1))
        self.assertGreater(staged, 2 * (24 << 20), "both ways")
        large = "Of 25165829 bytes copied to the device and back, byte "
        small = "bytes copied to the device, within it and back"
        locked = "Of 4194311 bytes copied from page-locked memory to the device and back, byte "
        for function, wrong, right in (("hipMemcpyHtoDAsync:1048579", large, small),  # pieces of staged copies
                                       ("hipMemcpyDtoHAsync:1048579", large, small),
                                       ("hipMemcpy3DAsync", "Of 11285 bytes copied as a box to the device", large),
                                       ("hipMemcpyHtoDAsync:4194304", locked, large)):
            with self.subTest(function):
                found = [f for f in self.hip(1, FERRY_DOUBLE_WRONG=function) if f["check"] == "transfers"]
                finding = self.expect(found, "problem", "transfers", "hip:0", wrong)
                self.one_bit(finding, r"\d+")
                self.assertFalse([f for f in found if right in f["what"]], found)

    def cuda_compiler(self, driver, compiler):
        """The findings about an NVRTC with a driver that computes nothing. Versions have the numbers of CUDA's API."""
        findings = self.examine(1, FERRY_BACKEND="cuda", FERRY_CUDA_LIBRARY=EMPTY, FERRY_NVRTC_LIBRARY=NVRTC,
                                FERRY_DOUBLE_CUDA_VERSION=driver, FERRY_DOUBLE_NVRTC_VERSION=compiler,
                                FERRY_CALIBRATION="off")
        return [f for f in findings if f["check"] == "compiler"]

    def test_a_compiler_that_is_newer_than_the_driver(self):
        [finding] = self.cuda_compiler("12080", "13000")
        self.assertEqual((finding["severity"], finding["subject"]), ("warning", "cuda:0"))
        self.assertRegex(finding["what"], r"NVRTC 13\.0 .* is newer than the driver, which is CUDA 12")
        self.assertEqual(finding["mend"], "Update the driver, or name an older compiler with FERRY_NVRTC_LIBRARY.")
        [finding] = self.cuda_compiler("12020", "12080")
        self.assertEqual(finding["severity"], "note")
        self.assertIn("knows CUDA 12.2: the driver accepts machine code from it, but not PTX", finding["what"])
        self.assertIn("name an older compiler", finding["mend"])
        for driver, compiler in (("12080", "12080"), ("13000", "12080"), ("12080", "12020")):
            self.assertEqual([f["severity"] for f in self.cuda_compiler(driver, compiler)], ["good"], (driver, compiler))

    def test_a_compiler_of_another_rocm(self):
        with tempfile.TemporaryDirectory() as folder:
            for major, severity in (("5", "warning"), ("6", "good")):
                link = os.path.join(folder, f"libhiprtc.so.{major}")
                os.symlink(HIP, link)
                findings = self.hip(0, FERRY_HIPRTC_LIBRARY=link, FERRY_CALIBRATION="off")
                finding = self.expect(findings, severity, "compiler", "hip:0", "hipRTC")
                if severity == "warning":
                    self.assertIn("is of HIP 5, and the runtime of HIP 6", finding["what"])
                    self.assertIn("FERRY_HIPRTC_LIBRARY", finding["mend"])

    def test_memory_that_another_process_has(self):
        findings = self.hip(0, FERRY_DOUBLE_MEMORY="4g", FERRY_DOUBLE_TAKEN="3900m", FERRY_CALIBRATION="off")
        finding = self.expect(findings, "warning", "memory", "hip:0", "196 MiB of 4.0 GiB are free")
        self.assertIn("FERRY_DEVICE", finding["mend"])
        findings = self.hip(0, FERRY_DOUBLE_MEMORY="512m", FERRY_DOUBLE_TAKEN="100m", FERRY_CALIBRATION="off")
        self.expect(findings, "good", "memory", "hip:0", "412 MiB of 512 MiB are free")

    def test_memory_that_cannot_be_page_locked(self):
        findings = self.hip(1, FERRY_DOUBLE_FAIL="hipHostMalloc:2")
        finding = self.expect(findings, "problem", "memory", "hip:0", "hipHostMalloc")
        self.assertIn("ulimit -l", finding["mend"])

    def test_page_locked_memory_that_is_refused_from_some_on(self):
        refused = {"FERRY_BACKEND": "hip", "FERRY_HIP_LIBRARY": HIP, "FERRY_CALIBRATION": "off"}
        findings = self.examine(0, FERRY_DOUBLE_FAIL="hipHostMalloc:2@4+", **refused)
        finding = self.expect(findings, "warning", "staging", "hip:0", "hipHostMalloc")
        self.assertRegex(finding["what"], r"Staging continues with 2 page-locked slots of 4 MiB.*; one more was refused")
        self.assertIn("memlock", finding["mend"])
        self.assertIn("ulimit -l", finding["mend"])
        for fault, note in (("@4+", "Staging continues with 3 page-locked slots"), ("", "left to the driver")):
            full = dict({k: v for k, v in os.environ.items() if not k.startswith("FERRY_")}, **refused,
                        FERRY_DOUBLE_FAIL="hipHostMalloc:2" + fault)
            result = subprocess.run([FERRY, "info", "hip:0"], env=full, capture_output=True, text=True, timeout=600,
                                    check=True)
            self.assertRegex(result.stdout, rf"\n  staging +[^\n]*{note}[^\n]*\n +-> Raise [^\n]*memlock")
            result = subprocess.run([FERRY, "info", "hip:0", "--json"], env=full, capture_output=True, text=True,
                                    timeout=600, check=True)
            self.assertIn(note, json.loads(result.stdout)["devices"][0]["staging"]["note"])

    def test_info_on_a_driver_that_hangs_where_page_locked_memory_is_made(self):
        full = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_") or k == "FERRY_CACHE_DIR"}
        full.update(FERRY_BACKEND="hip", FERRY_HIP_LIBRARY=HIP, FERRY_CALIBRATION="off",
                    FERRY_DOUBLE_FAIL="slow:hipHostMalloc:3600000")
        text = "Page-locked memory could not be tried: a child process gave no answer within 10 s."
        result = subprocess.run([FERRY, "info", "hip:0"], env=full, capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn(text, result.stdout)
        self.assertIn("copy slots", result.stdout)
        self.assertEqual(result.stderr, text + "\n")

    def test_a_driver_that_ends_the_process(self):
        # The double aborts. Without an earlier test of the library, the examination ends.
        findings = self.hip(1, FERRY_DOUBLE_DEVICES="many", FERRY_PROBE="off")
        self.expect(findings, "problem", "examination", "hip", "signal 6")
        findings = self.hip(1, "hip:0", FERRY_DOUBLE_DEVICES="many", FERRY_PROBE="off")
        self.expect(findings, "problem", "examination", "hip:0", "signal 6")
        findings = self.hip(1, FERRY_DOUBLE_DEVICES="many")
        self.expect(findings, "problem", "backend", "hip", "signal 6")

    def test_a_compiler_that_hangs(self):
        with tempfile.TemporaryDirectory() as folder:
            compiler = os.path.join(folder, "c++")
            with open(compiler, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho $$ >{folder}/pid\nexec sleep 300\n")
            os.chmod(compiler, 0o755)
            findings = self.hip(1, "--time-limit", "20", FERRY_DOUBLE_CXX=compiler, FERRY_CACHE_LIMIT="0",
                                FERRY_CALIBRATION="off")
            with open(os.path.join(folder, "pid"), encoding="utf-8") as file:
                self.assertTrue(ends(int(file.read())), "the compiler lives on")
        self.expect(findings, "problem", "examination", "hip:0", 'after 20 s during the check "')
        self.expect(findings, "good", "memory", "hip:0", "")  # the completed part is not lost

    def test_one_device_of_several_that_hangs_costs_its_own_checks(self):
        result = doctor("--json", "--time-limit", "15", FERRY_BACKEND="hip", FERRY_HIP_LIBRARY=HIP, FERRY_DOUBLE_DEVICES="2",
                        FERRY_CALIBRATION="off", FERRY_CACHE_LIMIT="0",
                        FERRY_DOUBLE_FAIL="slow:hipMemcpyHtoDAsync:60000")
        findings = json.loads(result.stdout)["findings"]
        self.assertEqual(result.returncode, 1, result.stdout)
        for device in ("hip:0", "hip:1"):  # the second in a process of its own
            self.expect(findings, "problem", "examination", device, 'after 15 s during the check "transfers"')
            self.expect(findings, "good", "memory", device, "")
        self.assertRegex(result.stderr, r"ferry doctor: hip:0 transfers: no answer for 3 s of at most 15 s\n")

    def test_a_library_that_exits_is_a_line_of_its_backend_whatever_its_status(self):
        for status in ("0", "2"):
            findings = self.examine(1, FERRY_BACKEND="cuda,host", FERRY_CUDA_LIBRARY=ABSURD, FERRY_DOUBLE_ABSURD=f"exit:{status}",
                                    FERRY_PROBE="off")
            self.expect(findings, "problem", "examination", "cuda", "a library ended the process with exit()")
            self.expect(findings, "good", "kernel", "host:0", "")

    def test_handlers_of_signals_that_a_library_installs_are_reported(self):
        result = doctor("--json", FERRY_BACKEND="cuda", FERRY_CUDA_LIBRARY=ABSURD, FERRY_DOUBLE_ABSURD="signals:1",
                        FERRY_PROBE="off")
        note = self.expect(json.loads(result.stdout)["findings"], "note", "signals", "cuda", "SIGUSR1, SIGTERM (")
        self.assertIn(os.path.basename(ABSURD), note["what"])

    def measured(self, folder, **environment):
        """The output of ferry info for the double with a separate cache: sources, and whether any fact is measured."""
        full = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_")}
        full.update(environment, FERRY_BACKEND="hip", FERRY_HIP_LIBRARY=HIP, FERRY_CACHE_DIR=folder)
        result = subprocess.run([FERRY, "info", "hip:0", "--json"], env=full, capture_output=True, text=True,
                                timeout=280, check=True)
        facts = [f for k in json.loads(result.stdout)["devices"][0]["memory_kinds"] for f in k.values()
                 if isinstance(f, dict)]
        return [f["source"] or "" for f in facts], any(f["confidence"] == "measured" for f in facts)

    def test_measuring_ends_with_its_time(self):
        over = "; not measured: the time for measuring was over"
        with tempfile.TemporaryDirectory() as folder:
            compiler = os.path.join(folder, "c++")
            with open(compiler, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\necho $$ >{folder}/pid\nexec sleep 300\n")
            os.chmod(compiler, 0o755)
            sources, any_measured = self.measured(folder, FERRY_DOUBLE_CXX=compiler)
            self.assertTrue([s for s in sources if s.endswith(over)], sources)
            self.assertFalse(any_measured)
            with open(os.path.join(folder, "pid"), encoding="utf-8") as file:
                self.assertTrue(ends(int(file.read())), "the compiler lives on")
            # With enough time, the same cache gets measured facts, and later processes use them.
            self.assertTrue(self.measured(folder, **PATIENT)[1])
            self.assertTrue(self.measured(folder)[1])
        with tempfile.TemporaryDirectory() as folder:
            self.measured(folder, FERRY_DOUBLE_FAIL="slow:hipMemcpyHtoDAsync:700,slow:hipMemcpyDtoHAsync:700")

    def test_no_compiler(self):
        findings = self.examine(1, FERRY_BACKEND="host", FERRY_HOST_COMPILER=NOWHERE, FERRY_CACHE_LIMIT="0")
        self.expect(findings, "warning", "compiler", "host:0", NOWHERE)
        problem = self.expect(findings, "problem", "kernel", "host:0", NOWHERE)
        self.assertIn("FERRY_HOST_COMPILER", problem["mend"])

    def test_a_full_device(self):
        findings = self.hip(1, FERRY_DOUBLE_MEMORY="1m")
        self.expect(findings, "problem", "memory", "hip:0", "larger than")

    def test_little_memory_to_lock(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (64 << 10, 64 << 10))
        findings = self.examine(0, setup=limit, FERRY_BACKEND="host")
        finding = self.expect(findings, "note", "memlock", "machine", "64 KiB")
        self.assertIn("ulimit -l unlimited", finding["mend"])

    def test_a_cache_that_others_may_write_to(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, stat.S_IRWXU | stat.S_IRWXG | stat.S_IRWXO)
            findings = self.examine(0, FERRY_BACKEND="host", FERRY_CACHE_DIR=folder)
        finding = self.expect(findings, "warning", "cache", "machine", "write")
        self.assertIn("FERRY_CACHE_DIR", finding["mend"])

    def kinds(self, answers):
        """The facts about memory that follow from a HIP device's attributes, by kind."""
        full = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_") or k == "FERRY_CACHE_DIR"}
        full.update(FERRY_BACKEND="hip", FERRY_HIP_LIBRARY=HIP, FERRY_CALIBRATION="off", FERRY_DOUBLE_ANSWERS=answers)
        result = subprocess.run([FERRY, "info", "hip:0", "--json"], env=full, capture_output=True, text=True,
                                timeout=600, check=True)
        return {k["kind"]: k for k in json.loads(result.stdout)["devices"][0]["memory_kinds"]}

    def test_what_was_measured_with_another_driver_is_not_used(self):
        def sources(cache, **environment):
            """The measured times and speeds, which differ between measurements."""
            full = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_")}
            full.update(environment, FERRY_BACKEND="hip", FERRY_HIP_LIBRARY=HIP, FERRY_CACHE_DIR=cache)
            result = subprocess.run([FERRY, "info", "hip:0", "--json"], env=full, capture_output=True, text=True,
                                    timeout=280, check=True)
            facts = [f for k in json.loads(result.stdout)["devices"][0]["memory_kinds"] for f in k.values()
                     if isinstance(f, dict)]
            return [f["source"] for f in facts if re.search(r"measured: .*\d (GB/s|us|ms)", f["source"] or "")]
        with tempfile.TemporaryDirectory() as cache:
            sources(cache, **PATIENT)
            first = sources(cache)
            self.assertTrue(first)
            self.assertEqual(sources(cache), first, "not kept")
            for environment in ({"FERRY_DOUBLE_RUNTIME_VERSION": "60443000"},
                                {"FERRY_DOUBLE_ANSWERS": "HostNativeAtomicSupported=1"}):
                other = sources(cache, **environment)
                self.assertNotEqual(other, first, environment)
            self.assertEqual(sources(cache), first, "the others' took its place")

    def test_answers_of_other_machines(self):
        apu = self.kinds("Integrated=1,PageableMemoryAccess=1,HostNativeAtomicSupported=1")
        for kind in ("host", "shared", "imported"):
            self.assertEqual([apu[kind][fact]["value"] for fact in ("reach", "coherence", "atomics", "migrates")],
                             ["local", "concurrent", "system", False], kind)
        discrete = self.kinds("")
        self.assertEqual(discrete["host"]["reach"]["value"], "link")
        self.assertEqual(discrete["host"]["reach"]["source"], "hipDeviceAttributeIntegrated=0")
        self.assertEqual(discrete["host"]["atomics"]["value"], "none")
        self.assertTrue(self.kinds("PageableMemoryAccess=1")["shared"]["migrates"]["value"])
        windows = self.kinds("ConcurrentManagedAccess=0")
        self.assertFalse(windows["shared"]["available"])
        self.assertIn("hipDeviceAttributeConcurrentManagedAccess=0", windows["shared"]["why_not"])
        self.assertEqual(windows["shared"]["coherence"]["value"], "exclusive")
        self.assertFalse(self.kinds("CanMapHostMemory=0")["host"]["available"])

    def broken_promise(self, lie, kind, fact, environment):
        """The finding of doctor about a false fact of hip:0, and the output of info, as text and as JSON."""
        environment = {"FERRY_BACKEND": "hip", "FERRY_HIP_LIBRARY": HIP, "FERRY_DOUBLE_LIE": lie} | environment
        with tempfile.TemporaryDirectory() as folder:
            environment["FERRY_CACHE_DIR"] = folder
            full = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_")} | environment
            findings = self.examine(0, **PATIENT, **environment)
            info = [subprocess.run([FERRY, "info", "hip:0", *arguments], env=full, capture_output=True, text=True,
                                   timeout=600, check=True).stdout for arguments in ((), ("--json",))]
            kinds = {k["kind"]: k for k in json.loads(info[1])["devices"][0]["memory_kinds"]}
            return findings, info[0], kinds[kind][fact]

    def test_a_promise_that_is_broken(self):
        findings, text, reach = self.broken_promise(
            "registered", "imported", "reach", {"FERRY_DOUBLE_ANSWERS": "CanUseHostPointerForRegisteredMem=0"})
        finding = self.expect(findings, "warning", "facts", "hip:0", "For memory of kind imported, reach differs from the "
                              "value implied by hipDeviceAttributeIntegrated=0: measured: a word that one side wrote")
        self.assertIn("Ferry uses the measured value", finding["mend"])
        self.assertRegex(text, r"memory: imported +reach none \(measured\)")
        self.assertIn("reach: the driver's hipDeviceAttributeIntegrated=0 is wrong; measured: a word", text)
        self.assertEqual([reach[key] for key in ("value", "confidence")], ["none", "measured"])
        self.assertIn("Integrated=0", reach["declared"])

    def test_coherence_that_there_is_not(self):
        findings, text, coherence = self.broken_promise(
            "coherence", "host", "coherence",
            {"FERRY_DOUBLE_ANSWERS": "HostNativeAtomicSupported=1", "FERRY_POOL": "off"})
        finding = self.expect(findings, "warning", "facts", "hip:0", "For memory of kind host, coherence differs from the "
                              "value implied by hipDeviceAttributeFineGrainSupport=1: measured: a running kernel and the "
                              "host did not hear each other")
        self.assertIn("Ferry uses the measured value", finding["mend"])
        self.assertIn("coherence: the driver's hipDeviceAttributeFineGrainSupport=1 is wrong; measured: ", text)
        self.assertEqual([coherence[key] for key in ("value", "confidence", "declared")],
                         ["kernel_boundary", "measured", "hipDeviceAttributeFineGrainSupport=1"])

    def test_a_measurement_that_ends_its_process(self):
        with tempfile.TemporaryDirectory() as folder:
            findings = self.examine(0, FERRY_BACKEND="host", FERRY_TOOL=FAULTY, FERRY_TEST_FAULT="crash",
                                    FERRY_TEST_STEP="host ordering", FERRY_CACHE_DIR=folder, **PATIENT)
            full = {k: v for k, v in os.environ.items() if not k.startswith("FERRY_")}
            info = subprocess.run([FERRY, "info", "host:0"], env=full | {"FERRY_CACHE_DIR": folder}, timeout=600,
                                  capture_output=True, text=True, check=True).stdout
        text = "unknown: the child process was ended by signal 11 while measuring the coherence while a kernel runs"
        finding = self.expect(findings, "warning", "facts", "host:0", "For memory of kind host, coherence is " + text)
        self.assertIn("FERRY_CALIBRATION=fresh", finding["mend"])
        # Another process reads it from the cache.
        self.assertIn("coherence kernel_boundary (unknown)", info)
        self.assertIn("coherence: " + text, info)

    def test_numbers_and_words(self):
        text = doctor(FERRY_BACKEND="host").stdout.splitlines()[-1]
        counts = re.findall(r"(\d+) (problem|warning|note|check)(s?)\b", text)
        self.assertEqual([word for _, word, _ in counts], ["problem", "warning", "note", "check"], text)
        for number, word, plural in counts:
            self.assertEqual(plural == "s", number != "1", text)

    def test_what_is_refused(self):
        for arguments, environment in ((("--loud",), {}), (("hip:7",), {}), ((), {"FERRY_BACKEND": "metal"}),
                                       ((), {"FERRY_BACKEND": "host,"}), ((), {"FERRY_BACKEND": "auto,metal"}),
                                       (("--time-limit", "0"), {})):
            result = doctor(*arguments, **environment)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertTrue(result.stderr)


if __name__ == "__main__":
    FERRY, HIP, LACKING, STUB, SILENT, FAULTY, EMPTY, NVRTC, ABSURD = sys.argv[1:10]
    unittest.main(argv=sys.argv[:1] + sys.argv[10:])
