// SPDX-License-Identifier: Apache-2.0
#include "opencl_program.hpp"

#include "opencl_binary.hpp"
#include "opencl_cache.hpp"
#include "opencl_device.hpp"
#include "opencl_error.hpp"
#include "opencl_kernel.hpp"
#include "opencl_lines.hpp"
#include "opencl_text.hpp"
#include "system/process.hpp"

#include <algorithm>
#include <cstring>

namespace ferry::opencl {
namespace {

constexpr std::size_t most_log_in_message = 8192;

BinaryOrigin origin_of(const OpenclDevice& device) {
    return {device.traits().platform_name, device.traits().device_name, device.info().driver_version};
}

std::string read_log(const OpenclDevice& device, cl_program program) {
    const Api& api = device.api();
    std::size_t bytes = 0;
    if (api.clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) !=
            CL_SUCCESS ||
        bytes == 0 || bytes > backend::most_log) {
        return {};
    }
    std::string log(bytes, '\0');
    if (api.clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr) !=
        CL_SUCCESS) {
        return {};
    }
    log.resize(std::min(log.find('\0'), log.size()));
    log.erase(log.find_last_not_of(" \t\r\n") + 1);
    return log;
}

std::string excerpt(const std::string& log) {
    if (log.empty()) {
        return "; the compiler gave no message";
    }
    if (log.size() <= most_log_in_message) {
        return "; the compiler says:\n" + log;
    }
    return "; the compiler says (the first " + std::to_string(most_log_in_message) + " of " +
           std::to_string(log.size()) + " bytes, all of them are in Error::log()):\n" +
           log.substr(0, most_log_in_message);
}

cl_program create_from_source(OpenclDevice& device, const std::string& text) {
    const char* start = text.c_str();
    const std::size_t size = text.size();
    cl_int code = CL_SUCCESS;
    cl_program program = device.api().clCreateProgramWithSource(device.context(), 1, &start, &size, &code);
    return made(program, code, "clCreateProgramWithSource");
}

cl_program create_from_spirv(OpenclDevice& device, const std::string& words) {
    const Api& api = device.api();
    cl_int code = CL_SUCCESS;
    if (api.clCreateProgramWithIL != nullptr) {
        cl_program program = api.clCreateProgramWithIL(device.context(), words.data(), words.size(), &code);
        return made(program, code, "clCreateProgramWithIL");
    }
    cl_program program = api.clCreateProgramWithILKHR(device.context(), words.data(), words.size(), &code);
    return made(program, code, "clCreateProgramWithILKHR");
}

/// Whether the module has a memory model of shaders. Only the words in this machine's byte order are read.
bool is_for_shaders(const std::string& module) {
    constexpr std::uint32_t memory_model = 14; // The instruction; OpenCL's model is 2.
    const auto word = [&](std::size_t index) {
        std::uint32_t value = 0;
        std::memcpy(&value, module.data() + index * sizeof value, sizeof value);
        return value;
    };
    const std::size_t count = module.size() / sizeof(std::uint32_t);
    for (std::size_t at = 5; at < count && word(at) >> 16 != 0; at += word(at) >> 16) {
        if ((word(at) & 0xFFFF) == memory_model) {
            return at + 2 < count && word(at + 2) != 2;
        }
    }
    return false;
}

std::string dotted(int version) {
    return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// The version in the header of a SPIR-V module, 10 for 1.0. 0 if it is not one. Either byte order.
int spirv_version(const std::string& module) {
    std::uint32_t words[2] = {};
    if (module.size() < sizeof words) {
        return 0;
    }
    std::memcpy(words, module.data(), sizeof words);
    if (words[0] == 0x03022307U) {
        words[1] = __builtin_bswap32(words[1]);
    } else if (words[0] != 0x07230203U) {
        return 0;
    }
    return static_cast<int>((words[1] >> 16 & 0xFF) * 10 + (words[1] >> 8 & 0xFF));
}

backend::Fit fit_binary(const OpenclDevice& device, const Source& source) {
    const UnpackedBinary binary = unpack_binary(source.contents());
    if (!binary.problem.empty()) {
        return {backend::rank::none, binary.problem};
    }
    const BinaryOrigin here = origin_of(device);
    if (binary.origin != here) {
        const auto text = [](const BinaryOrigin& o) {
            return o.device + " of " + o.platform + ", driver " + o.driver;
        };
        return {backend::rank::none, "a binary for " + text(binary.origin) + "; the device is " + text(here)};
    }
    return {backend::rank::binary, "a binary for this device and driver"};
}

backend::Fit fit_spirv(const OpenclDevice& device, const Source& source) {
    const int version = spirv_version(source.contents());
    if (version == 0) {
        return {backend::rank::none,
                "not a SPIR-V module: it does not begin with the magic number 0x07230203"};
    }
    const int limit = device.traits().spirv;
    if (limit < 0) {
        return {backend::rank::none, "the driver takes no SPIR-V"};
    }
    if (version > limit) {
        return {backend::rank::none,
                "SPIR-V " + dotted(version) + "; the driver takes up to " + dotted(limit)};
    }
    if (is_for_shaders(source.contents())) {
        return {backend::rank::none, "SPIR-V for Vulkan; the driver takes SPIR-V for OpenCL"};
    }
    return {backend::rank::intermediate, "SPIR-V " + dotted(version)};
}

} // namespace

