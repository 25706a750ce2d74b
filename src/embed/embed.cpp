// SPDX-License-Identifier: Apache-2.0
#include "embed.hpp"

#include "files.hpp"
#include "opencl_check.hpp"

#include <ferry/spirv.hpp>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace tool {
namespace {

std::string array(const std::string& name, std::string_view bytes) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text = "constexpr char " + name + "[] = {";
    text.reserve(bytes.size() * 7 + 64);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const auto byte = static_cast<unsigned char>(bytes[i]);
        text += i % 16 == 0 ? "\n    '\\x" : "'\\x";
        text += digits[byte >> 4];
        text += digits[byte & 15];
        text += "',";
    }
    return text + " 0};\n";
}

std::string view(const std::string& name, std::size_t size) {
    return "{" + name + ", " + std::to_string(size) + "}";
}

// Programs are linked from several targets, which may have files with the same name.
std::string in_namespace(const Command& c, const std::string& declaration) {
    const std::string own = c.symbol.empty() ? "" : "inline namespace " + c.symbol + " {\n";
    return "namespace kernels {\n" + own + declaration + (own.empty() ? "}\n" : "}\n}\n");
}

std::string header(const Command& c, const std::string& file) {
    return "// Made from " + file +
           "; changes here are lost.\n#pragma once\n#include <ferry/embedded_kernels.hpp>\n\n" +
           in_namespace(c, "extern const ferry::EmbeddedKernels " + c.variable + ";\n");
}

// One source for each processor level of the kernels; the build sets the options of each.
struct HostLevel {
    const char* name;
    const char* usable;      ///< An expression.
    const char* header = ""; ///< Declares the names in the expression.
};
constexpr const char* auxiliary_vector = "#include <sys/auxv.h>\n";
constexpr HostLevel levels[] = {
    {"v4", "__builtin_cpu_supports(\"avx512f\") && __builtin_cpu_supports(\"avx512vl\") && "
           "__builtin_cpu_supports(\"avx512bw\") && __builtin_cpu_supports(\"avx512dq\")"},
    {"v3", "__builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") && "
           "__builtin_cpu_supports(\"bmi2\")"},
    // ARM64 on Linux. Armv8.2 with SVE: HWCAP_CRC32, _ATOMICS, _ASIMDRDM and _SVE; the second also
    // HWCAP2_SVE2.
    {"sve2", "(getauxval(AT_HWCAP) & 0x401180ul) == 0x401180ul && (getauxval(AT_HWCAP2) & 0x2ul) != 0",
     auxiliary_vector},
    {"sve", "(getauxval(AT_HWCAP) & 0x401180ul) == 0x401180ul", auxiliary_vector},
    {"base", "true"},
};

/// Code for the program, of one compiler.
struct Binary {
    const char* language; ///< Of ferry::Language.
    std::string architecture;
    std::vector<std::byte> bytes;
};

std::string source(const Command& c, const std::string& file, const std::string& text,
                   const std::vector<Binary>& all) {
    std::string out = "// Made from " + file + "; changes here are lost.\n#include \"" + file + ".hpp\"\n\n";
    std::string headers;
    for (const HostLevel& level : levels) {
        if (std::ranges::find(c.host_levels, level.name) != c.host_levels.end()) {
            headers = *level.header != '\0' ? level.header : headers;
        }
    }
    out = headers + out;
    for (const std::string& level : c.host_levels) {
        out += "extern \"C\" const void* " + c.symbol + "_" + level + "();\n";
    }
    out += "\nnamespace {\n\n" + array("text", text);
    std::string binaries;
    std::size_t n = 0;
    for (const Binary& one : all) {
        const std::string name = "binary_" + std::to_string(n++);
        out += array(name, {reinterpret_cast<const char*>(one.bytes.data()), one.bytes.size()});
        binaries += std::string("    {ferry::Language::") + one.language + ", \"" + one.architecture +
                    "\", " + view(name, one.bytes.size()) + "},\n";
    }
    if (n != 0) {
        out += "constexpr ferry::EmbeddedBinary binaries[] = {\n" + binaries + "};\n";
    }
    std::string table;
    for (const HostLevel& level : levels) {
        for (const std::string& wanted : c.host_levels) {
            if (wanted == level.name) {
                const std::string usable = std::string("usable_") + level.name;
                out += "bool " + usable + "() {\n    return " + level.usable + ";\n}\n";
                table += "    {" + usable + ", " + c.symbol + "_" + wanted + "},\n";
            }
        }
    }
    if (!table.empty()) {
        out += "constexpr ferry::EmbeddedKernels::HostCode host[] = {\n" + table + "};\n";
    }
    out += "\n} // namespace\n\n";
    out += in_namespace(c, "constinit const ferry::EmbeddedKernels " + c.variable + "{\n    \"" + file +
                               "\",\n    " + view("text", text.size()) + ",\n    " +
                               (table.empty() ? "{}" : "host") + ",\n    " + (n == 0 ? "{}" : "binaries") +
                               (c.request.options.global_offsets ? ",\n    true" : "") + "};\n");
    return out;
}

} // namespace

