// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"
#include "files.hpp"
#include "text.hpp"

#include <ferry/compile.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>

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

Json kernels_json(const std::vector<ferry::KernelInfo>& kernels) {
    Json list = Json::array();
    for (const ferry::KernelInfo& kernel : kernels) {
        Json arguments = Json::array();
        for (const ferry::ParameterInfo& p : kernel.parameters) {
            arguments.push_back(
                {{"name", p.name}, {"type", p.type_name}, {"kind", kind_name(p.kind)}, {"bytes", p.bytes}});
        }
        list.push_back({{"name", kernel.name},
                        {"arguments", std::move(arguments)},
                        {"registers", kernel.registers},
                        {"local_bytes", kernel.local_bytes},
                        {"required_local", kernel.required_local}});
    }
    return list;
}

void print_json(const std::vector<ferry::CompileResult>& results) {
    Json targets = Json::array();
    const std::vector<ferry::KernelInfo>* kernels = nullptr;
    for (const ferry::CompileResult& r : results) {
        targets.push_back({{"backend", ferry::to_string(r.backend)},
                           {"arch", r.architecture},
                           {"compiler", r.compiler},
                           {"available", r.available},
                           {"ok", r.ok},
                           {"diagnostics", r.diagnostics},
                           {"bytes", r.binary.size()},
                           {"kernels", kernels_json(r.kernels)}});
        kernels = kernels == nullptr && !r.kernels.empty() ? &r.kernels : kernels;
    }
    const Json all{{"targets", std::move(targets)},
                   {"kernels", kernels != nullptr ? kernels_json(*kernels) : Json::array()}};
    std::cout << all.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

void print_text(const std::vector<ferry::CompileResult>& results) {
    for (const ferry::CompileResult& r : results) {
        const char* state = r.ok ? "ok" : r.available || !r.translated ? "failed" : "no compiler";
        std::cout << padded(std::string(ferry::to_string(r.backend)), 7) << ' ' << padded(state, 12) << ' '
                  << printable(r.architecture) << "  (" << printable(r.compiler) << ")\n";
        if (!r.diagnostics.empty()) {
            std::cout << r.diagnostics << '\n';
        }
    }
    const auto known =
        std::find_if(results.begin(), results.end(), [](const auto& r) { return !r.kernels.empty(); });
    if (known == results.end()) {
        return;
    }
    for (const ferry::KernelInfo& kernel : known->kernels) {
        std::cout << "kernel " << kernel.name << '(';
        for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
            const ferry::ParameterInfo& p = kernel.parameters[i];
            std::cout << (i == 0 ? "" : ", ") << (p.kind == ferry::ParameterKind::local ? "local " : "")
                      << p.type_name << ' ' << p.name;
        }
        std::cout << ")\n";
        for (const ferry::CompileResult& r : results) {
            for (const ferry::KernelInfo& k : r.kernels) {
                if (k.name == kernel.name && (k.registers != 0 || k.local_bytes != 0)) {
                    std::cout << "  " << ferry::to_string(r.backend) << ' ' << printable(r.architecture)
                              << ": " << k.registers << " registers, " << k.local_bytes
                              << " bytes of local memory\n";
                }
            }
        }
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
    std::filesystem::create_directories(folder);
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

} // namespace

Status compile(const CompileCommand& command) {
    const ferry::Source source = ferry::Source::opencl_c(tool::read_file(command.file), command.file);
    const std::vector<ferry::CompileResult> results = ferry::compile(source, command.request);
    if (!command.emit.empty()) {
        emit(results, command.file, command.emit);
    }
    command.json ? print_json(results) : print_text(results);
    bool failed = results.empty();
    for (const ferry::CompileResult& r : results) {
        failed = failed || !r.translated || (r.available && !r.ok);
    }
    return failed ? refused : found;
}

} // namespace cli
