// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_vendor.hpp"
#include "driver/driver_backends.hpp"
#include "driver/driver_driver.hpp"
#include "driver/driver_offline.hpp"

#include <filesystem>
#include <system_error>

namespace ferry::cuda {

std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<BackendReason>& reasons) {
    return driver::open<Vendor>(libraries, reasons);
}

namespace {

// libcuda has no call for it, but its file has the name libcuda.so.580.95.05.
std::string release_of(const std::string& library) {
    std::error_code error;
    const std::string file = std::filesystem::canonical(library, error).filename().string();
    const std::string prefix = "libcuda.so.";
    const bool numbered =
        !error && file.starts_with(prefix) && file.find('.', prefix.size()) != std::string::npos;
    return numbered ? file.substr(prefix.size()) : std::string();
}

template <class S>
std::string text_of(const S& symbol, int code) {
    const char* text = nullptr;
    return symbol(code, &text) == driver::result::success && text != nullptr ? text : "";
}

} // namespace

std::string Vendor::error_name(const Symbols& symbols, int code) {
    return text_of(symbols.error_name, code);
}
std::string Vendor::error_text(const Symbols& symbols, int code) {
    return text_of(symbols.error_text, code);
}

void Vendor::complete(const Api& api, int ordinal, DeviceInfo& info) {
    const auto capability_part = [&](int number, const char* what, int least, int most) {
        return backend::plausible(Backend::cuda, api.device_attribute.name, what,
                                  api.attribute(number, ordinal), least, most);
    };
    const int major =
        capability_part(capability_major, "as major compute capability", 1, backend::most_major_version);
    const int minor = capability_part(capability_minor, "as minor compute capability", 0, 9);
    const int capability = 10 * major + minor;
    info.architecture = "sm_" + std::to_string(capability);
    info.api_version = driver::dotted<Vendor>(api.version);
    info.driver_version = release_of(api.library.path());
    info.fp16 = capability >= 53;
    if (capability >= 70 && api.version >= 12010) {
        info.max_argument_bytes = 32764;
    }
    const int most = api.attribute(local_memory_opt_in, ordinal);
    if (api.function_set_attribute && static_cast<std::size_t>(most) > info.local_memory) {
        info.local_memory = static_cast<std::size_t>(most);
    }
}

Vendor::Context Vendor::make_context(const Api& api, int, Device device) {
    Context context = nullptr;
    api.call(api.primary_context, &context, device);
    return api.made(api.primary_context, context);
}

backend::OfflineCompiler offline_compiler(const backend::Libraries& libraries) {
    return driver::offline_compiler<Vendor>(libraries);
}

} // namespace ferry::cuda
