// SPDX-License-Identifier: Apache-2.0
#include "emitter.hpp"
#include "opencl_c/missing_features.hpp"
#include "translate/diagnostics.hpp"
#include "translate/prelude.hpp"

#include <algorithm>

// Types in C++. A record has the layout that the tree gives it, which a static_assert confirms.
namespace ferry::emit_cpp {
namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
}

std::string qualifiers(Type t, bool is_const) {
    return std::string(is_const ? "const " : "") + (t.is_volatile() ? "volatile " : "");
}

} // namespace

std::string Emitter::base_name(Type t, std::uint32_t token) {
    switch (types_.kind(t)) {
    case TypeKind::vector: {
        const Type element = types_.scalar(t);
        if (is_half(element)) {
            words_.insert({std::string(translate::half_arithmetic), std::string(translate::half_vectors)});
        }
        if (t.is_volatile()) {
            words_.insert("FY_VOLATILE");
        }
        padded_vectors_ = padded_vectors_ || types_.lanes(t) == 3;
        if (types_.is(element, TypeKind::double_)) {
            words_.insert("double");
        }
        return *words_
                    .insert(std::string(opencl_c::name_of(types_.kind(element))) +
                            std::to_string(types_.lanes(t)))
                    .first;
    }
    case TypeKind::record:
        return record_name(t, token);
    case TypeKind::enumeration:
        return std::string(opencl_c::name_of(types_.integer_kind(t)));
    case TypeKind::bool_:
        return "bool";
    case TypeKind::event:
        return *words_.insert("event_t").first;
    case TypeKind::sampler:
    case TypeKind::image: {
        const std::string what = types_.is(t, TypeKind::sampler) ? "samplers" : "images";
        refuse(token, translate::quoted(types_.name(t.plain())) + ": the portable kernel language has no " +
                          what + opencl_c::advice(what));
    }
    case TypeKind::error:
    case TypeKind::function:
        refuse(token, "this type has no form in C++");
    case TypeKind::double_:
        words_.insert("double");
        return "double";
    default:
        return std::string(opencl_c::name_of(types_.kind(t)));
    }
}

std::string Emitter::declared_as(Type t, std::string inner, bool keeps_const, std::uint32_t token) {
    if (types_.is_array(t)) {
        if (types_.count(t) == opencl_c::unknown_size) {
            refuse(token, "an array of unknown size has no form in C++");
        }
        if (types_.count(t) == 0) {
            refuse(token, "an array without elements has no form in C++");
        }
        return declared_as(types_.element(t), inner + "[" + std::to_string(types_.count(t)) + "]",
                           keeps_const, token);
    }
    if (types_.is_pointer(t)) {
        const Type to = types_.element(t);
        std::string own = "*" + std::string(t.is_restrict() ? " __restrict__ " : "") +
                          qualifiers(t, keeps_const && (t.is_const() || t.space() == Space::constant)) +
                          inner;
        own = types_.is_array(to) ? "(" + own + ")" : own;
        return declared_as(to, std::move(own), true, token);
    }
    const bool is_const = keeps_const && (t.is_const() || t.space() == Space::constant);
    return qualifiers(t, is_const) + base_name(t, token) + (inner.empty() || inner[0] == '[' ? "" : " ") +
           inner;
}

std::string Emitter::declared(Type t, std::string inner, std::uint32_t token) {
    return declared_as(t, std::move(inner), false, token);
}

std::string Emitter::type_name(Type t, std::uint32_t token) {
    return declared_as(t.plain(), "", false, token);
}

bool Emitter::contains_vector(Type t) const {
    return types_.contains_vector(t);
}

