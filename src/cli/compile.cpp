// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "files.hpp"
#include "process.hpp"
#include "system/process.hpp"
#include "text.hpp"

#include <ferry/compile.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <system_error>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

const char* kind_name(ferry::ParameterKind kind) {
    switch (kind) {
    case ferry::ParameterKind::value:
        return "value";
    case ferry::ParameterKind::buffer:
        return "buffer";
    case ferry::ParameterKind::local:
        return "local";
    default:
        return "unknown";
    }
}

const char* space_name(ferry::AddressSpace space) {
    switch (space) {
    case ferry::AddressSpace::none:
        return "none";
    case ferry::AddressSpace::global:
        return "global";
    case ferry::AddressSpace::constant:
        return "constant";
    case ferry::AddressSpace::local:
        return "local";
    default:
        return "unknown";
    }
}

Json to_json(const std::vector<ferry::CompileResult>& results) {
    Json targets = Json::array();
    for (const ferry::CompileResult& r : results) {
        targets.push_back({{"backend", ferry::to_string(r.backend)},
                           {"arch", r.architecture},
                           {"compiler", r.compiler},
                           {"available", r.available},
                           {"ok", r.ok},
                           {"translated", r.translated},
                           {"diagnostics", r.diagnostics},
                           {"bytes", r.binary.size()},
                           {"kernels", kernels_json(r.kernels)}});
    }
    return targets;
}

void print_kernel(const Json& kernel, const Json& targets) {
    std::cout << "kernel " << kernel["name"].get<std::string>() << '(';
    const char* comma = "";
    for (const Json& p : kernel["arguments"]) {
        std::cout << comma << (p["kind"] == "local" ? "local " : "") << p["type"].get<std::string>() << ' '
                  << p["name"].get<std::string>();
        comma = ", ";
    }
    std::cout << ")\n";
    for (const Json& target : targets) {
        for (const Json& k : target["kernels"]) {
            if (k["name"] == kernel["name"] && (k["registers"] != 0 || k["local_bytes"] != 0)) {
                std::cout << "  " << target["backend"].get<std::string>() << ' '
                          << printable(target["arch"].get<std::string>()) << ": ";
                if (k["registers"] != 0) { // 0: not reported by the compiler.
                    std::cout << k["registers"] << " registers, ";
                }
                std::cout << k["local_bytes"] << " bytes of local memory\n";
            }
        }
    }
}

void print_text(const Json& all) {
    for (const Json& t : all["targets"]) {
        const bool failed = t["available"].get<bool>() || !t["translated"].get<bool>();
        std::cout << padded(t["backend"].get<std::string>(), 7) << ' '
                  << padded(t["ok"].get<bool>() ? "ok"
                            : failed            ? "failed"
                                                : "no compiler",
                            12)
                  << ' ' << printable(t["arch"].get<std::string>()) << "  ("
                  << printable(t["compiler"].get<std::string>()) << ")\n";
        if (!t["diagnostics"].get<std::string>().empty()) {
            std::cout << t["diagnostics"].get<std::string>() << '\n';
        }
    }
    for (const Json& kernel : all["kernels"]) {
        print_kernel(kernel, all["targets"]);
    }
}

const char* extension(ferry::Language language) {
    switch (language) {
    case ferry::Language::ptx:
        return ".ptx";
    case ferry::Language::cubin:
        return ".cubin";
    case ferry::Language::code_object:
        return ".co";
    case ferry::Language::host:
        return ".so";
    default:
        return ".bin";
    }
}

void emit(const std::vector<ferry::CompileResult>& results, const std::string& file,
          const std::string& folder) {
    for (const ferry::CompileResult& r : results) {
        std::string stem =
            std::filesystem::path(file).stem().string() + "." + std::string(ferry::to_string(r.backend));
        for (const char c : "." + r.architecture) {
            const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                               c == '.' || c == '_';
            stem += plain ? c : '-';
        }
        const std::filesystem::path base = std::filesystem::path(folder) / stem;
        if (!r.translation.empty()) {
            tool::write_file(base.string() + ".cpp", r.translation);
        }
        if (!r.binary.empty()) {
            tool::write_file(base.string() + extension(r.language),
                             {reinterpret_cast<const char*>(r.binary.data()), r.binary.size()});
        }
    }
}

Json compile_here(const CompileCommand& command) {
    const ferry::Source source = ferry::Source::opencl_c(tool::read_file(command.file), command.file);
    const std::vector<ferry::CompileResult> results = ferry::compile(source, command.request);
    if (!command.emit.empty()) {
        emit(results, command.file, command.emit);
    }
    return to_json(results);
}

