// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ferry/ferry.hpp>

#include <complex>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using Complex = std::complex<float>;

/// Signals of one length in a part of a buffer, one after the other. The length is a power of two.
struct Signals {
    ferry::View<Complex> elements;
    std::size_t length = 0;
    std::size_t count() const noexcept { return elements.size() / length; }
};

/// A library for Fourier transforms that does not know Ferry. It gets the vendor's handles of Ferry's queue
/// and memory.
class Fft {
public:
    enum class Way { forward, back }; ///< neither scales

    Fft() = default;
    Fft(const Fft&) = delete;
    Fft& operator=(const Fft&) = delete;
    virtual ~Fft() = default;

    virtual std::string name() const = 0;
    /// Enqueues the transform in place; does not wait. Throws std::runtime_error with the library's code.
    virtual void transform(ferry::Queue& queue, Way way) = 0;
};

/// Each makes a plan for these signals. Null if the library is missing or does not support this device; `why`
/// then has the reason.
std::unique_ptr<Fft> make_vkfft(const ferry::Device& device, const Signals& signals, std::string& why);
/// The part of VkFFT that is in a module, for CUDA devices.
std::unique_ptr<Fft> make_vkfft_cuda(const ferry::Device& device, const Signals& signals, std::string& why);
std::unique_ptr<Fft> make_cufft(const ferry::Device& device, const Signals& signals, std::string& why);
/// Computes on the processor, over a mapping. Always available.
std::unique_ptr<Fft> make_plain(const Signals& signals);

/// The library of that name ("vkfft", "cufft", "plain"). If the name is empty: the first one that works.
/// Throws std::runtime_error with the reasons if none works.
std::unique_ptr<Fft> find_fft(const ferry::Device& device, const Signals& signals, std::string_view name,
                              std::vector<std::string>& reasons);

/// Transforms one signal in place.
template <class T>
void transform_plainly(std::span<std::complex<T>> signal, Fft::Way way);