const std::string& Emitter::record_name(Type t, std::uint32_t token) {
    RecordState& state = record_states_[t.index()];
    if (state.name.empty()) {
        const Record& record = types_.record(t);
        if (record.complete && record.size == 0) {
            refuse(token, "a struct without members has no form in C++");
        }
        const std::string_view known = record.tag.empty() ? record.typedef_name : record.tag;
        state.name = global_names_.make("s_", known);
        state.token = token;
        forward_.put((record.is_union ? "union " : "struct ") + state.name + ";");
        forward_.line();
        pending_records_.push_back(t.plain());
        Names names;
        for (const opencl_c::Member& m : record.members) {
            state.members.push_back(names.make("m_", m.name));
        }
    }
    return state.name;
}

const std::string& Emitter::member_name(Type record, std::uint32_t index, std::uint32_t token) {
    record_name(record, token);
    return record_states_[record.index()].members[index];
}

std::uint32_t Emitter::first_member(Type record) const {
    const auto known = record_states_.find(record.index());
    return known == record_states_.end() ? 0 : known->second.first;
}

void Emitter::define_records() {
    while (!pending_records_.empty()) { // Members may name further records.
        const Type t = pending_records_.back();
        pending_records_.pop_back();
        define_record(t);
    }
}

/// Writes a record after the records that it contains.
void Emitter::define_record(Type t) {
    record_name(t, 0);
    if (record_states_[t.index()].defined || !types_.record(t).complete) {
        return;
    }
    record_states_[t.index()].defined = true;
    const std::uint32_t token = record_states_[t.index()].token;
    const Record& record = types_.record(t);
    std::vector<std::string> members;
    std::uint64_t end = 0;
    std::uint64_t natural = 1;
    bool is_packed = false;
    for (const opencl_c::Member& m : record.members) {
        Type inner = m.type;
        while (types_.is_array(inner)) {
            inner = types_.element(inner);
        }
        if (types_.is_record(inner)) {
            record_name(inner, token);
            define_record(inner);
        }
        natural = std::max(natural, types_.align(m.type));
        is_packed = is_packed || m.offset % types_.align(m.type) != 0;
    }
    is_packed = is_packed || record.align < natural || record.size % natural != 0;
    for (std::size_t i = 0; i < record.members.size(); ++i) {
        const opencl_c::Member& m = record.members[i];
        const std::uint64_t begin = record.is_union ? 0 : end;
        std::uint64_t align = is_packed ? 1 : types_.align(m.type);
        std::string aligned;
        if (rounded_up(begin, align) != m.offset) {
            while (align < 4096 && rounded_up(begin, align) != m.offset) {
                align *= 2;
            }
            aligned = " __attribute__((aligned(" + std::to_string(align) + ")))";
        }
        members.push_back(declared(m.type, member_name(t, static_cast<std::uint32_t>(i), token), token) +
                          aligned + ";");
        end = m.offset + types_.size(m.type);
    }
    std::swap(members[0], members[record.is_union ? first_member(t) : 0]);
    Text& out = records_;
    const std::string& name = record_states_[t.index()].name;
    out.put(record.is_union ? "union " : "struct ");
    if (is_packed) {
        if (contains_vector(t)) {
            refuse(token, "a struct with a vector cannot be packed; use an array of scalars and vloadn()");
        }
        out.put("__attribute__((packed, aligned(" + std::to_string(record.align) + "))) ");
    } else if (record.align > natural) {
        out.put("alignas(" + std::to_string(record.align) + ") ");
    }
    out.put(name + " {");
    for (const std::string& member : members) {
        out.line(1);
        out.put(member);
    }
    out.line();
    out.put("};");
    out.line();
    out.put("static_assert(sizeof(" + name + ") == " + std::to_string(record.size) +
            ", \"the size of a struct\");");
    out.line();
    // NVRTC has no offsetof.
    const bool checks_places = dialect_ != Dialect::cuda && (is_packed || record.align > natural);
    for (std::size_t i = 0; checks_places && i < record.members.size(); ++i) {
        out.put("static_assert(__builtin_offsetof(" + name + ", " +
                member_name(t, static_cast<std::uint32_t>(i), token) +
                ") == " + std::to_string(record.members[i].offset) + ", \"the place of a member\");");
        out.line();
    }
}

} // namespace ferry::emit_cpp
