// SPDX-License-Identifier: Apache-2.0
#include "opencl_program.hpp"

#include "opencl_binary.hpp"
#include "opencl_cache.hpp"
#include "opencl_device.hpp"
#include "opencl_error.hpp"
#include "opencl_kernel.hpp"
#include "opencl_lines.hpp"
#include "translate/flatten.hpp"

#include <ferry/version.hpp>

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
        bytes == 0) {
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

bool needs_quotes(const std::string& text) {
    return text.find_first_of(" \t\"'\\();&|") != std::string::npos;
}

constexpr std::string_view float_add = R"(
#define FERRY_ATOMIC_ADD_FLOAT(SPACE) \
    __attribute__((overloadable)) float ferry_atomic_add_float(volatile SPACE float* p, float v) { \
        union { uint u; float f; } was, sum; \
        do { was.f = *p; sum.f = was.f + v; } \
        while (atomic_cmpxchg((volatile SPACE uint*)p, was.u, sum.u) != was.u); \
        return was.f; }
FERRY_ATOMIC_ADD_FLOAT(__global)
FERRY_ATOMIC_ADD_FLOAT(__local)
)";

// Intel's drivers have the functions under Khronos' names with either extension.
constexpr std::string_view sub_groups = R"(
#if (defined(cl_khr_subgroups) || defined(cl_intel_subgroups)) && defined(cl_khr_subgroup_shuffle) && \
    defined(cl_khr_subgroup_shuffle_relative)
#define FERRY_HAS_SUBGROUPS 1
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#endif
)";

// What it does where a group's copies are done when they return, as PoCL's are.
constexpr std::string_view group_waits =
    "#define wait_group_events(count, events) ((void)(count), (void)(events), "
    "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE))\n";

/// What stands in front of the user's text: the feature macros (docs/kernel-language.md), and definitions
/// whose values hold blanks or quotes, because drivers split the options in different ways there. Messages
/// speak of the text's own name and lines.
std::string prelude(const Source& source, const BuildOptions& options, const OpenclDevice& device) {
    std::string text = "#define FERRY_OPENCL 1\n#define FERRY_HAS_ATOMIC_ADD_FLOAT 1\n#ifdef cl_khr_fp64\n"
                       "#define FERRY_HAS_FP64 1\n#endif\n#define FERRY_VERSION ";
    text +=
        std::to_string(FERRY_VERSION_MAJOR * 10000 + FERRY_VERSION_MINOR * 100 + FERRY_VERSION_PATCH) + "\n";
    text += sub_groups;
    if (source.contents().find("ferry_atomic_add_float") != std::string::npos) {
        text += float_add;
    }
    if (device.traits().lacks_group_waits) {
        text += group_waits;
    }
    for (const std::string& define : options.defines) {
        if (needs_quotes(define)) {
            const std::size_t equals = std::min(define.find('='), define.size());
            text += "#define " + define.substr(0, equals) + " " +
                    (equals < define.size() ? define.substr(equals + 1) : "1") + "\n";
        }
    }
    text += "#line 1 \"";
    for (const char c : source.name()) {
        text += c == '"' || c == '\\' || c == '\n' ? '_' : c;
    }
    return text + "\"\n";
}

Error refusal(const std::string& log) {
    return Error(Code::build_failed, "the portable kernel language does not take it\n" + log).with_log(log);
}

std::string place(const std::string& name, std::string_view text, std::size_t at) {
    const std::string_view before = text.substr(0, at);
    const std::size_t end_of_line = before.rfind('\n');
    const std::size_t column = end_of_line == std::string_view::npos ? at + 1 : at - end_of_line;
    return name + ":" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":" +
           std::to_string(column) + ": error: ";
}

/// Drivers read up to the zero, or over it, and say nothing.
void refuse_zero_byte(const std::string& text, const std::string& name) {
    if (const std::size_t at = text.find('\0'); at != std::string::npos) {
        throw refusal(place(name, text, at) + "the text has a control byte, 0x00");
    }
}

/// A function's name of more characters than that; see Traits::longest_name.
void refuse_long_names(const std::string& text, const std::string& name, const OpenclDevice& device) {
    constexpr std::string_view of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    const std::size_t most = device.traits().longest_name;
    for (std::size_t at = text.find_first_of(of_names); at < text.size();) {
        const std::size_t end = std::min(text.find_first_not_of(of_names, at), text.size());
        const std::size_t next = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
        if (end - at > most && next < text.size() && text[next] == '(') {
            throw refusal(place(name, text, at) + "a name of " + std::to_string(end - at) + " characters; " +
                          device.traits().platform_name +
                          " ends the process over a kernel's name of more than " + std::to_string(most));
        }
        at = text.find_first_of(of_names, end);
    }
}

/// The text as it is; with headers that no driver could find, their text in the place of their #include
/// lines.
std::string contents(const Source& source, const BuildOptions& options, const OpenclDevice& device) {
    const auto look_at = [&](const std::string& text, const std::string& name) {
        refuse_zero_byte(text, name);
        refuse_long_names(text, name, device);
    };
    look_at(source.contents(), source.name());
    for (const auto& [name, text] : options.headers) {
        look_at(text, name);
    }
    return options.headers.empty() ? source.contents()
                                   : translate::flatten(source.contents(), source.name(),
                                                        options.include_directories, options.headers);
}