// Compiles in a separate process for each backend. The compilers of several vendors cannot share a process:
// hipRTC and some OpenCL drivers each contain a copy of LLVM, and loading the second one ends the process.
Json compile_apart(const CompileCommand& command, ferry::Backend backend) {
    std::vector<std::string> words{
        ferry::detail::own_program(),          "compile", command.file, "--json", "--here", "--backend",
        std::string(ferry::to_string(backend))};
    const auto add = [&](const char* option, const std::string& value) {
        words.emplace_back(option);
        words.push_back(value);
    };
    for (const std::string& name : command.request.architectures) {
        add("--arch", name);
    }
    for (const std::string& define : command.request.options.defines) {
        add("-D", define);
    }
    for (const std::string& folder : command.request.options.include_directories) {
        add("-I", folder);
    }
    if (!command.request.options.opencl.empty()) {
        words.push_back("--options=" + command.request.options.opencl);
    }
    if (command.request.options.global_offsets) {
        words.emplace_back("--global-offsets");
    }
    if (command.request.options.opencl_only) {
        words.emplace_back("--opencl-only");
    }
    if (!command.emit.empty()) {
        add("--emit", command.emit);
    }
    const ProcessResult result = run_process(words);
    const Json answer = Json::parse(result.output, nullptr, false);
    if (answer.is_object() && answer.contains("refused")) {
        throw std::runtime_error(answer["refused"].get<std::string>());
    }
    if (answer.is_object()) {
        return answer["targets"];
    }
    Json failure{{"backend", ferry::to_string(backend)},
                 {"arch", ""},
                 {"compiler", "its process ended without an answer"},
                 {"available", true},
                 {"ok", false},
                 {"translated", true},
                 {"diagnostics", result.errors},
                 {"bytes", 0},
                 {"kernels", Json::array()}};
    Json list = Json::array();
    list.push_back(std::move(failure));
    return list;
}

// Not every compiler reports the size of structs.
void take_sizes(Json& kernel, const Json& from) {
    Json& arguments = kernel["arguments"];
    if (from["name"] != kernel["name"] || from["arguments"].size() != arguments.size()) {
        return;
    }
    for (std::size_t n = 0; n < arguments.size(); ++n) {
        if (arguments[n]["bytes"] == 0) {
            arguments[n]["bytes"] = from["arguments"][n]["bytes"];
        }
    }
}

// Sends an error of the request to the parent process, so that it is not mistaken for a failure of a driver.
Status compile_part(const CompileCommand& command) {
    Json all;
    Status status = refused;
    try {
        all["targets"] = compile_here(command);
        status = found;
    } catch (const std::exception& error) {
        all["refused"] = error.what();
    }
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    return status;
}

} // namespace

Json kernels_json(const std::vector<ferry::KernelInfo>& kernels) {
    Json list = Json::array();
    for (const ferry::KernelInfo& kernel : kernels) {
        Json arguments = Json::array();
        for (const ferry::ParameterInfo& p : kernel.parameters) {
            arguments.push_back({{"name", p.name},
                                 {"type", p.type_name},
                                 {"kind", kind_name(p.kind)},
                                 {"address_space", space_name(p.space)},
                                 {"bytes", p.bytes}});
        }
        list.push_back({{"name", kernel.name},
                        {"arguments", std::move(arguments)},
                        {"registers", kernel.registers},
                        {"local_bytes", kernel.local_bytes},
                        {"required_local", kernel.required_local}});
    }
    return list;
}

void make_folder(const std::string& folder) {
    std::error_code problem;
    if (!folder.empty()) {
        std::filesystem::create_directories(folder, problem);
    }
    if (problem) {
        throw std::runtime_error("The folder '" + folder + "' cannot be made: " + problem.message());
    }
}

Status compile(const CompileCommand& request) {
    CompileCommand command = request;
    command.request.machine_code = true;
    // Reports an unreadable file once, and not for each backend.
    static_cast<void>(tool::read_file(command.file));
    if (command.here) {
        return compile_part(command);
    }
    std::vector<ferry::Backend> backends = command.request.backends;
    if (backends.empty() && command.request.options.opencl_only) {
        backends = {ferry::Backend::opencl};
    } else if (backends.empty()) {
        backends = {ferry::Backend::cuda, ferry::Backend::hip, ferry::Backend::opencl, ferry::Backend::host};
    }
    make_folder(command.emit);
    Json targets = Json::array();
    for (const ferry::Backend backend : backends) {
        const Json some = compile_apart(command, backend);
        targets.insert(targets.end(), some.begin(), some.end());
    }
    const auto known =
        std::find_if(targets.begin(), targets.end(), [](const Json& t) { return !t["kernels"].empty(); });
    if (targets.empty()) {
        std::string names;
        for (const std::string& name : command.request.architectures) {
            names += (names.empty() ? "'" : "', '") + name;
        }
        std::cerr << "There is no OpenCL device to compile for"
                  << (names.empty() ? "" : " with --arch " + names + "'") << "; see 'ferry list'\n";
    }
    Json all;
    all["targets"] = targets;
    all["kernels"] = known != targets.end() ? (*known)["kernels"] : Json::array();
    for (const Json& target : targets) {
        for (std::size_t k = 0; k < std::min(target["kernels"].size(), all["kernels"].size()); ++k) {
            take_sizes(all["kernels"][k], target["kernels"][k]);
        }
    }
    if (command.json) {
        std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    } else {
        print_text(all);
    }
    const bool failed =
        targets.empty() || std::any_of(targets.begin(), targets.end(), [](const Json& t) {
            return !t["translated"].get<bool>() || (t["available"].get<bool>() && !t["ok"].get<bool>());
        });
    return failed ? refused : found;
}

} // namespace cli
