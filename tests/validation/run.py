#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the validation layer of Khronos, and fails if the layer writes a message.

run.py [options] -- PROGRAM ARGUMENT...

The environment names a Vulkan driver. The program and its children open the layer, which writes into a pipe. The run
fails if the program fails, if no process says that the layer is active, or if there is a message that ACCEPTED does not
list. A program without Vulkan therefore fails too.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import threading

ACTIVE = "UNASSIGNED-khronos-validation-createinstance-status-message"
STATE = {ACTIVE, "UNASSIGNED-cache-file-error"}  # information that is no message about the program
HEAD = re.compile(r"(?m)^(?P<id>[\w-]+)\((?P<kind>ERROR|WARN|PERF|INFO)[^)]*\): msgNum: ")
END = "the end of the messages\n"


def read_accepted(path):
    """The rows of a file: an id, a text that the message must contain, and the reason, separated by |."""
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, text, reason = (part.strip() for part in line.split("|"))
                if not reason:
                    sys.exit(f"{path} has a row without a reason: {name}")
                rows.append((name, text))
    return rows


def write_settings(folder, pipe, synchronisation):
    # Not the check between submits (..._QUEUE_SUBMIT): it did not end within 9 minutes (1.3.239).
    check = "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"
    with open(os.path.join(folder, "vk_layer_settings.txt"), "w", encoding="utf-8") as file:
        file.write("khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
                   "khronos_validation.report_flags = error,warn,perf,info\n"
                   "khronos_validation.enable_message_limit = false\n"
                   f"khronos_validation.log_filename = {pipe}\n"
                   f"khronos_validation.enables = {check if synchronisation else ''}\n")


def run(command, folder, options):
    """The exit status of the command, and all that the layer wrote."""
    pipe = os.path.join(folder, "messages")
    os.mkfifo(pipe)
    write_settings(folder, pipe, options.synchronisation)
    modules = os.path.join(folder, "modules")
    os.mkdir(modules)
    environment = dict(os.environ, VK_INSTANCE_LAYERS="VK_LAYER_KHRONOS_validation",
                       VK_LAYER_SETTINGS_PATH=folder, XDG_CACHE_HOME=folder,
                       FERRY_DOUBLE_VULKAN_MODULE_FOLDER=modules)
    if options.mistake:
        environment["FERRY_DOUBLE_VULKAN_MISTAKE"] = options.mistake
    parts = []

    def read():
        with open(pipe, encoding="utf-8", errors="replace") as file:
            for line in file:
                if line == END:
                    return
                parts.append(line)

    reader = threading.Thread(target=read)
    reader.start()
    # It keeps the pipe open while no process has it, and ends the reader.
    with open(pipe, "w", encoding="utf-8") as writer:
        status = subprocess.run(command, env=environment, check=False).returncode
        writer.write("\n" + END)
    reader.join()
    return status, "".join(parts), modules


def messages(text):
    heads = list(HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return [(head["id"], text[head.start():end].strip()) for head, end in zip(heads, ends)]


def invalid_modules(folder, validator):
    found = sorted(os.listdir(folder))
    print(f"{len(found)} different modules")
    bad = [] if found or not validator else ["no module was written (FERRY_DOUBLE_VULKAN_MODULES=entries)"]
    for name in found if validator else []:
        done = subprocess.run([validator, "--target-env", "vulkan1.2", os.path.join(folder, name)],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            bad.append(f"spirv-val: {done.stdout}{done.stderr}")
    return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accepted", required=True, help="the file of messages that are faults of the layer")
    parser.add_argument("--synchronisation", action="store_true", help="also look for missing barriers")
    parser.add_argument("--spirv-val", help="the validator, for each module that the program makes")
    parser.add_argument("--mistake", help="a mistake that the stand-in makes (FERRY_DOUBLE_VULKAN_MISTAKE)")
    parser.add_argument("--all-accepted", action="store_true", help="each row of ACCEPTED must have a message")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    accepted = read_accepted(options.accepted)
    with tempfile.TemporaryDirectory(prefix="ferry-validation.") as folder:
        status, text, modules = run(options.command, folder, options)
        faults = invalid_modules(modules, options.spirv_val)
    found = messages(text)
    active = [body for name, body in found if name == ACTIVE]
    if status != 0:
        faults.append(f"the program ended with status {status}")
    if not active:
        faults.append(f"the validation layer was not loaded by {options.command[0]}")
    elif options.synchronisation and not all("SYNCHRONIZATION_VALIDATION" in body for body in active):
        faults.append(f"the layer does not check synchronisation: {active[0]}")
    rest = [(name, body) for name, body in found if name not in STATE]
    unaccepted = [body for name, body in rest if not any(name == row and part in body for row, part in accepted)]
    print(f"{len(active)} times with the validation layer, {len(rest)} messages, {len(unaccepted)} of them not accepted")
    faults += unaccepted[:20]
    if options.all_accepted:
        faults += [f"{row} is accepted, and no message has it" for row, part in accepted
                   if not any(name == row and part in body for name, body in rest)]
    for fault in faults:
        print(fault)
    if faults:
        sys.exit(f"The run under the validation layer fails. Faults: {len(faults)}")


main()