/// The caller's options with "-D NAME" and "-I FOLDER" joined: rusticl 22.3 ends the process over an option
/// of a single character.
std::string join_options(const std::string& options) {
    std::string text;
    for (std::size_t i = 0; i < options.size(); ++i) {
        text += options[i];
        const std::string_view tail = std::string_view(text).substr(text.size() < 2 ? 0 : text.size() - 2);
        const bool starts = text.size() < 3 || text[text.size() - 3] == ' ';
        if (starts && (tail == "-D" || tail == "-I")) {
            i = std::min(options.find_first_not_of(" \t", i + 1), options.size()) - 1;
        }
    }
    return text;
}

std::string option_text(const BuildOptions& options) {
    std::string text = options.opencl.find("-cl-std") == std::string::npos ? "-cl-std=CL1.2 " : "";
    text += argument_info;
    for (const std::string& define : options.defines) {
        text += needs_quotes(define) ? "" : " -D" + define;
    }
    for (const std::string& directory : options.include_directories) {
        text += needs_quotes(directory) ? " -I\"" + directory + "\"" : " -I" + directory;
    }
    return options.opencl.empty() ? text : text + " " + join_options(options.opencl);
}

cl_program create_from_source(OpenclDevice& device, const std::string& text) {
    const char* start = text.c_str();
    const std::size_t size = text.size();
    cl_int code = CL_SUCCESS;
    cl_program program = device.api().clCreateProgramWithSource(device.context(), 1, &start, &size, &code);
    check(code, "clCreateProgramWithSource");
    return program;
}

cl_program create_from_spirv(OpenclDevice& device, const std::string& words) {
    const Api& api = device.api();
    cl_int code = CL_SUCCESS;
    if (api.clCreateProgramWithIL != nullptr) {
        cl_program program = api.clCreateProgramWithIL(device.context(), words.data(), words.size(), &code);
        check(code, "clCreateProgramWithIL");
        return program;
    }
    cl_program program = api.clCreateProgramWithILKHR(device.context(), words.data(), words.size(), &code);
    check(code, "clCreateProgramWithILKHR");
    return program;
}

std::string dotted(int version) {
    return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

/// The version in the header of a SPIR-V module, 10 for 1.0; 0 if it is none. Either byte order.
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
    check(code, "clCreateProgramWithBinary");
    return program;
}

OpenclProgram::~OpenclProgram() {
    if (!backend::process_is_exiting()) {
        device_.api().clReleaseProgram(program_);
    }
}

void OpenclProgram::build(const std::string& options) {
    cl_device_id const id = device_.id();
    const auto run = [&](const std::string& with) {
        const cl_int result = device_.api().clBuildProgram(program_, 1, &id, with.c_str(), nullptr, nullptr);
        log_ = in_users_lines(read_log(device_, program_), text_);
        return result;
    };
    cl_int code = run(options);
    if (code == CL_BUILD_PROGRAM_FAILURE && log_.find("ptxas") != std::string::npos) {
        // NVIDIA's driver 580, asked for what the arguments are, writes PTX that its own assembler refuses if
        // a kernel has none. The PTX of the failed build has the notes.
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
    std::size_t count = 0; // some drivers answer with an error where there is none
    return device_.api().clGetProgramInfo(program_, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr) ==
               CL_SUCCESS &&
           count != 0;
}

std::unique_ptr<backend::Kernel> OpenclProgram::kernel(const std::string& name) {
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = device_.api().clCreateKernel(program_, name.c_str(), &code);
    if (code == CL_INVALID_KERNEL_NAME) {
        return nullptr;
    }
    check(code, "clCreateKernel");
    return std::make_unique<OpenclKernel>(device_, kernel, name, notes_, device_.launch_record(text_, name));
}

std::vector<std::string> OpenclProgram::kernel_names() {
    const Api& api = device_.api();
    std::size_t bytes = 0;
    check(api.clGetProgramInfo(program_, CL_PROGRAM_KERNEL_NAMES, 0, nullptr, &bytes), "clGetProgramInfo");
    std::string text(bytes, '\0');
    check(api.clGetProgramInfo(program_, CL_PROGRAM_KERNEL_NAMES, bytes, text.data(), nullptr),
          "clGetProgramInfo");
    std::vector<std::string> names;
    std::string name;
    for (const char c : text) {
        if (c != ';' && c != ' ' && c != '\0') {
            name += c;
        } else if (!name.empty()) {
            names.push_back(std::exchange(name, {}));
        }
    }
    if (!name.empty()) {
        names.push_back(std::move(name));
    }
    return names;
}

std::string OpenclProgram::payload() {
    const Api& api = device_.api();
    std::size_t bytes = 0;
    check(api.clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, nullptr),
          "clGetProgramInfo");
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
        cl_int code = CL_SUCCESS;
        cl_kernel kernel = device_.api().clCreateKernel(program_, name.c_str(), &code);
        check(code, "clCreateKernel");
        const auto known = notes_.find(name);
        auto told = read_notes(device_.api(), kernel);
        device_.api().clReleaseKernel(kernel);
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
        const std::string text = prelude(source, options, device) + contents(source, options, device);
        const std::string with = option_text(options);
        ProgramEntry entry(device, text, with);
        program = entry.load();
        if (program == nullptr) {
            program = std::make_unique<OpenclProgram>(device, create_from_source(device, text), text + with);
            program->build(with);
            if (!program->has_kernels()) {
                throw refusal(source.name() + ":1:1: error: the file has no kernel");
            }
            entry.store(*program);
        }
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
