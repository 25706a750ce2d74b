// SPDX-License-Identifier: Apache-2.0
#include "blas.hpp"
#include "cuda_library.hpp"

#include <ferry/interop/cuda.hpp>

#include <fmt/format.h>

#include <stdexcept>

namespace {

using Handle = void*; // cublasHandle_t
using Create = int(Handle*);
using Destroy = int(Handle);
using SetStream = int(Handle, void*);
using Sgemm = int(Handle, int, int, int, int, int, const float*, const float*, int, const float*, int,
                  const float*, float*, int);

class Cublas final : public Blas {
public:
    Cublas(CudaLibrary library, const ferry::Device& device) : library_(std::move(library)) {
        sample_enter_cuda(device);
        check(library_.find<Create>("cublasCreate_v2")(&handle_), "cublasCreate_v2");
    }
    ~Cublas() override { library_.find<Destroy>("cublasDestroy_v2")(handle_); }

    std::string name() const override { return "cuBLAS, opened as " + library_.name(); }
    void multiply(ferry::Queue& queue, const MatrixView& a, const MatrixView& b,
                  const MatrixView& c) override {
        namespace interop = ferry::interop::cuda;
        check(library_.find<SetStream>("cublasSetStream_v2")(handle_, interop::stream(queue)),
              "cublasSetStream_v2");
        const auto address = [](const MatrixView& matrix) {
            return reinterpret_cast<float*>(interop::pointer(matrix.elements));
        };
        constexpr int no_transpose = 0;
        const float one = 1;
        const float zero = 0;
        const int rows = static_cast<int>(c.rows);
        const int columns = static_cast<int>(c.columns);
        const int inner = static_cast<int>(a.columns);
        // cuBLAS stores matrices by columns only. The transposed product is the product of the transposed
        // factors in reverse order.
        check(library_.find<Sgemm>("cublasSgemm_v2")(handle_, no_transpose, no_transpose, columns, rows,
                                                     inner, &one, address(b), columns, address(a), inner,
                                                     &zero, address(c), columns),
              "cublasSgemm_v2");
    }

private:
    static void check(int code, const char* call) {
        if (code != 0) {
            throw std::runtime_error(fmt::format("{} returned {}", call, code));
        }
    }

    CudaLibrary library_;
    Handle handle_ = nullptr;
};

} // namespace

std::unique_ptr<Blas> make_cublas(const ferry::Device& device, std::string& why) {
    if (device.backend() != ferry::Backend::cuda) {
        why = fmt::format("it works on CUDA devices, and {} is none", device.id());
        return nullptr;
    }
    CudaLibrary library{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"};
    if (!library) {
        why = library.error();
        return nullptr;
    }
    return std::make_unique<Cublas>(std::move(library), device);
}
