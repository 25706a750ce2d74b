// SPDX-License-Identifier: Apache-2.0
#include "blas.hpp"

#ifdef FERRY_SAMPLES_HAVE_CLBLAST

#include <ferry/interop/opencl.hpp>

#include <clblast.h>
#include <fmt/format.h>

#include <stdexcept>

namespace {

namespace interop = ferry::interop::opencl;

class Clblast final : public Blas {
public:
    std::string name() const override { return "CLBlast"; }
    void multiply(ferry::Queue& queue, const MatrixView& a, const MatrixView& b,
                  const MatrixView& c) override {
        auto* native = static_cast<cl_command_queue>(interop::queue(queue));
        const Place from = place(a);
        const Place by = place(b);
        const Place to = place(c);
        const clblast::StatusCode code =
            clblast::Gemm<float>(clblast::Layout::kRowMajor, clblast::Transpose::kNo, clblast::Transpose::kNo,
                                 c.rows, c.columns, a.columns, 1.0F, from.mem, from.first, a.columns, by.mem,
                                 by.first, b.columns, 0.0F, to.mem, to.first, c.columns, &native);
        if (code != clblast::StatusCode::kSuccess) {
            throw std::runtime_error(fmt::format("clblast::Gemm returned {}", static_cast<int>(code)));
        }
    }

private:
    /// CLBlast takes offsets in elements.
    struct Place {
        cl_mem mem;
        std::size_t first;
    };
    static Place place(const MatrixView& matrix) {
        const interop::MemoryRange range = interop::memory(matrix.elements);
        return {static_cast<cl_mem>(range.mem), range.offset / sizeof(float)};
    }
};

} // namespace

std::unique_ptr<Blas> make_clblast(const ferry::Device& device, std::string& why) {
    if (device.backend() != ferry::Backend::opencl) {
        why = fmt::format("it works on OpenCL devices, and {} is none", device.id());
        return nullptr;
    }
    return std::make_unique<Clblast>();
}

#else

std::unique_ptr<Blas> make_clblast(const ferry::Device&, std::string& why) {
    why = "it was not there when this sample was built";
    return nullptr;
}

#endif
