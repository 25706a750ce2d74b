// SPDX-License-Identifier: Apache-2.0
#include "program/translation_cache.hpp"

#include "base/decimal.hpp"
#include "cache/disk_cache.hpp"
#include "emit_cpp/emit.hpp"
#include "translate/build_flags.hpp"

#include <ferry/error.hpp>

#include <optional>
#include <utility>

namespace ferry::detail {
namespace {

using translate::TranslatedKernel;
using translate::Translation;

/// All inputs of a translation. The translation contains positions in the files, so every byte is part of the
/// key.
cache::Key key_of(const translate::Request& request, const emit_cpp::Unit& unit) {
    cache::Key key;
    key.add("form", "translation").add("translator", translate::version);
    key.add("dialect", static_cast<std::uint64_t>(request.dialect)).add("fp64", request.fp64 ? 1U : 0U);
    key.add("offsets", request.offsets ? 1U : 0U);
    for (std::uint32_t i = 0; i < unit.files().size(); ++i) {
        key.add("name", unit.files()[i].name).add("source", unit.files()[i].text);
    }
    return key.add("preprocessed", unit.spelling());
}

std::string written(const Translation& translation) {
    cache::Key fields;
    fields.add("text", translation.text).add("contracts", translation.contracts ? 1U : 0U);
    fields.add("prints", translation.prints ? 1U : 0U);
    fields.add("padded vectors", translation.padded_vectors ? 1U : 0U);
    for (const TranslatedKernel& kernel : translation.kernels) {
        const KernelInfo& info = kernel.info;
        fields.add("kernel", info.name).add("symbol", kernel.symbol);
        fields.add("takes offset", kernel.takes_offset ? 1U : 0U);
        fields.add("any order", kernel.any_order ? 1U : 0U);
        fields.add("known", info.parameters_known ? 1U : 0U).add("local", info.local_bytes);
        for (const std::size_t size : info.required_local) {
            fields.add("required", size);
        }
        for (const ParameterInfo& parameter : info.parameters) {
            fields.add("parameter", parameter.name).add("type name", parameter.type_name);
            fields.add("kind", static_cast<std::uint64_t>(parameter.kind));
            fields.add("type", static_cast<std::uint64_t>(parameter.type)).add("bytes", parameter.bytes);
            fields.add("space", static_cast<std::uint64_t>(parameter.space));
            fields.add("read only", parameter.read_only ? 1U : 0U);
        }
    }
    return fields.text();
}

/// Reads the fields one after the other, each with its expected name.
class Reader {
public:
    explicit Reader(const cache::Fields& fields) : fields_(&fields) {}

    bool next_is(std::string_view name) const {
        return at_ < fields_->size() && (*fields_)[at_].first == name;
    }
    std::string text(std::string_view name) {
        good_ = good_ && next_is(name);
        return good_ ? std::string((*fields_)[at_++].second) : std::string();
    }
    std::size_t number(std::string_view name) {
        const auto value = detail::parse_number<std::size_t>(text(name));
        good_ = good_ && value.has_value();
        return value.value_or(0);
    }
    template <class T>
    void read(std::string_view name, T& value) {
        value = static_cast<T>(number(name));
    }
    bool good() const { return good_; }
    bool at_end() const { return good_ && at_ == fields_->size(); }

private:
    const cache::Fields* fields_;
    std::size_t at_ = 0;
    bool good_ = true;
};

ParameterInfo read_parameter(Reader& reader) {
    ParameterInfo parameter;
    parameter.name = reader.text("parameter");
    parameter.type_name = reader.text("type name");
    reader.read("kind", parameter.kind);
    reader.read("type", parameter.type);
    reader.read("bytes", parameter.bytes);
    reader.read("space", parameter.space);
    reader.read("read only", parameter.read_only);
    return parameter;
}

TranslatedKernel read_kernel(Reader& reader) {
    TranslatedKernel kernel;
    kernel.info.name = reader.text("kernel");
    kernel.symbol = reader.text("symbol");
    reader.read("takes offset", kernel.takes_offset);
    reader.read("any order", kernel.any_order);
    reader.read("known", kernel.info.parameters_known);
    reader.read("local", kernel.info.local_bytes);
    for (std::size_t& size : kernel.info.required_local) {
        reader.read("required", size);
    }
    while (reader.next_is("parameter") && reader.good()) {
        kernel.info.parameters.push_back(read_parameter(reader));
    }
    return kernel;
}

std::optional<Translation> read(std::string_view bytes) {
    const std::optional<cache::Fields> fields = cache::fields_of(bytes);
    if (!fields) {
        return std::nullopt;
    }
    Reader reader(*fields);
    reader.text("ferry");
    Translation translation;
    translation.text = reader.text("text");
    reader.read("contracts", translation.contracts);
    reader.read("prints", translation.prints);
    reader.read("padded vectors", translation.padded_vectors);
    while (reader.next_is("kernel") && reader.good()) {
        translation.kernels.push_back(read_kernel(reader));
    }
    return reader.at_end() ? std::optional(std::move(translation)) : std::nullopt;
}

translate::Request request_of(translate::Dialect dialect, const std::string& name, std::string_view text,
                              const BuildOptions& options, bool fp64, bool fp16) {
    const translate::BuildFlags flags = translate::read_build_flags(options);
    if (!flags.problem.empty()) {
        throw Error(Code::build_failed, flags.problem);
    }
    translate::Request request;
    request.dialect = dialect;
    request.name = name;
    request.text = text;
    request.preprocess.defines = flags.defines;
    request.preprocess.include_directories = flags.include_directories;
    request.preprocess.headers = translate::memory_headers(options);
    request.fp64 = fp64;
    request.fp16 = fp16;
    request.offsets = options.global_offsets;
    return request;
}

Translation translate_cached(const translate::Request& request, const std::function<Translation()>& again) {
    emit_cpp::Unit unit(request);
    std::optional<cache::Key> key;
    if (!unit.failed()) {
        key = key_of(request, unit);
        if (const std::optional<std::string> bytes = cache::shared().load(*key)) {
            if (std::optional<Translation> kept = read(*bytes)) {
                kept->again = again;
                return std::move(*kept);
            }
        }
    }
    Translation translation = std::move(unit).translate();
    if (!translation.error.empty()) {
        throw Error(Code::build_failed, "the portable kernel language does not take it\n" + translation.error)
            .with_log(translation.error);
    }
    if (translation.warnings.empty()) { // Warnings must be reported each time.
        cache::shared().store(*key, written(translation));
    }
    return translation;
}

} // namespace

Translation translate_or_throw(translate::Dialect dialect, const std::string& name, std::string_view text,
                               const BuildOptions& options, const DeviceInfo& device) {
    const bool fp64 = device.fp64;
    const bool fp16 = device.fp16;
    const translate::Request request = request_of(dialect, name, text, options, fp64, fp16);
    const auto again = [=, text = std::string(text)] {
        return emit_cpp::translate(request_of(dialect, name, text, options, fp64, fp16));
    };
    return translate_cached(request, again);
}

} // namespace ferry::detail
