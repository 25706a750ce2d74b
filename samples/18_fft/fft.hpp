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

/// Signals of one length in a part of a buffer, one behind the other. The length is a power of two.
struct Signals {
    ferry::View<Complex> elements;
    std::size_t length = 0;
    std::size_t count() const noexcept { return elements.size() / length; }
};

/// A library for Fourier transforms, made without knowledge of Ferry. It gets the vendor's
/// handles of Ferry's queue and memory.
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

/// Each plans for these signals, and is null where the library is not there or not for this device; `why`
/// then says so.
std::unique_ptr<Fft> make_vkfft(const ferry::Device& device, const Signals& signals, std::string& why);
/// Of these the part that is in a module; for CUDA devices.
std::unique_ptr<Fft> make_vkfft_cuda(const ferry::Device& device, const Signals& signals, std::string& why);
std::unique_ptr<Fft> make_cufft(const ferry::Device& device, const Signals& signals, std::string& why);
/// On the processor, over a mapping. Always there.
std::unique_ptr<Fft> make_plain(const Signals& signals);

/// The library of that name ("vkfft", "cufft", "plain"), or the first that works if it is empty. Throws
/// std::runtime_error with the reasons why none does.
std::unique_ptr<Fft> find_fft(const ferry::Device& device, const Signals& signals, std::string_view name,
                              std::vector<std::string>& reasons);

/// Transforms one signal in place.
template <class T>
void transform_plainly(std::span<std::complex<T>> signal, Fft::Way way);
