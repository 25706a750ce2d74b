#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The ferry command: its output, its JSON, its exit status, its strictness. Run as cli_test.py FERRY
DEVICE_INFO_HPP FERRY_UNIT EMPTY_LIBCUDA HIP_DOUBLE OPENCL_12."""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import xml.etree.ElementTree

FERRY = DEVICE_INFO_HPP = UNIT = EMPTY_CUDA = HIP_DOUBLE = OPENCL_12 = ""
SETTINGS = ("FERRY_BACKEND", "FERRY_DEVICE", "FERRY_CALIBRATION", "FERRY_CACHE_DIR", "FERRY_CACHE_LIMIT")
EXTRA_KEYS = {"id", "alternates", "memory_kinds", "staging", "problem"}
NOWHERE = "/nowhere/libcuda.so.1"


def ferry(*arguments, **environment):
    full = {k: v for k, v in os.environ.items() if k not in SETTINGS}
    full.update(environment)
    return subprocess.run([FERRY, *arguments], env=full, capture_output=True, text=True, timeout=600, check=False)


def label_faults(root):
    """Checks that a plot's legend has each name once, and that both axes have a unit."""
    labels = [(label.get("text-anchor"), label.text) for label in root.findall("{http://www.w3.org/2000/svg}text")]
    legend = [text for anchor, text in labels if anchor == "start"]
    titles = [text for anchor, text in labels if anchor == "middle" and ", " in text]
    faults = [f"{name} is in the legend {legend.count(name)} times" for name in set(legend) if legend.count(name) > 1]
    if len(titles) != 2 or not all(title.endswith((", bytes", ", us", ", GB/s")) for title in titles):
        faults.append(f"the axes are {titles}")
    return faults


def read_terminal(master):
    """Reads the output. Returns nothing after the last writer has closed it, which Linux reports as an error."""
    try:
        return os.read(master, 4096)
    except OSError:
        return b""


def info_fields():
    """The members of DeviceInfo in the header, with their types."""
    with open(DEVICE_INFO_HPP, encoding="utf-8") as file:
        body = re.search(r"struct DeviceInfo \{(.*?)\n\};", file.read(), re.S).group(1)
    body = re.sub(r"//.*", "", body)
    return {name: kind for kind, name in re.findall(r"([\w:<>, ]+?)\s+(\w+)\s*(?:\{\}|=[^;]*)?;", body)}


def field_fault(name, kind, value):
    """What is wrong with the value of a member of DeviceInfo in JSON, or None."""
    kind = kind.strip()
    if value is None:
        nullable = kind in ("std::string", "std::optional<bool>") or "int" in kind or kind == "std::size_t"
        return None if nullable and name not in ("index", "local_memory") else f"{name} is null"
    if kind.startswith("std::array"):
        return None if [type(v) for v in value] == [int] * 3 else f"{name} is {value}"
    if kind in ("bool", "std::optional<bool>"):
        return None if isinstance(value, bool) else f"{name} is {value}"
    if "int" in kind or kind == "std::size_t":
        return None if type(value) is int and (value != 0 or name in ("index", "local_memory")) else f"{name} is {value}"
    return None if isinstance(value, str) and value else f"{name} is {value}"