cl_program create_from_binary(OpenclDevice& device, std::string_view payload) {
    const auto* start = reinterpret_cast<const unsigned char*>(payload.data());
    const std::size_t size = payload.size();
    cl_device_id const id = device.id();
    cl_int status = CL_SUCCESS;
    cl_int code = CL_SUCCESS;
    cl_program program =
        device.api().clCreateProgramWithBinary(device.context(), 1, &id, &size, &start, &status, &code);
    return made(program, code, "clCreateProgramWithBinary");
}

OpenclProgram::~OpenclProgram() {
    if (!backend::process_is_exiting()) {
        static_cast<void>(device_.api().clReleaseProgram(program_));
    }
}

void OpenclProgram::build(const std::string& options) {
    if (device_.traits().waits_for_linker && ferry::detail::loses_child_status()) {
        throw Error(Code::build_failed,
                    "This program ignores SIGCHLD or has set SA_NOCLDWAIT for it, and then " +
                        device_.traits().platform_name +
                        " ends the process when it waits for its linker; give SIGCHLD its default action "
                        "(signal(SIGCHLD, SIG_DFL)), or use another backend");
    }
    cl_device_id const id = device_.id();
    const auto run = [&](const std::string& with) {
        const cl_int result = device_.api().clBuildProgram(program_, 1, &id, with.c_str(), nullptr, nullptr);
        log_ = in_users_lines(read_log(device_, program_), text_);
        return result;
    };
    cl_int code = run(options);
    if (code == CL_BUILD_PROGRAM_FAILURE && log_.find("ptxas") != std::string::npos) {
        // NVIDIA's driver 580, asked for the arguments' description, writes PTX that its own assembler
        // rejects if a kernel has no arguments. The PTX of the failed build has the notes.
        notes_ = read_ptx_notes(payload());
        std::string without = options;
        without.replace(without.find(argument_info), argument_info.size(), "");
        code = run(without);
    }
    if (code != CL_SUCCESS) {
        const Code portable =
            portable_code(code) == Code::out_of_memory ? Code::out_of_memory : Code::build_failed;
        const Error error = vendor_error(portable, "clBuildProgram", code, "With the options " + options);
        throw error.with_message(error.what() + excerpt(log_)).with_log(log_);
    }
}

bool OpenclProgram::has_kernels() const {
    std::size_t count = 0;
    const cl_int code =
        device_.api().clGetProgramInfo(program_, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr);
    if (code == CL_INVALID_PROGRAM_EXECUTABLE || code == CL_INVALID_VALUE) {
        return false; // The answer of some drivers if there is none.
    }
    check(code, "clGetProgramInfo");
    return count != 0;
}

cl_kernel OpenclProgram::create_kernel(const std::string& name) {
    const std::string_view prefix = device_.traits().builtin_prefix;
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = device_.api().clCreateKernel(program_, name.c_str(), &code);
    if (code == CL_INVALID_KERNEL_NAME && has_prefix(name, device_.traits())) {
        kernel = device_.api().clCreateKernel(program_, (std::string(prefix) + name).c_str(), &code);
    }
    if (code == CL_INVALID_KERNEL_NAME) {
        return nullptr;
    }
    return made(kernel, code, "clCreateKernel");
}

std::unique_ptr<backend::Kernel> OpenclProgram::kernel(const std::string& name) {
    KernelHandle handle(create_kernel(name), {&device_.api()});
    if (handle == nullptr) {
        return nullptr;
    }
    auto kernel = std::make_unique<OpenclKernel>(device_, std::move(handle), name, notes_,
                                                 device_.launch_record(text_, name));
    if (const auto limit = group_limits_.find(name); limit != group_limits_.end()) {
        kernel->set_group_limit(limit->second);
    }
    return kernel;
}

