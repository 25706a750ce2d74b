// SPDX-License-Identifier: Apache-2.0
#include "fft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numbers>
#include <stdexcept>

template <class T>
void transform_plainly(std::span<std::complex<T>> signal, Fft::Way way) {
    const std::size_t half = signal.size() / 2;
    if (half == 0) {
        return;
    }
    std::vector<std::complex<T>> even(half);
    std::vector<std::complex<T>> odd(half);
    for (std::size_t i = 0; i < half; ++i) {
        even[i] = signal[2 * i];
        odd[i] = signal[2 * i + 1];
    }
    transform_plainly<T>(even, way);
    transform_plainly<T>(odd, way);
    const double turn = (way == Fft::Way::forward ? -1 : 1) * std::numbers::pi / static_cast<double>(half);
    for (std::size_t i = 0; i < half; ++i) {
        const std::complex<double> root = std::polar(1.0, turn * static_cast<double>(i));
        const std::complex<T> turned =
            std::complex<T>(static_cast<T>(root.real()), static_cast<T>(root.imag())) * odd[i];
        signal[i] = even[i] + turned;
        signal[i + half] = even[i] - turned;
    }
}

template void transform_plainly<float>(std::span<std::complex<float>> signal, Fft::Way way);
template void transform_plainly<double>(std::span<std::complex<double>> signal, Fft::Way way);

namespace {

class Plain final : public Fft {
public:
    explicit Plain(const Signals& signals) : signals_(signals) {}
    std::string name() const override { return "a plain function on the processor"; }
    void transform(ferry::Queue& queue, Way way) override {
        const auto mapping = signals_.elements.map(queue, ferry::Map::read_write);
        for (std::size_t i = 0; i < signals_.count(); ++i) {
            transform_plainly<float>(mapping.span().subspan(i * signals_.length, signals_.length), way);
        }
    }

private:
    Signals signals_;
};

} // namespace

std::unique_ptr<Fft> make_plain(const Signals& signals) {
    return std::make_unique<Plain>(signals);
}

std::unique_ptr<Fft> find_fft(const ferry::Device& device, const Signals& signals, std::string_view name,
                              std::vector<std::string>& reasons) {
    struct Library {
        std::string_view name;
        const char* title;
        std::unique_ptr<Fft> (*make)(const ferry::Device&, const Signals&, std::string&);
    };
    const Library vkfft{"vkfft", "VkFFT", make_vkfft};
    const Library cufft{"cufft", "cuFFT", make_cufft};
    const bool cuda = device.backend() == ferry::Backend::cuda; // the vendor's own library is tried first
    for (const Library& library : {cuda ? cufft : vkfft, cuda ? vkfft : cufft}) {
        std::string why;
        if (name.empty() || name == library.name) {
            if (auto found = library.make(device, signals, why)) {
                return found;
            }
            reasons.push_back(fmt::format("{}: {}", library.title, why));
        }
    }
    if (name.empty() || name == "plain") {
        return make_plain(signals);
    }
    if (reasons.empty()) {
        throw std::runtime_error(
            fmt::format("'{}' is no library of this sample; there are vkfft, cufft and plain", name));
    }
    throw std::runtime_error(fmt::format("{}", fmt::join(reasons, "; ")));
}