class Cli(unittest.TestCase):
    def check_device(self, device, with_alternates=True):
        fields = info_fields()
        self.assertEqual(set(device), set(fields) | (EXTRA_KEYS if with_alternates else EXTRA_KEYS - {"alternates"}))
        self.assertEqual(device["id"], f"{device['backend']}:{device['index']}")
        self.assertIn(device["kind"], ("gpu", "cpu", "accelerator"))
        for key, value in device.items():
            if key in fields:
                self.assertIsNone(field_fault(key, fields[key], value))
            elif key == "alternates":
                for alternate in value:
                    self.check_device(alternate, with_alternates=False)
            elif key == "memory_kinds":
                self.check_memory_kinds(value)
            elif key == "staging":
                self.check_staging(value)
            elif value is not None or key != "problem":
                self.assertIs(type(value), str, key)
                self.assertTrue(value, key)

    def check_staging(self, staging):
        self.assertEqual(set(staging), {"most_threads", "most_threads_source", "slot_bytes", "slot_bytes_source",
                                        "most_slots", "note"})
        self.assertGreaterEqual(staging["most_threads"], 1)
        self.assertRegex(staging["most_threads_source"], r"^(measured|default): \S")
        self.assertGreaterEqual(staging["most_slots"], 4 if staging["note"] is None else 0)
        self.assertGreater(staging["slot_bytes"], 0)
        self.assertRegex(staging["slot_bytes_source"], r"^(made before, .*; now )?(measured|default): \S")

    def check_memory_kinds(self, kinds):
        self.assertEqual([k["kind"] for k in kinds], ["device", "host", "shared", "imported"])
        values = {"reach": ("none", "copy", "link", "local"),
                  "coherence": ("exclusive", "map", "kernel_boundary", "concurrent"),
                  "atomics": ("none", "device", "system"),
                  "same_address": (True, False), "migrates": (True, False), "host_cached": (True, False)}
        for kind in kinds:
            self.assertEqual(set(kind), {"kind", "available", "why_not", *values, "read_bandwidth", "read_latency",
                                         "pointer_alignment", "size_granularity", "max_size"})
            self.assertEqual(kind["available"], kind["why_not"] is None)
            for name, fact in kind.items():
                if name in ("kind", "available", "why_not"):
                    continue
                self.assertEqual(set(fact), {"value", "confidence", "source", "declared"})
                self.assertIn(fact["confidence"], ("unknown", "inferred", "declared", "measured"))
                self.assertEqual(fact["source"] is None, not kind["available"] and fact["confidence"] == "unknown")
                if name in values:
                    self.assertIn(fact["value"], values[name])
                else:
                    self.assertIs(type(fact["value"]), int)

    def test_memory_kinds_as_declared_and_measured(self):
        def of_host(command, **environment):
            environment |= {"FERRY_BACKEND": "host", "FERRY_CACHE_DIR": cache, "FERRY_CALIBRATION_LIMIT": "100000"}
            document = json.loads(ferry(command, "--json", **environment).stdout)
            return {k["kind"]: k for k in document["devices"][0]["memory_kinds"]}

        def timed(kinds):
            """Removes times and speeds, because they differ between measurements."""
            return [fact["source"] for kind in kinds.values() for fact in kind.values()
                    if isinstance(fact, dict) and re.search(r"measured: .*\d (GB/s|us|ms)", fact["source"] or "")]

        def damage(cache, end):
            for file in os.listdir(cache):
                path = os.path.join(cache, file)
                with open(path, "r+b") as entry:
                    entry.seek(os.path.getsize(path) - 40)
                    entry.write(end)
                    if not end:
                        entry.truncate()
        with tempfile.TemporaryDirectory() as cache:
            declared = of_host("info", FERRY_CALIBRATION="off")
            self.assertEqual(of_host("list"), declared)
            self.assertEqual(declared["host"]["same_address"]["confidence"], "declared")
            measured = of_host("info")
            self.assertEqual(of_host("info"), measured, "not kept")
            for end in (b"damaged", b""):  # the second cuts entries off
                damage(cache, end)
                again = of_host("info")
                self.assertNotEqual(timed(again), timed(measured), "a damaged entry was believed")
                self.assertEqual(again["host"]["same_address"]["confidence"], "measured")
                self.assertEqual(of_host("info"), again, "not kept")
                measured = again
        result = ferry("info", "host:0", FERRY_CALIBRATION="sometimes")
        self.assertEqual(result.returncode, 2)
        self.assertIn("auto, off and fresh", result.stderr)
        for limit in ("499", "600001", "2 s"):
            result = ferry("info", "host:0", FERRY_CALIBRATION="fresh", FERRY_CALIBRATION_LIMIT=limit)
            self.assertEqual(result.returncode, 2)
            self.assertIn(f'FERRY_CALIBRATION_LIMIT is "{limit}"; it takes a whole number of milliseconds from 500 to '
                          '600000', result.stderr)

    def test_bytes_that_are_not_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.fsdecode(b"\xff\xe2\x82-\xc3\xa4"))
            result = ferry("cache", FERRY_BACKEND="host", FERRY_CACHE_DIR=path)
        self.assertEqual(result.returncode, 0)
        self.assertIn("/???-\u00e4\n", result.stdout)

    def test_a_variable_that_nobody_reads(self):
        for command in (("list",), ("info", "host:0"), ("cache",)):
            result = ferry(*command, FERRY_BACKEND="host", FERRY_CHEK="races")
            self.assertEqual(result.returncode, 0)
            self.assertEqual(result.stderr, "warning: The environment variable FERRY_CHEK is set, but Ferry reads no such "
                                            "variable; did you mean FERRY_CHECK?\n")
            self.assertEqual(ferry(*command, FERRY_BACKEND="host").stderr, "")

    def summary_of(self, events, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(events, file)
            return ferry("trace", path, *arguments)

    def test_trace_of_known_times(self):
        def command(queue, name, begin, length, **arguments):
            return {"name": name, "ph": "X", "cat": "command", "pid": 7, "tid": queue, "ts": begin, "dur": length,
                    "args": arguments}
        events = [{"name": "process_name", "ph": "M", "pid": 7, "tid": 0, "ts": 0, "args": {"name": "hip:0 A GPU"}},
                  command(1, "saxpy", 100, 50, grid="4 groups of 64"),
                  command(1, "saxpy", 150, 30, grid="4 groups of 64", device_us=20),
                  command(2, "copy", 120, 40, bytes=4_000_000),
                  command(2, "copy", 400, 100, bytes=1_000_000, failed=True),
                  {"name": "Queue::finish", "ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 500}]
        result = self.summary_of(events, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = json.loads(result.stdout)
        device = document["devices"][0]
        expected = {"name": "hip:0 A GPU", "queues": 2, "span_us": 400, "busy_us": 180, "idle_us": 220, "longest_idle_us": 220,
                    "longest_idle_at_us": 180, "overlap_us": 40, "kernel_beside_others_us": 40, "failed": 1, "unfinished": 0,
                    "untimed": 0}
        self.assertEqual({key: device[key] for key in expected}, expected)
        rows = {row["name"]: row for row in device["commands"]}
        self.assertEqual([row["name"] for row in device["commands"]], ["copy", "saxpy"])
        self.assertEqual((rows["copy"]["count"], rows["copy"]["bytes"], rows["copy"]["total_us"]), (2, 5_000_000, 140))
        self.assertAlmostEqual(rows["copy"]["gb_per_s"], 5_000_000 / 140 / 1e3)
        self.assertEqual((rows["saxpy"]["kernel"], rows["saxpy"]["total_us"], rows["saxpy"]["longest_us"]), (True, 70, 50))
        self.assertEqual(document["calls"][0]["total_us"], 500)
        text = self.summary_of(events).stdout
        self.assertRegex(text, r"hip:0 A GPU, 2 queues\n.* 400 us, busy 180 us \(45.0 %\), idle 220 us \(55.0 %\)")
        self.assertRegex(text, r"saxpy +2 +70.0 us +35.0 us +50.0 us\n")
        self.assertLess(max(map(len, text.splitlines())), 120)

    def test_trace_of_a_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            bench = ferry("bench", "--device", "host:0", "--quick", "--filter", "copy", FERRY_TRACE=path)
            self.assertEqual(bench.returncode, 0, bench.stderr)
            document = json.loads(ferry("trace", path, "--json").stdout)
        self.assertTrue(document["devices"][0]["name"].startswith("host:0 "))
        self.assertGreater(document["devices"][0]["busy_us"], 0)
        self.assertTrue(any(row["bytes"] > 0 for row in document["devices"][0]["commands"]), document)

    def test_trace_of_what_is_none(self):
        for content in ("", "[1, 2]", "{}", "[{}]", '[{"ph": 3}]', "\0\1"):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(content)
                file.flush()
                result = ferry("trace", file.name)
                self.assertEqual(result.returncode, 2, content)
                self.assertIn("is not a trace of Ferry", result.stderr)
        self.assertIn("cannot be read: No such file", ferry("trace", "/nowhere/trace.json").stderr)
        self.assertIn("No device had a command", self.summary_of([]).stdout)

    def test_the_nearest_value_of_a_variable(self):
        for name, value, nearest in (("FERRY_BACKEND", "opncl", "opencl"), ("FERRY_CALIBRATION", "frsh", "fresh")):
            result = ferry("info", "host:0", **{name: value})
            self.assertEqual(result.returncode, 2)
            self.assertIn(f"did you mean {nearest}?", result.stderr)

    def test_the_doctor_names_the_nearest_backend(self):
        result = ferry("doctor", FERRY_BACKEND="host,opncl")
        self.assertEqual(result.returncode, 2)
        self.assertIn('FERRY_BACKEND is "host,opncl", and "opncl" is not a backend', result.stderr)
        self.assertIn("did you mean opencl?", result.stderr)

    def check_document(self, text):
        document = json.loads(text)
        self.assertEqual(set(document), {"ferry", "default", "devices", "backends"})
        self.assertRegex(document["ferry"], r"^\d+\.\d+\.\d+$")
        self.assertEqual([b["name"] for b in document["backends"]], ["cuda", "hip", "opencl", "vulkan", "host"])
        for backend in document["backends"]:
            self.assertEqual(set(backend), {"name", "available", "library", "reasons"})
            self.assertIs(type(backend["available"]), bool)
            self.assertTrue(backend["available"] or backend["reasons"], backend)
            for reason in backend["reasons"]:
                self.assertRegex(reason, r"(?s)^\S.*\S$")
        for device in document["devices"]:
            self.check_device(device)
        return document

    def test_version(self):
        result = ferry("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout, r"^ferry \d+\.\d+\.\d+\n$")

    def test_list(self):
        result = ferry("list")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        document = self.check_document(ferry("list", "--json").stdout)
        lines = result.stdout.splitlines()
        absent = [backend["name"] for backend in document["backends"] if not backend["available"]]
        if absent:
            self.assertEqual(lines.pop(), f"Not available: {', '.join(absent)}; `ferry info` says why.")
        self.assertEqual(len(lines), len(document["devices"]))
        for line, device in zip(lines, document["devices"]):
            mark = "*" if device["id"] == document["default"] else " "
            self.assertTrue(line.startswith(f"{mark} {device['id']} "), line)
            self.assertIn(device["name"], line)
        self.assertEqual(sum(line.startswith("*") for line in lines), 1)

    def test_forced_backends(self):
        for backend in ("host", "opencl"):
            result = ferry("list", "--json", FERRY_BACKEND=backend)
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            document = self.check_document(result.stdout)
            self.assertEqual({d["backend"] for d in document["devices"]}, {backend})
            for other in document["backends"]:
                self.assertEqual(other["available"], other["name"] == backend)

    def test_info(self):
        everything = ferry("info")
        self.assertEqual((everything.returncode, everything.stderr), (0, ""))
        document = self.check_document(ferry("info", "--json").stdout)
        for device in document["devices"]:
            self.assertIn(f"{device['id']}  {device['name']}", everything.stdout)
            one = ferry("info", device["id"], "--json")
            self.assertEqual(one.returncode, 0)
            self.assertEqual(self.check_document(one.stdout)["devices"], [device])
            self.assertTrue(ferry("info", device["id"]).stdout.startswith(device["id"]))
        for backend in document["backends"]:
            self.assertIn(f"\n{backend['name']}", everything.stdout)

    def test_hardware_that_two_backends_see(self):
        environment = {"FERRY_BACKEND": "cuda,hip", "FERRY_CUDA_LIBRARY": EMPTY_CUDA, "FERRY_HIP_LIBRARY": HIP_DOUBLE,
                       "FERRY_DOUBLE_CUDA_PCI": "0000:C0:00.0", "FERRY_CALIBRATION": "off"}
        lines = ferry("list", **environment).stdout.splitlines()
        self.assertEqual(lines[1:], ["Not available: opencl, vulkan, host; `ferry info` says why."])
        self.assertRegex(lines[0], r"^\* cuda:0 .*; also hip:0$")
        document = self.check_document(ferry("list", "--json", **environment).stdout)
        self.assertEqual([d["id"] for d in document["devices"]], ["cuda:0"])
        self.assertEqual([d["id"] for d in document["devices"][0]["alternates"]], ["hip:0"])
        self.assertRegex(ferry("info", **environment).stdout, r"also seen as +hip:0 ")
        asked_for = json.loads(ferry("info", "hip:0", "--json", **environment).stdout)["devices"][0]
        self.assertEqual((asked_for["id"], asked_for["alternates"][0]["id"]), ("hip:0", "cuda:0"))

    def test_opencl_1_2_and_older(self):
        environment = {"FERRY_BACKEND": "opencl", "FERRY_OPENCL_LIBRARY": OPENCL_12}
        document = self.check_document(ferry("list", "--json", **environment).stdout)
        for device in document["devices"]:
            self.assertEqual(device["api_version"], "OpenCL 1.2")
            self.assertEqual((device["shared_memory"], device["uuid"]), (False, None))
        result = ferry("list", **environment, FERRY_DOUBLE_OPENCL_VERSION="1.1")
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        for part in ('speaks "OpenCL 1.1', 'its platform "OpenCL 1.1', "Ferry needs OpenCL 1.2 or later"):
            self.assertIn(part, result.stderr)

    def test_backend_missing(self):
        environment = {"FERRY_BACKEND": "cuda", "FERRY_CUDA_LIBRARY": NOWHERE}
        result = ferry("list", **environment)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertIn("cuda", result.stderr)
        self.assertIn(NOWHERE, result.stderr)
        as_json = ferry("list", "--json", **environment)
        self.assertEqual(as_json.returncode, 1)
        document = self.check_document(as_json.stdout)
        self.assertEqual((document["devices"], document["default"]), ([], None))
        self.assertTrue(any(NOWHERE in reason for reason in document["backends"][0]["reasons"]))
        for other in document["backends"][1:]:
            self.assertIn("FERRY_BACKEND", " ".join(other["reasons"]))
        self.assertEqual(ferry("info", **environment).returncode, 1)

    def test_cache(self):
        with tempfile.TemporaryDirectory() as top:
            directory = os.path.join(top, "cache")
            environment = {"FERRY_CACHE_DIR": directory, "FERRY_CACHE_LIMIT": "3"}
            self.assertEqual(self.cache_document(environment),
                             {"directory": directory, "usable": True, "note": None, "limit": 3 << 20, "bytes": 0,
                              "entries": []})
            self.assertFalse(os.path.exists(directory))
            self.assertEqual(ferry("cache", "clear", **environment).stdout, "removed 0 files, 0 bytes\n")
            os.mkdir(directory, 0o700)
            damaged = "0123456789abcdef" * 2 + ".kernel"
            begin = time.time()
            for name in (damaged, "somebody's own"):
                with open(os.path.join(directory, name), "w", encoding="utf-8") as file:
                    file.write("text")
            document = self.cache_document(environment)
            self.assertEqual(document["bytes"], 4)
            entry = document["entries"][0]
            self.assertEqual(set(entry), {"file", "bytes", "stored", "used", "damaged", "key"})
            self.assertEqual((entry["file"], entry["damaged"], entry["key"]), (damaged, True, []))
            self.assertTrue(begin - 2 <= entry["used"] <= time.time() + 2, entry)
            text = ferry("cache", **environment).stdout
            for words in (directory, "1, 4 bytes of at most 3 MiB", "damaged"):
                self.assertIn(words, text)
            cleared = ferry("cache", "clear", "--json", **environment)
            self.assertEqual(json.loads(cleared.stdout), {"files": 1, "bytes": 4, "note": None})
            self.assertEqual(os.listdir(directory), ["somebody's own"])

    def cache_document(self, environment):
        result = ferry("cache", "--json", **environment)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def test_cache_entries(self):
        with tempfile.TemporaryDirectory() as top:
            environment = {"FERRY_CACHE_DIR": os.path.join(top, "cache")}
            subprocess.run([UNIT, "--child=cache fill|"], env={**os.environ, **environment}, timeout=600, check=True)
            entries = self.cache_document(environment)["entries"]
            self.assertEqual([entry["damaged"] for entry in entries], [False, False])
            fields = {field["name"]: field for field in entries[0]["key"]}
            self.assertEqual(list(fields), ["ferry", "backend", "source"])
            self.assertEqual((fields["source"]["bytes"], len(fields["source"]["value"])), (1900, 256))
            lines = ferry("cache", **environment).stdout.splitlines()
            self.assertEqual(len(lines), 6)
            self.assertRegex(lines[0], "^directory +" + re.escape(environment["FERRY_CACHE_DIR"]) + "$")
            self.assertRegex(lines[3], r"^used +stored +size +what$")
            for line, backend in zip(lines[4:], ("cuda", "host")):
                self.assertRegex(line, rf"second.* KiB +ferry=\S+ backend={backend} source=\(2 KiB\)$")
            self.assertRegex(ferry("cache", "clear", **environment).stdout, r"^removed 2 files, \d+ KiB\n$")
            self.assertEqual(self.cache_document(environment)["entries"], [])

    def test_no_line_of_the_cache_has_more_than_120_columns(self):
        """Except for lines of one word, because an entry names the compiler and all of its options."""
        with tempfile.TemporaryDirectory() as directory:
            environment = {"FERRY_CACHE_DIR": os.path.join(directory, "cache"), "FERRY_BACKEND": "host"}
            # compiles a kernel
            doctor = ferry("doctor", "host:0", "--time-limit", "100", FERRY_CALIBRATION="off", **environment)
            self.assertEqual(doctor.returncode, 0, doctor.stdout + doctor.stderr)
            lines = ferry("cache", **environment).stdout.splitlines()
        self.assertTrue([line for line in lines if line.startswith("          ")], "no entry takes two lines")
        for line in lines[1:]:  # the first is the folder
            self.assertTrue(len(line) <= 120 or len(line.split()) < 2, line)

    def test_cache_unusable(self):
        for environment, words in (({"FERRY_CACHE_LIMIT": "0"}, "FERRY_CACHE_LIMIT is 0"),
                                   ({"FERRY_CACHE_LIMIT": "1G"}, '"1G"'),
                                   ({"FERRY_CACHE_DIR": FERRY}, FERRY),
                                   ({"FERRY_CACHE_DIR": FERRY + "/below/it"}, "cannot be opened"),
                                   ({"FERRY_CACHE_DIR": "/proc/ferry/cache"}, "cannot be made"),
                                   ({"FERRY_CACHE_DIR": "", "XDG_CACHE_HOME": "", "HOME": "/nowhere/to/be/found"},
                                    "cannot be made")):
            for arguments in (("cache",), ("cache", "clear")):
                result = ferry(*arguments, **environment)
                self.assertEqual((result.returncode, result.stdout), (1, ""), (arguments, environment))
                self.assertIn(words, result.stderr)
                document = json.loads(ferry(*arguments, "--json", **environment).stdout)
                self.assertIn(words, document["note"])

    def test_bench(self):
        with tempfile.TemporaryDirectory() as top:
            plots = os.path.join(top, "new", "plots")
            result = ferry("bench", "--quick", "--device", "opencl", "--device", "host", "--json", "--plot", plots)
            self.assertEqual(result.returncode, 0, result.stderr)
            document = json.loads(result.stdout)
            self.assertEqual(set(document), {"ferry", "date", "quick", "devices", "results", "left_out", "failures"})
            self.assertEqual(document["failures"], [])
            self.assertIs(document["quick"], True)
            devices = {d["id"]: d for d in document["devices"]}
            self.assertEqual({i.split(":")[0] for i in devices}, {"opencl", "host"})
            listed = {line.split()[0] for line in ferry("bench", "--list").stdout.splitlines()}
            shared = {"allocate.shared", "shared.touch.device", "shared.touch.host"}
            for device in devices:
                found = {r["name"] for r in document["results"] if r["device"] == device}
                left_out = {one["name"]: one["reason"] for one in document["left_out"] if one["device"] == device}
                lacks = not json.loads(ferry("info", device, "--json").stdout)["devices"][0]["shared_memory"]
                self.assertEqual((found, set(left_out)), (listed - shared, shared) if lacks else (listed, set()))
                self.assertNotIn("", left_out.values())
            def high_low(line, key):
                return line[key][1] - line[key][0]

            for line in document["results"]:
                raw = line["device"].startswith("opencl") or line["name"].startswith(("copy.", "fill", "allocate."))
                self.assertEqual(line["why_no_raw"] is None, raw, line)
                self.assertGreater(line["seconds"], 0)
                low, high = line["quartiles"]
                self.assertTrue(low <= line["seconds"] <= high, line)
                self.assertGreaterEqual(line["repetitions"], 3)
                for key in ("raw_seconds", "ratio_to_raw", "ratio_interval", "raw_quartiles", "raw_spread"):
                    self.assertEqual(line[key] is not None, raw, line)
                if raw:
                    low, high = line["ratio_interval"]
                    self.assertTrue(low <= line["ratio_to_raw"] <= high, line)
                self.assertAlmostEqual(line["spread"], high_low(line, "quartiles") / line["seconds"], 6)
                spreads = [line["spread"]]
                if raw:
                    spreads.append(line["raw_spread"])
                    self.assertAlmostEqual(line["raw_spread"], high_low(line, "raw_quartiles") / line["raw_seconds"], 6)
                self.assertIs(line["varied"], max(spreads) > 0.1, line)
                if line["limit_seconds"] is not None:
                    self.assertGreater(line["limit_seconds"], 0)
                if line["bytes_per_second"] is not None:
                    self.assertGreater(line["bytes"], 0)
                self.assertIn(line["clock"], ("device", "host") if line["timing"] == "device" else ("host",))
            measured = {(line["device"], line["name"]) for line in document["results"]}
            self.assertEqual(set(os.listdir(plots)), {f"{d.replace(':', '-')}-{what}.svg" for d in devices
                                                      for what in ("transfers", "memory", "shared", "allocation")
                                                      if what != "shared" or (d, "allocate.shared") in measured})
            for name in os.listdir(plots):
                root = xml.etree.ElementTree.parse(os.path.join(plots, name)).getroot()
                self.assertTrue(root.findall("{http://www.w3.org/2000/svg}polyline"), name)
                self.assertEqual(label_faults(root), [], name)

    def test_bench_placement(self):
        for arguments in (("--device", "host"), ("--device", "opencl", "--max", "4K"),
                          ("--device", "opencl", "--max", "4K", "--page-locked")):
            result = ferry("bench", "placement", "--quick", "--json", *arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            devices = json.loads(result.stdout)
            self.assertEqual(len(devices), 1)
            self.assertEqual(set(devices[0]), {"device", "name", "page_locked", "cells"})
            self.assertEqual(devices[0]["page_locked"], "--page-locked" in arguments)
            self.assertEqual(len({cell["intent"] for cell in devices[0]["cells"]}), 6)
            for cell in devices[0]["cells"]:
                self.assertEqual(set(cell), {"bytes", "intent", "chosen", "seconds", "free_seconds",
                                             "forced_seconds", "predicted_seconds", "rounds", "regret", "good"})
                self.assertIn(cell["chosen"], cell["forced_seconds"])
                self.assertEqual(cell["forced_seconds"].keys(), cell["predicted_seconds"].keys())
                self.assertGreater(min(cell["predicted_seconds"].values()), 0)
                self.assertGreater(cell["seconds"], 0)
        with tempfile.TemporaryDirectory() as top:  # what stood there is written anew, what is no folder is told
            plots = os.path.join(top, "new", "plots")
            for _ in range(2):
                result = ferry("bench", "placement", "--quick", "--device", "host", "--max", "16K", "--plot", plots)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual(os.listdir(plots), ["placement-host-0.svg"])
            root = xml.etree.ElementTree.parse(os.path.join(plots, "placement-host-0.svg")).getroot()
            lines = root.findall("{http://www.w3.org/2000/svg}polyline")
            self.assertGreaterEqual(len(lines), 12)  # the chosen and the best placement for each of six intents
            self.assertEqual(label_faults(root), [])
            self.assertEqual({len(line.get("points").split()) for line in lines}, {2})  # 4 KiB and 16 KiB
            result = ferry("bench", "placement", "--quick", "--device", "host", "--max", "4K", "--plot",
                           os.path.join(plots, "placement-host-0.svg"))
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("placement-host-0.svg", result.stderr)

    def test_bench_table(self):
        result = ferry("bench", "--quick", "--device", "host", "--filter", "launch.finish")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertRegex(result.stdout, r"(?m)^launch\.finish +[\d.]+ (ns|us|ms) ")
        for arguments, word in ((("--filter", "no such thing"), "no such thing"), (("--device", "host:7"), "host:7"),
                                (("--repetitions", "1"), "5"), (("--max", "12"), "4096"), (("--max", "much"), "much")):
            result = ferry("bench", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""), arguments)
            self.assertIn(word, result.stderr)

    def test_bench_progress(self):
        """On a terminal each step is shown in a line that the next one replaces. Otherwise no step is shown."""
        full = {k: v for k, v in os.environ.items() if k not in SETTINGS}
        master, terminal = pty.openpty()
        said = []
        reader = threading.Thread(target=lambda: said.extend(iter(lambda: read_terminal(master), b"")))
        with subprocess.Popen([FERRY, "bench", "--quick", "--json", "--device", "host", "--filter", "allocate"], env=full,
                              stdout=subprocess.PIPE, stderr=terminal, text=True) as process:
            os.close(terminal)
            reader.start()
            output = process.communicate(timeout=600)[0]
            reader.join()
        os.close(master)
        self.assertEqual(process.returncode, 0)
        lines = [(r["name"], r["bytes"]) for r in json.loads(output)["results"]]
        start, *shown = b"".join(said).decode().split("\r\x1b[K")
        self.assertEqual(start, "")
        self.assertGreater(len(lines), 2)
        expected = [f"host:0  {i + 1}/{len(lines)}  {name}  {size // 1024} KiB" for i, (name, size) in enumerate(lines)]
        self.assertEqual([text for text in shown if text], expected)
        self.assertEqual(shown[-1], "", "nothing stays")
        quiet = ferry("bench", "--quick", "--device", "host", "--filter", "allocate")
        self.assertEqual((quiet.returncode, quiet.stderr), (0, ""))

    def test_refusals(self):
        cases = [((), {}), (("list", "extra"), {}), (("list", "--nonsense"), {}), (("nonsense",), {}), (("info", ""), {}),
                 (("cache", "extra"), {}), (("cache", "clear", "extra"), {}),
                 (("info", "a device that is not there"), {}), (("info", "host:7"), {}),
                 (("list",), {"FERRY_BACKEND": "metal"}), (("list", "--json"), {"FERRY_BACKEND": "cuda,metal"}),
                 (("info", "host:0"), {"FERRY_BACKEND": "opencl"})]
        for arguments, environment in cases:
            result = ferry(*arguments, **environment)
            self.assertEqual(result.returncode, 2, (arguments, environment, result))
            self.assertNotEqual(result.stderr, "", (arguments, environment))
        unknown = ferry("list", FERRY_BACKEND="metal").stderr
        for word in ("metal", "cuda", "hip", "opencl", "vulkan", "host"):
            self.assertIn(word, unknown)
        self.assertIn("host:7", ferry("info", "host:7").stderr)
        misspelt = ferry("lst").stderr
        for word in ("lst", "list", "info", "doctor"):
            self.assertIn(word, misspelt)
        self.assertNotIn("litmus", misspelt)
        self.assertIn("list", ferry().stderr)

    def test_device_missing(self):
        result = ferry("list", FERRY_DEVICE="a device that is not there")
        self.assertEqual(result.returncode, 2)
        self.assertIn("a device that is not there", result.stderr)
        self.assertIn("host:0", result.stdout)

    def test_opens_nothing_else(self):
        result = ferry("list", FERRY_BACKEND="host", LD_DEBUG="files")
        self.assertEqual(result.returncode, 0)
        for library in ("libcuda", "libamdhip64", "libOpenCL", "libnvrtc", "libhiprtc"):
            self.assertNotIn(library, result.stderr)
        self.assertIn("libOpenCL", ferry("list", FERRY_BACKEND="opencl", LD_DEBUG="files").stderr)


if __name__ == "__main__":
    FERRY, DEVICE_INFO_HPP, UNIT, EMPTY_CUDA, HIP_DOUBLE, OPENCL_12 = sys.argv[1:7]
    unittest.main(argv=sys.argv[:1])