namespace {

/// The stack that the kernels need, from the compiler that checked them. The compiler for the program may
/// need more: assume twice as much, and some for saved registers.
std::string stack_define(const ferry::CompileResult& result) {
    constexpr std::string_view mark = "\nferry-stack-bytes ";
    constexpr unsigned long spilled = 64UL << 10U;
    const std::string_view bytes(reinterpret_cast<const char*>(result.binary.data()), result.binary.size());
    const std::size_t at = bytes.rfind(mark);
    if (at == std::string_view::npos) {
        return {};
    }
    const unsigned long measured = std::stoul(std::string(bytes.substr(at + mark.size())));
    return "#define FY_STACK_BYTES " + std::to_string(2 * measured + spilled) + "ul\n";
}

/// The file and its includes, from its flattened text.
std::vector<std::string> files_of(const std::string& file, const std::string& flat) {
    std::vector<std::string> files{file};
    std::istringstream lines(flat);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find('"');
        const std::size_t end = line.rfind('"');
        std::error_code error;
        if (!line.starts_with("#line ") || begin == end) {
            continue;
        }
        const std::string name = line.substr(begin + 1, end - begin - 1);
        if (std::find(files.begin(), files.end(), name) == files.end() &&
            std::filesystem::is_regular_file(name, error)) { // The text may contain its own #line.
            files.push_back(name);
        }
    }
    return files;
}

/// The backends to compile for. All of them if none is named.
class Backends {
public:
    explicit Backends(const ferry::CompileRequest& request) : list_(request.backends) {
        using ferry::Backend;
        if (list_.empty()) {
            list_ = {Backend::cuda, Backend::hip, Backend::vulkan, Backend::host, Backend::opencl};
        }
    }
    /// Removes it. Returns false if it is not among them.
    bool take(ferry::Backend backend) { return std::erase(list_, backend) != 0; }
    const std::vector<ferry::Backend>& rest() const noexcept { return list_; }

private:
    std::vector<ferry::Backend> list_;
};

/// Adds the module for Vulkan, which needs no compiler, if all kernels have a form for Vulkan.
void add_vulkan(const ferry::Source& text, const Command& command, const std::string& name,
                std::vector<Binary>& binaries) {
    ferry::SpirvResult made = ferry::compile_spirv(text, command.request.options, ferry::SpirvTarget::vulkan);
    if (made.ok && !made.module.empty()) {
        binaries.push_back({"spirv", "vulkan", std::move(made.module)});
    } else {
        std::cout << name << " goes without SPIR-V for Vulkan: " << made.diagnostics << '\n';
    }
}

/// In the form that Make and Ninja read.
std::string in_depfile(const std::string& name) {
    std::string text;
    for (const char c : name) {
        text += c == ' ' || c == '#' ? "\\" : c == '$' ? "$" : "";
        text += c;
    }
    return text;
}

} // namespace

bool embed(const Command& command) {
    const std::string name = std::filesystem::path(command.file).filename().string();
    const ferry::Source source_text = ferry::Source::opencl_c(read_file(command.file), command.file);
    Backends asked(command.request);
    bool failed = false;
    if (asked.take(ferry::Backend::opencl)) {
        const Checked checked = check_by_opencl(source_text, command.request);
        failed = checked == Checked::wrong;
        if (checked == Checked::by_none) {
            std::cout << name << " is not checked by an OpenCL driver: none is here\n";
        }
    }
    const bool for_vulkan = asked.take(ferry::Backend::vulkan);
    ferry::CompileRequest others = command.request;
    others.backends = asked.rest();
    std::string host;
    std::vector<ferry::CompileResult> results;
    std::vector<Binary> binaries;
    if (!others.backends.empty()) {
        results = ferry::compile(source_text, others);
    }
    for (ferry::CompileResult& r : results) {
        failed = !report(r) || failed;
        if (r.translated && !r.available && r.backend != ferry::Backend::host) {
            const bool cuda = r.backend == ferry::Backend::cuda;
            std::cout << name << (cuda ? " goes without PTX: " : " goes without AMD code objects: ")
                      << r.compiler << '\n';
        }
        if (r.backend == ferry::Backend::host) {
            host = stack_define(r) + r.translation;
        } else if (r.ok &&
                   (r.language == ferry::Language::ptx || r.language == ferry::Language::code_object)) {
            binaries.push_back({r.language == ferry::Language::ptx ? "ptx" : "code_object", r.architecture,
                                std::move(r.binary)});
        }
    }
    if (failed) {
        return false;
    }
    if (for_vulkan) {
        add_vulkan(source_text, command, name, binaries);
    }
    const std::string text = ferry::flatten(source_text, command.request.options);
    const std::string base = command.folder + "/" + name;
    write_file(base + ".hpp", header(command, name));
    write_file(base + ".cpp", source(command, name, text, binaries));
    for (const std::string& level : command.host_levels) {
        const std::string module = command.symbol + "_" + level;
        write_file(base + "." + level + ".cpp", "#define FY_MODULE " + module + "\n" + host);
    }
    if (!command.depfile.empty()) {
        std::string rule = in_depfile(base + ".hpp") + ":";
        for (const std::string& file : files_of(command.file, text)) {
            rule += " " + in_depfile(file);
        }
        write_file(command.depfile, rule + "\n");
    }
    return true;
}

} // namespace tool