std::vector<std::string> OpenclProgram::kernel_names() {
    const Api& api = device_.api();
    std::size_t bytes = 0;
    check(api.clGetProgramInfo(program_, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &bytes), "clGetProgramInfo");
    backend::plausible(Backend::opencl, "clGetProgramInfo", "bytes of kernel names", bytes, 0,
                       backend::most_log);
    std::string text(bytes, '\0');
    check(api.clGetProgramInfo(program_, CL_PROGRAM_KERNEL_NAMES, bytes, text.data(), nullptr),
          "clGetProgramInfo");
    std::vector<std::string> names;
    std::string name;
    text += ';';
    for (const char c : text) {
        if (c != ';' && c != ' ' && c != '\0') {
            name += c;
        } else if (!name.empty()) {
            names.emplace_back(users_name(std::exchange(name, {}), device_.traits()));
        }
    }
    return names;
}

std::string OpenclProgram::payload() {
    const Api& api = device_.api();
    std::size_t bytes = 0;
    check(api.clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr),
          "clGetProgramInfo");
    backend::plausible(Backend::opencl, "clGetProgramInfo", "bytes of binary", bytes, 0, backend::most_code);
    std::string text(bytes, '\0');
    if (bytes != 0) {
        auto* start = reinterpret_cast<unsigned char*>(text.data());
        check(api.clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof start, static_cast<void*>(&start),
                                   nullptr),
              "clGetProgramInfo");
    }
    return text;
}

KernelNotes OpenclProgram::notes() {
    KernelNotes all;
    for (const std::string& name : kernel_names()) {
        const KernelHandle kernel(create_kernel(name), {&device_.api()});
        const auto known = notes_.find(name);
        auto told = kernel != nullptr ? read_notes(device_, kernel.get()) : std::nullopt;
        all[name] = told                    ? std::move(*told)
                    : known != notes_.end() ? known->second
                                            : std::vector<ParameterNote>();
    }
    return all;
}

std::vector<std::byte> OpenclProgram::binary() {
    const std::string bytes = payload();
    return bytes.empty() ? std::vector<std::byte>() : pack_binary(origin_of(device_), bytes);
}

backend::Fit fit_source(const OpenclDevice& device, const Source& source) {
    switch (source.language()) {
    case Language::opencl_c:
        return device.info().compiles ? backend::Fit{backend::rank::source, device.info().compile_note}
                                      : backend::Fit{backend::rank::none, device.info().compile_note};
    case Language::opencl_binary:
        return fit_binary(device, source);
    case Language::spirv:
        return fit_spirv(device, source);
    default:
        return {backend::rank::none, "the opencl backend takes OpenCL C, OpenCL binaries and SPIR-V"};
    }
}

std::unique_ptr<backend::Program> build_program(OpenclDevice& device, const Source& source,
                                                const BuildOptions& options) {
    std::unique_ptr<OpenclProgram> program;
    if (source.language() == Language::opencl_c) {
        DriverText made = driver_text(source, options, device);
        const std::string& text = made.text;
        const std::string with = option_text(options);
        ProgramEntry entry(device, text, with);
        program = entry.load();
        if (program == nullptr) {
            program = std::make_unique<OpenclProgram>(device, create_from_source(device, text), text + with);
            program->build(with);
            if (!program->has_kernels()) {
                throw refused_text(source.name() + ":1:1: error: the file has no kernel");
            }
            entry.store(*program);
        }
        program->set_group_limits(std::move(made.group_limits));
    } else if (source.language() == Language::opencl_binary) {
        const UnpackedBinary binary = unpack_binary(source.contents());
        if (!binary.problem.empty() || binary.origin != origin_of(device)) {
            throw Error(Code::build_failed, "The OpenCL binary is not for " + device.info().name + ": " +
                                                fit_binary(device, source).why);
        }
        program = std::make_unique<OpenclProgram>(device, create_from_binary(device, binary.payload),
                                                  source.contents());
        program->build(std::string(argument_info));
    } else {
        program = std::make_unique<OpenclProgram>(device, create_from_spirv(device, source.contents()),
                                                  source.contents());
        program->build(std::string(argument_info));
    }
    return program;
}

} // namespace ferry::opencl
