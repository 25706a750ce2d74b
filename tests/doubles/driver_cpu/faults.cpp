// SPDX-License-Identifier: Apache-2.0
#include "faults.hpp"

#include "../codes.hpp"
#include "library.hpp"

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ferry_double {

namespace {

// Never destroyed, because threads of the double may run until the process ends.
std::deque<Site>& sites() {
    static std::deque<Site>& all = *[] {
        auto* made = new std::deque<Site>;
        for (const char* const* name = library_symbols; *name != nullptr; ++name) {
            made->emplace_back().name = *name;
        }
        return made;
    }();
    return all;
}

struct Fault {
    enum class Kind { call, later, kernel, slow, exit } kind = Kind::call;
    std::string name;
    int code = 0;
    bool once = false;
    long long first = 1;   // number of the first failing call, from 1
    bool and_after = true; // all later calls fail too
    long long seen = 0;
};

struct Faults {
    std::mutex mutex;
    std::vector<Fault> list;
    std::atomic<bool> any{false};
};

bool parse_number(std::string_view text, long long& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size();
}

std::string_view cut(std::string_view& text, char separator) {
    const std::size_t at = text.find(separator);
    const std::string_view head = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return head;
}

// [kernel:|later:]NAME:CODE[:once|:sticky][@N[+]], slow:NAME:MILLISECONDS[@N[+]], exit:NAME:STATUS[@N]
bool parse(std::string_view text, Fault& fault) {
    if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
        std::string_view when = text.substr(at + 1);
        text = text.substr(0, at);
        fault.and_after = !when.empty() && when.back() == '+';
        if (fault.and_after) {
            when.remove_suffix(1);
        }
        if (!parse_number(when, fault.first) || fault.first < 1) {
            return false;
        }
    }
    fault.name = cut(text, ':');
    for (const auto& [word, kind] : {std::pair{"kernel", Fault::Kind::kernel},
                                     {"later", Fault::Kind::later},
                                     {"exit", Fault::Kind::exit},
                                     {"slow", Fault::Kind::slow}}) {
        if (fault.name == word) {
            fault.kind = kind;
            fault.name = cut(text, ':');
            break;
        }
    }
    long long code = 0;
    if (!parse_number(cut(text, ':'), code) || fault.name.empty()) {
        return false;
    }
    fault.code = static_cast<int>(code);
    fault.and_after = fault.and_after && fault.kind != Fault::Kind::exit; // exit handlers may make the call
    fault.once = text == "once" || (text.empty() && !is_sticky(fault.code));
    return (text.empty() || text == "once" || text == "sticky") &&
           (fault.kind == Fault::Kind::kernel || find_site(fault.name) != nullptr);
}

bool parse_all(std::string_view text, std::vector<Fault>& list) {
    while (!text.empty()) {
        Fault fault;
        if (!parse(cut(text, ','), fault)) {
            return false;
        }
        list.push_back(std::move(fault));
    }
    return true;
}

Faults& faults() {
    static Faults& all = *[] {
        auto* made = new Faults;
        const char* spec = std::getenv("FERRY_DOUBLE_FAIL");
        if (spec != nullptr && !parse_all(spec, made->list)) {
            std::fprintf(stderr, "FERRY_DOUBLE_FAIL is not understood: %s\n", spec);
            std::abort(); // a test without its injected failure must not pass
        }
        made->any = !made->list.empty();
        return made;
    }();
    return all;
}

Later hit(Fault::Kind kind, std::string_view name) {
    Faults& all = faults();
    if (!all.any.load(std::memory_order_relaxed)) {
        return {};
    }
    const std::lock_guard lock(all.mutex);
    Later result;
    for (Fault& fault : all.list) {
        if (fault.kind == kind && fault.name == name) {
            ++fault.seen;
            if (result.code == 0 &&
                (fault.seen == fault.first || (fault.and_after && fault.seen > fault.first))) {
                result = {fault.code, fault.once};
            }
        }
    }
    return result;
}

} // namespace

Site* find_site(std::string_view name) {
    for (Site& site : sites()) {
        if (name == site.name) {
            return &site;
        }
    }
    return nullptr;
}

int enter(Site& site) {
    site.calls.fetch_add(1, std::memory_order_relaxed);
    if (const int milliseconds = hit(Fault::Kind::slow, site.name).code; milliseconds > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    }
    if (const int status = hit(Fault::Kind::exit, site.name).code; status != 0) {
        std::exit(status); // NOLINT(concurrency-mt-unsafe)
    }
    return hit(Fault::Kind::call, site.name).code;
}

Later later_fault(std::string_view symbol) {
    return hit(Fault::Kind::later, symbol);
}
Later kernel_fault(std::string_view kernel) {
    return hit(Fault::Kind::kernel, kernel);
}

bool inject(const char* spec) {
    std::vector<Fault> list;
    if (spec != nullptr && !parse_all(spec, list)) {
        return false;
    }
    Faults& all = faults();
    const std::lock_guard lock(all.mutex);
    all.list = std::move(list);
    all.any = !all.list.empty();
    return true;
}

long long calls(const char* symbol) {
    if (symbol == nullptr) {
        for (Site& site : sites()) {
            site.calls = 0;
        }
        return 0;
    }
    const Site* site = find_site(symbol);
    return site != nullptr ? site->calls.load() : -1;
}

long long argument(const char* symbol, int index) {
    const Site* site = find_site(symbol);
    return site != nullptr && index >= 0 && index < static_cast<int>(std::size(site->arguments))
               ? site->arguments[index].load()
               : -1;
}

} // namespace ferry_double
