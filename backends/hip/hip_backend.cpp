// SPDX-License-Identifier: Apache-2.0
#include "base/no_destructor.hpp"
#include "driver/driver_backends.hpp"
#include "driver/driver_driver.hpp"
#include "driver/driver_offline.hpp"
#include "hip/hip_comgr.hpp"
#include "hip/hip_metadata.hpp"
#include "hip/hip_vendor.hpp"

#include <memory>

namespace ferry::hip {

std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons) {
    return driver::open<Vendor>(libraries, reasons);
}

namespace {

std::string text_or_empty(const char* text) {
    return text != nullptr ? text : "";
}

// "gfx90a:sramecc+:xnack-", from one of the two layouts of the properties. Empty if neither exists.
std::string ask_architecture(const Vendor::Api& api, int ordinal) {
    const auto properties = std::make_unique<Properties>();
    const auto read = [&](const auto& symbol, std::size_t offset) -> std::string {
        *properties = {};
        if (!symbol || symbol(properties.get(), ordinal) != driver::result::success) {
            return {};
        }
        properties->bytes[sizeof(Properties) - 1] = '\0';
        const std::string name = properties->bytes + offset;
        return name.starts_with("gfx") && name.size() < 256 ? name : std::string();
    };
    const std::string name = read(api.properties_r0600, architecture_offset_r0600);
    return name.empty() && !api.properties_r0600 ? read(api.properties, architecture_offset) : name;
}

} // namespace

std::string Vendor::error_name(const OwnRows& rows, int code) {
    return text_or_empty(rows.error_name(code));
}
std::string Vendor::error_text(const OwnRows& rows, int code) {
    return text_or_empty(rows.error_text(code));
}
void Vendor::complete(const Api& api, int ordinal, DeviceInfo& info) {
    info.fp16 = true;
    info.architecture = ask_architecture(api, ordinal);
    info.driver_version = driver::dotted<Vendor>(api.version) + '.' + std::to_string(api.version % 100000);
    info.api_version = driver::dotted<Vendor>(api.version);
}

void Vendor::open_compiler(const Api& api, const backend::Libraries& libraries, Compiler& compiler) {
    std::vector<BackendReason> reasons;
    if (!libraries.hiprtc.value.empty()) {
        const auto library = backend::Library::open({}, libraries.hiprtc, "FERRY_HIPRTC_LIBRARY", reasons);
        if (library) {
            compiler.take(library);
        } else {
            compiler.refuse(reasons.front().text);
        }
        return;
    }
    // A compiler inside the runtime is certain to match it; from HIP 7 on it is a library next to it. A
    // compiler of another major version would generate code that this runtime cannot load.
    if (compiler.take(api.library)) {
        return;
    }
    const std::string file = "libhiprtc.so." + std::to_string(api.version / version_number.major);
    const std::string path = api.library.path();
    const std::string beside = path.substr(0, path.rfind('/') + 1) + file;
    const std::string rocm = "/opt/rocm/lib/" + file;
    const std::array names{beside.c_str(), file.c_str(), rocm.c_str()};
    const auto library = backend::Library::open(names, {}, "FERRY_HIPRTC_LIBRARY", reasons);
    if (library) {
        compiler.take(library);
    } else {
        const std::string runtime = api.library.name();
        compiler.refuse("hipRTC is neither in " + (runtime.empty() ? "a HIP runtime" : runtime) + " nor in " +
                        file + "; name its file in FERRY_HIPRTC_LIBRARY");
    }
}

std::string Vendor::compiler_release(int, int, const std::string& library) {
    constexpr std::string_view suffix = ".so.";
    const std::size_t at = library.find(suffix);
    const std::size_t begin = at == std::string::npos ? library.size() : at + suffix.size();
    return library.substr(begin, library.find_first_not_of("0123456789", begin) - begin);
}

std::string Vendor::compiler_text(const Source& source) {
    // AMD's messages contain the name of a temporary file instead of the program's name.
    std::string name;
    for (const char c : source.name()) {
        name += c == '"' || c == '\\' ? '_' : c;
    }
    return "#line 1 \"" + name + "\"\n" + source.contents();
}

void Vendor::prepare_offline(Api& api, const backend::Libraries& libraries) {
    std::vector<BackendReason> reasons;
    api.library = backend::Library::open(library_names, libraries.hip, library_variable, reasons);
    api.version = 5 * version_number.major;
}

driver::Target Vendor::compile_target(const Compiler& compiler, const std::string& architecture,
                                      const std::vector<std::string>& options) {
    const auto chosen = driver::architecture_option(options);
    if (const std::string& name = chosen ? *chosen : architecture; !name.empty()) {
        static ferry::detail::NoDestructor<const std::vector<std::string>> known(
            known_architectures(compiler.path()));
        check_architecture(name, *known);
    }
    if (!chosen) {
        return {architecture.empty() ? "" : "--gpu-architecture=" + architecture, true};
    }
    // AMD's compiler ends the process for an unknown architecture. It knows the device's own.
    if (!architecture.empty() && !runs_on(*chosen, architecture)) {
        throw Error(Code::build_failed,
                    "The architecture '" + *chosen +
                        "' in the options for hipRTC is not that of the device, which is " + architecture);
    }
    return {"", true};
}

backend::Fit Vendor::fit_binary(const Source& source, const DeviceInfo& info) {
    std::string built_for = source.architecture();
    if (built_for.empty()) {
        built_for = parse_code_object(source.contents(), info.architecture).architecture;
    }
    if (built_for.empty() || info.architecture.empty()) {
        return {backend::rank::unknown_binary, "a code object that does not say for which architecture"};
    }
    if (!runs_on(built_for, info.architecture)) {
        return {backend::rank::none,
                "a code object for " + built_for + ", the device is " + info.architecture};
    }
    return {backend::rank::binary, "a code object for " + built_for};
}

std::vector<KernelInfo> Vendor::reflect_image(const std::string& image, const DeviceInfo& info) {
    return parse_code_object(image, info.architecture).kernels;
}

backend::OfflineCompiler offline_compiler(const backend::Libraries& libraries) {
    return driver::offline_compiler<Vendor>(libraries);
}

} // namespace ferry::hip
