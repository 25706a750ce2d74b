// SPDX-License-Identifier: Apache-2.0
#include "null_backend.hpp"
#include "null_device.hpp"

namespace ferry::null {
namespace {

class NullDriver final : public backend::Driver {
public:
    std::string library() const override { return "no library"; }
    std::vector<std::unique_ptr<backend::Device>> devices() override {
        std::vector<std::unique_ptr<backend::Device>> devices;
        devices.push_back(std::make_unique<NullDevice>(0));
        return devices;
    }
};

} // namespace

// A real backend opens its library here with backend::Library::open(), and resolves its symbols. If a step
// fails, it returns null and adds a kind and a sentence to `reasons`.
std::unique_ptr<backend::Driver> open(const backend::Libraries&, std::vector<BackendReason>&) {
    return std::make_unique<NullDriver>();
}

} // namespace ferry::null
