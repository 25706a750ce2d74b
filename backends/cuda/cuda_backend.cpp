// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_backend.hpp"

#include "cuda/cuda_vendor.hpp"
#include "driver/driver_driver.hpp"

#include <filesystem>
#include <system_error>

namespace ferry::cuda {

std::unique_ptr<backend::Driver> open(const backend::Libraries& libraries,
                                      std::vector<std::string>& reasons) {
    return driver::open<Vendor>(libraries, reasons);
}

namespace {

std::string refuse_stub(const std::string& path) {
    return path + " is the CUDA toolkit's stub library, made for linking only. Install the NVIDIA driver, or "
                  "name its "
                  "libcuda.so.1 in FERRY_CUDA_LIBRARY.";
}

std::string dotted(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// libcuda has no call for it, but its file is called libcuda.so.580.95.05.
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

bool Vendor::accept_library(const Api& api, std::vector<std::string>& reasons) {
    const std::string path = api.library.path();
    if (path.find("/stubs/") == std::string::npos) {
        return true;
    }
    reasons.push_back(refuse_stub(path));
    return false;
}

bool Vendor::accept_init(const Api& api, int code, std::vector<std::string>& reasons) {
    if (code != driver::result::stub_library) {
        return true;
    }
    reasons.push_back(refuse_stub(api.library.path()));
    return false;
}

bool Vendor::accept_version(Api& api, std::vector<std::string>&) {
    api.call(api.driver_version, &api.version);
    return true;
}

std::string Vendor::version_text(const Api& api) {
    return "CUDA " + dotted(api.version);
}
std::string Vendor::error_name(const Symbols& symbols, int code) {
    return text_of(symbols.error_name, code);
}
std::string Vendor::error_text(const Symbols& symbols, int code) {
    return text_of(symbols.error_text, code);
}

void Vendor::complete(const Api& api, int ordinal, DeviceInfo& info) {
    const int major = api.attribute(capability_major, ordinal);
    const int minor = api.attribute(capability_minor, ordinal);
    const int capability = 10 * major + minor;
    info.architecture = "sm_" + std::to_string(capability);
    info.api_version = dotted(api.version);
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
    return context;
}

} // namespace ferry::cuda
