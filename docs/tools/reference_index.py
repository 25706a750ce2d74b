# SPDX-License-Identifier: Apache-2.0
"""The public headers by purpose, for the index of the API reference: a title and a sentence for each."""

CPP = [
    ("Devices", [
        ("device", "Devices", "Lists the devices of the machine, chooses one, and describes it."),
        ("device_info", "Properties of devices", "Lists the properties of a device, as its vendor reports them."),
        ("backend", "Backends", "Names the backends, and gives the reason for each that is not available."),
        ("settings", "Settings", "Sets in the program what environment variables set from outside."),
        ("capabilities", "Memory capabilities", "Describes each kind of memory of a device, and how each fact is known."),
    ]),
    ("Memory", [
        ("buffer", "Buffers", "Owns memory of a device."),
        ("view", "Views", "Refers to a range of a buffer."),
        ("memory", "Kinds of memory", "Names the kinds of memory, and reports how much a device has."),
        ("mapping", "Mappings", "Gives the host a pointer to a range of a buffer."),
        ("import", "Imported memory", "Lets a device use memory of the program in place."),
        ("pool", "The pool", "Limits and trims the memory that Ferry keeps for new buffers."),
    ]),
    ("Sharing", [
        ("share", "Shares", "Shares memory of the program with a device, in the cheapest way that is correct."),
        ("placement", "Placements", "Names the ways to share memory, and explains which one was chosen."),
        ("exported", "Exported memory", "Lets devices of two interfaces of one GPU work on the same memory."),
        ("stream", "Streams of chunks", "Moves data through a device that is smaller than the data."),
    ]),
    ("Commands", [
        ("queue", "Queues", "Runs copies, fills and launches on a device, in order."),
        ("event", "Events", "Waits for commands, and measures the time between two points of a queue."),
        ("recording", "Recordings", "Replays a list of commands with one call."),
        ("batch", "Batches", "Makes one command of many small copies."),
        ("box", "Boxes", "Copies parts of images and volumes."),
        ("file", "Files", "Reads a file into a buffer, and writes a buffer to a file."),
        ("copy_end", "Ends of a copy", "Describes one end of a copy for code that builds copies at run time."),
        ("wait_policy", "Wait policies", "Chooses how a thread waits for a device: it spins, yields or blocks."),
        ("queue_options", "Options of queues", "Chooses times, waits and the priority of a queue."),
        ("hints", "Hints", "Names priorities of queues, and the prefetches and advice for shared memory."),
        ("staging", "Staging", "Prepares and releases the page-locked slots for copies of ordinary memory."),
    ]),
    ("Kernels", [
        ("program", "Programs", "Builds kernels for a device."),
        ("build_options", "Options of builds", "Gives definitions, headers and limits to the build of a program."),
        ("source", "Sources", "Holds the text or the code of a program, in OpenCL C or a vendor's language."),
        ("kernel", "Kernels", "Is one entry point of a program, with its parameters and limits."),
        ("kernel_info", "Properties of kernels", "Lists the parameters and limits of a kernel."),
        ("grid", "Grids", "Describes the number of work-groups of a launch, and their size."),
        ("argument", "Arguments", "Passes local memory, and arguments that are known at run time only."),
        ("argument_type", "Types of arguments", "Names the element types that a launch checks, and the largest number of arguments."),
        ("embedded_kernels", "Embedded kernels", "Holds a kernel file that `ferry_add_kernels()` put into the program."),
        ("host_kernel", "Kernels of the program", "Runs a C++ function of the program as a kernel of the host device."),
        ("compile", "Compiling without a device", "Checks and compiles kernel text, as `ferry compile` does."),
        ("spirv", "SPIR-V", "Makes a SPIR-V module for OpenCL drivers from kernel text."),
    ]),
    ("Errors and tools", [
        ("error", "Errors", "Describes a failure: its code, the vendor's call, and a sentence."),
        ("source_location", "Source locations", "Names the line of the program that made a call."),
        ("range", "Ranges", "Names a part of the program in traces and profilers."),
        ("cache", "The cache", "Reports on the compiled kernels that are kept on disk, and removes them."),
        ("version", "Versions", "Gives the version of the library."),
    ]),
    ("Other libraries", [
        ("interop/cuda", "CUDA", "Exchanges streams, events, memory and functions with code for CUDA."),
        ("interop/hip", "HIP", "Exchanges streams, events, memory and functions with code for HIP."),
        ("interop/opencl", "OpenCL", "Exchanges queues, events, memory and kernels with code for OpenCL."),
        ("interop/vulkan", "Vulkan", "Exchanges queues, semaphores and memory with code for Vulkan."),
        ("interop/host", "The host device", "Gives pointers to memory that the processor reaches."),
        ("interop/kokkos", "Kokkos", "Lets Kokkos and Ferry work on the same memory, in order."),
        ("interop/mpi", "MPI", "Sends buffers from rank to rank, between devices of any backend."),
        ("interop/mpi/basics", "MPI: devices of ranks", "Chooses the device of a rank, and names reductions."),
        ("interop/mpi/engine", "MPI: explanations", "Reports how a communicator moves messages."),
        ("interop/mpi/route", "MPI: routes", "Names the ways in which a message leaves a device."),
    ]),
]

C = [
    ("base", "Handles and errors", "Declares the handles, and reports the error of a call."),
    ("device", "Devices", "Lists the devices of the machine, chooses one, and describes it."),
    ("buffer", "Buffers", "Creates and maps memory of a device."),
    ("queue", "Queues", "Runs copies, fills and launches on a device, in order."),
    ("copy", "Boxes, batches and files", "Copies parts of images, many small ranges, and files."),
    ("event", "Events", "Waits for commands, and measures the time between two of them."),
    ("program", "Programs and kernels", "Builds kernels for a device, and describes them."),
    ("argument", "Arguments and grids", "Describes the shape of a launch and its arguments."),
    ("recording", "Recordings", "Replays a list of commands with one call."),
    ("share", "Shares", "Shares memory of the program with a device."),
    ("native", "Native handles", "Exchanges handles with code for CUDA, HIP or OpenCL."),
]

# Parts of the headers above, which declare nothing of their own for programs.
WITHOUT_ENTRY = {"abi", "export", "ferry", "standard", "interop/native", "interop/mpi/leftovers", "interop/mpi/slots", "interop/mpi/transfer"}
