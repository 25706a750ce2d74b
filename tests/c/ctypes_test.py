#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Uses the C interface from Python, with only the standard library: ctypes_test.py LIBFERRY SAMPLES

Does the work of samples 01 to 04, a recording and a copy of a box, on the device named by the environment.
"""
import ctypes
import os
import pathlib
import random
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

TO_END = c_size_t(-1).value
INVALID_ARGUMENT, OUT_OF_RANGE, NOT_FOUND = 1, 2, 7
DEVICE_READS, DEVICE_UPDATES, HOST_READS = 0, 2, 0


class Grid(ctypes.Structure):
    _fields_ = [("groups", c_size_t * 3), ("local", c_size_t * 3), ("offset", c_size_t * 3)]


class Value(ctypes.Union):
    _fields_ = [("bits", c_uint64), ("u32", c_uint32), ("f32", c_float), ("f64", c_double), ("data", c_void_p)]


class Argument(ctypes.Structure):
    SCALAR, BUFFER, SHARE, U32 = 1, 3, 4, 6
    _fields_ = [("kind", c_int32), ("type", c_int32), ("value", Value), ("offset", c_size_t), ("bytes", c_size_t)]


class MemoryInfo(ctypes.Structure):
    _fields_ = [("total", c_uint64), ("free", c_uint64), ("used_here", c_uint64), ("max_allocation", c_uint64),
                ("free_known", c_int32)]


class Box(ctypes.Structure):
    _fields_ = [(name, c_size_t) for name in ("offset", "width", "height", "depth", "row_pitch", "slice_pitch")]


class Step(ctypes.Structure):
    _fields_ = [("recording", c_void_p), ("index", c_size_t)]


class FerryError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


Callback = ctypes.CFUNCTYPE(None, c_int32, c_char_p, c_void_p)
Record = ctypes.CFUNCTYPE(c_int32, c_void_p, c_void_p)
ferry = ctypes.CDLL(sys.argv[1])
ferry.ferry_last_error.restype = c_char_p
ferry.ferry_version.restype = c_char_p
SIGNATURES = {
    "device_default": [POINTER(c_void_p)],
    "device_get_memory": [c_void_p, POINTER(MemoryInfo)],
    "buffer_create": [c_void_p, c_size_t, c_int32, POINTER(c_void_p)],
    "program_create_from_text": [c_void_p, c_char_p, c_void_p, POINTER(c_void_p)],
    "program_create_from_file": [c_void_p, c_int32, c_char_p, c_void_p, POINTER(c_void_p)],
    "kernel_create": [c_void_p, c_char_p, POINTER(c_void_p)],
    "queue_create": [c_void_p, c_void_p, POINTER(c_void_p)],
    "queue_upload": [c_void_p, c_void_p, c_void_p, c_size_t, c_size_t],
    "queue_download": [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t],
    "queue_fill": [c_void_p, c_void_p, c_size_t, c_size_t, c_void_p, c_size_t],
    "queue_launch": [c_void_p, c_void_p, POINTER(Grid), POINTER(Argument), c_size_t],
    "queue_record": [c_void_p, POINTER(c_void_p)],
    "queue_wait": [c_void_p, c_void_p],
    "queue_on_complete": [c_void_p, Callback, c_void_p],
    "queue_finish": [c_void_p],
    "queue_upload_box": [c_void_p, c_void_p, POINTER(Box), c_void_p, POINTER(Box)],
    "queue_replay": [c_void_p, c_void_p],
    "recording_create": [c_void_p, Record, c_void_p, POINTER(c_void_p)],
    "recording_set": [c_void_p, POINTER(Step), c_size_t, POINTER(Argument)],
    "recorder_launch": [c_void_p, c_void_p, POINTER(Grid), POINTER(Argument), c_size_t, POINTER(Step)],
    "event_is_ready": [c_void_p, POINTER(c_int32)],
    "event_elapsed": [c_void_p, c_void_p, POINTER(c_int64)],
    "event_wait": [c_void_p],
    "share_create": [c_void_p, c_void_p, c_size_t, c_int32, c_void_p, POINTER(c_void_p)],
    "share_begin": [c_void_p, c_void_p, c_int32, c_size_t, c_size_t, POINTER(c_void_p), POINTER(c_void_p)],
    "share_explain": [c_void_p, c_char_p, c_size_t, POINTER(c_size_t)],
    "share_end": [c_void_p],
}
RELEASES = ("buffer", "program", "kernel", "queue", "event", "share", "access", "recording")
for name, types in SIGNATURES.items():
    getattr(ferry, "ferry_" + name).argtypes = types
    getattr(ferry, "ferry_" + name).restype = c_int32
for name in RELEASES:
    getattr(ferry, f"ferry_{name}_release").argtypes = [c_void_p]
    getattr(ferry, f"ferry_{name}_release").restype = None


def call(name, *arguments):
    code = getattr(ferry, "ferry_" + name)(*arguments)
    if code:
        raise FerryError(code, ferry.ferry_last_error().decode())


def make(name, *arguments):
    handle = c_void_p()
    call(name, *arguments, byref(handle))
    return handle


def release(**handles):
    for name, handle in handles.items():
        getattr(ferry, f"ferry_{name.rstrip('0123456789')}_release")(handle)


def u32(number):
    return Argument(Argument.SCALAR, Argument.U32, Value(u32=number), 0, 4)


def whole(handle, kind=Argument.BUFFER):
    return Argument(kind, 0, Value(data=handle.value), 0, TO_END)


def launch(queue, kernel, items, *arguments):
    grid = Grid((-(-items // 64), 1, 1), (64, 1, 1))
    call("queue_launch", queue, kernel, byref(grid), (Argument * len(arguments))(*arguments), len(arguments))


def numbers(count):
    source = random.Random(count)
    return (c_uint32 * count)(*(source.getrandbits(24) for _ in range(count)))


def advanced(x):
    for _ in range(32):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
    return x


def scrambled(x, rounds):
    for _ in range(rounds):
        x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        x ^= x >> 15
    return x


def kernel_of(device, file, name):
    path = str(pathlib.Path(sys.argv[2]) / file).encode()
    program = make("program_create_from_file", device, 0, path, None)
    kernel = make("kernel_create", program, name)
    release(program=program)
    return kernel


def transfer(device):
    count = 4099
    data, result = os.urandom(count), ctypes.create_string_buffer(count)
    queue, kernel = make("queue_create", device, None), kernel_of(device, "01_transfer/transfer.cl", b"invert")
    up, down = (make("buffer_create", device, count, 0) for _ in range(2))
    call("queue_upload", queue, data, up, 0, count)
    launch(queue, kernel, count, whole(up), whole(down), u32(count))
    call("queue_download", queue, down, 0, result, count)
    call("queue_finish", queue)
    assert result.raw == bytes(255 - byte for byte in data)
    release(buffer=up, buffer2=down, queue=queue, kernel=kernel)


def overlap(device):
    count, rounds = 1031, 8
    data, result = numbers(count), (c_uint32 * count)()
    queue, kernel = make("queue_create", device, None), kernel_of(device, "02_async/scramble.cl", b"scramble")
    memory = make("buffer_create", device, ctypes.sizeof(data), 0)
    call("queue_upload", queue, data, memory, 0, ctypes.sizeof(data))
    launch(queue, kernel, count, whole(memory), u32(count), u32(rounds))
    call("queue_download", queue, memory, 0, result, ctypes.sizeof(data))
    done = make("queue_record", queue)
    expected = [scrambled(x, rounds) for x in data]  # Python's part in the meantime
    ready = c_int32()
    while not ready.value:
        call("event_is_ready", done, byref(ready))
    assert list(result) == expected
    release(event=done, buffer=memory, queue=queue, kernel=kernel)


def events(device):
    count = 509
    data, result = numbers(count), (c_uint32 * count)()
    size = ctypes.sizeof(data)
    maker, digester = (make("queue_create", device, None) for _ in range(2))
    advance = kernel_of(device, "03_events/stages.cl", b"advance")
    digest = kernel_of(device, "03_events/stages.cl", b"digest")
    first, second, digests = (make("buffer_create", device, size, 0) for _ in range(3))
    zero = c_uint32(0)
    call("queue_upload", maker, data, first, 0, size)
    call("queue_fill", digester, digests, 0, TO_END, byref(zero), 4)
    begun = make("queue_record", maker)
    launch(maker, advance, count, whole(first), whole(second), u32(count))
    made = make("queue_record", maker)
    call("queue_wait", digester, made)
    launch(digester, digest, count, whole(second), whole(digests), u32(count))
    call("queue_download", digester, digests, 0, result, size)
    call("queue_finish", digester)
    call("event_wait", made)
    assert list(result) == [advanced(x) for x in data]
    time = c_int64(-2)
    call("event_elapsed", begun, made, byref(time))
    assert time.value >= -1
    release(event=begun, event2=made, buffer=first, buffer2=second, buffer3=digests, queue=maker, queue2=digester,
            kernel=advance, kernel2=digest)


def callbacks(device):
    count, lanes, seen = 257, 3, []
    data = numbers(count * lanes)
    expected = [pow(x, 100, 1 << 32) for x in data]
    kernel = kernel_of(device, "04_queues/power.cl", b"power")
    callback = Callback(lambda code, message, user: seen.append((code, message, user)))
    used = []
    for lane in range(lanes):
        queue, memory = make("queue_create", device, None), make("buffer_create", device, 4 * count, 0)
        block = ctypes.byref(data, 4 * count * lane)
        call("queue_upload", queue, block, memory, 0, 4 * count)
        launch(queue, kernel, count, whole(memory), u32(count), u32(100))
        call("queue_download", queue, memory, 0, block, 4 * count)
        call("queue_on_complete", queue, callback, lane + 1)
        used.append((queue, memory))
    for queue, memory in used:
        call("queue_finish", queue)
        release(queue=queue, buffer=memory)
    assert list(data) == expected
    assert sorted(seen) == [(0, b"", lane + 1) for lane in range(lanes)], seen
    release(kernel=kernel)


def sharing(device):
    count = 1021
    data, before = numbers(count), list(numbers(count))
    queue, kernel = make("queue_create", device, None), kernel_of(device, "02_async/scramble.cl", b"scramble")
    share = make("share_create", device, data, ctypes.sizeof(data), DEVICE_UPDATES, None)
    launch(queue, kernel, count, whole(share, Argument.SHARE), u32(count), u32(4))
    access, address = c_void_p(), c_void_p()
    call("share_begin", share, queue, HOST_READS, 0, TO_END, byref(access), byref(address))
    assert list((c_uint32 * count).from_address(address.value)) == [scrambled(x, 4) for x in before]
    release(access=access)
    needed = c_size_t()
    call("share_explain", share, None, 0, byref(needed))
    text = ctypes.create_string_buffer(needed.value)
    call("share_explain", share, text, needed, None)
    assert len(text.value) + 1 == needed.value
    print(text.value.decode())
    call("share_end", share)
    assert list(data) == [scrambled(x, 4) for x in before]
    release(share=share, queue=queue, kernel=kernel)


def recorded(device):
    count = 263
    data, result = numbers(count), (c_uint32 * count)()
    queue, kernel = make("queue_create", device, None), kernel_of(device, "04_queues/power.cl", b"power")
    memory, step = make("buffer_create", device, 4 * count, 0), Step()

    @Record
    def commands(recorder, _):
        grid = Grid((-(-count // 64), 1, 1), (64, 1, 1))
        arguments = (Argument * 3)(whole(memory), u32(count), u32(0))
        return ferry.ferry_recorder_launch(recorder, kernel, byref(grid), arguments, 3, byref(step))

    recording = make("recording_create", device, commands, None)
    for exponent in (3, 50):
        call("recording_set", recording, byref(step), 2, byref(u32(exponent)))
        call("queue_upload", queue, data, memory, 0, 4 * count)
        call("queue_replay", queue, recording)
        call("queue_download", queue, memory, 0, result, 4 * count)
        call("queue_finish", queue)
        assert list(result) == [pow(x, exponent, 1 << 32) for x in data]
    refused(OUT_OF_RANGE, ["'record'", "returned 2"], "recording_create", device, Record(lambda *_: 2), None,
            byref(c_void_p()))
    release(recording=recording, buffer=memory, queue=queue, kernel=kernel)


def boxes(device):
    width, height, pitch = 13, 7, 31
    data, result = os.urandom(pitch * height), ctypes.create_string_buffer(pitch * height)
    queue, memory = make("queue_create", device, None), make("buffer_create", device, len(data), 0)
    zero = c_uint32(0)
    call("queue_fill", queue, memory, 0, TO_END, byref(zero), 1)
    call("queue_upload_box", queue, data, byref(Box(5, width, height, 1, pitch, 0)), memory,
         byref(Box(2, width, height, 1, 0, 0)))
    call("queue_download", queue, memory, 0, result, len(data))
    call("queue_finish", queue)
    rows = b"".join(data[5 + y * pitch:5 + y * pitch + width] for y in range(height))
    assert result.raw == b"\0\0" + rows + bytes(len(data) - 2 - len(rows))
    release(queue=queue, buffer=memory)


def refused(code, words, name, *arguments):
    try:
        call(name, *arguments)
    except FerryError as error:
        assert error.code == code and all(word in str(error) for word in words), (error.code, str(error))
        return
    raise AssertionError(f"{name}{arguments} was taken")


def wrong(device):
    queue, memory = make("queue_create", device, None), make("buffer_create", device, 64, 0)
    refused(INVALID_ARGUMENT, ["'queue'", "ferry_queue_finish()", "null"], "queue_finish", None)
    refused(INVALID_ARGUMENT, ["a ferry_buffer", "a ferry_queue"], "queue_finish", memory)
    refused(OUT_OF_RANGE, ["64 bytes"], "queue_upload", queue, bytes(65), memory, 0, 65)
    refused(NOT_FOUND, ["/nowhere"], "program_create_from_file", device, 0, b"/nowhere", None, byref(c_void_p()))
    release(queue=queue, buffer=memory)


def main():
    device = make("device_default")
    for part in (transfer, overlap, events, callbacks, sharing, recorded, boxes, wrong):
        part(device)
    memory = MemoryInfo()
    call("device_get_memory", device, byref(memory))
    assert memory.total > 0 and memory.used_here == 0, memory.used_here
    print("Ferry", ferry.ferry_version().decode())


if __name__ == "__main__":
    main()
