// SPDX-License-Identifier: Apache-2.0
#include "measure/serve.hpp"

#include "device/runtime.hpp"
#include "knowledge/facts_text.hpp"
#include "measure/device_knowledge.hpp"
#include "measure/memory_tests.hpp"
#include "measure/request.hpp"
#include "probe/serve_test.hpp"
#include "staging/slot_sizes.hpp"
#include "system/child_side.hpp"

#include <ferry/error.hpp>

#include <algorithm>

namespace ferry::detail::child_run {
namespace {

using Before = std::function<void(std::string_view)>;

/// The parent's end. If it is closed, the child ends too.
class Parent {
public:
    Parent() : out_(take_output()) {}

    bool there() const noexcept { return out_ >= 0; }
    int output() const noexcept { return out_; }
    void say(const std::string& text) const { answer(out_, text); }

private:
    int out_;
};

class Teller : public memory_tests::Watch {
public:
    Teller(const Parent& parent, const Request& request, const Before& before)
        : parent_(parent), request_(request), before_(before) {}

    void begin(const Step& step) const {
        parent_.say("begin " + step + '\n');
        if (before_) {
            before_(step);
        }
    }
    void end(const std::string& found = {}) const { parent_.say(found + "end\n"); }

    bool begins(const MemoryCapabilities& facts, const memory_tests::Test& test) override {
        const Step step = std::string(to_string(facts.kind)) + ' ' + std::string(test.name);
        const auto& left_out = request_.left_out;
        if (std::find(left_out.begin(), left_out.end(), step) != left_out.end()) {
            return false;
        }
        begin(step);
        return true;
    }
    void ends(const MemoryCapabilities& facts, const memory_tests::Test&) override { end(facts_text(facts)); }

private:
    const Parent& parent_;
    const Request& request_;
    const Before& before_;
};

DeviceState* device_of(const Request& request) {
    for (const auto& device : Runtime::get().devices(request.backend)) {
        if (device->info().index == request.index && identity_of(device->info()) == request.identity) {
            return device.get();
        }
    }
    return nullptr;
}

/// Costs depend on the slots, so this process uses the size that it measured.
std::string slots_text(DeviceState& device) {
    std::string text;
    learn_slot_rates(device, true, [&](std::chrono::milliseconds time) {
        auto rates = staging::robust_slot_rates(staging::measure_slot_rounds(Device(device), time));
        text = rates ? "slots\n" + staging::to_text(*rates) : "";
        return rates;
    });
    return text;
}

void measure(const Parent& parent, Request& request, const Before& before) {
    Teller teller(parent, request, before);
    teller.begin("start");
    DeviceState* const device = device_of(request);
    if (device == nullptr) {
        parent.say("refused it sees no such device\n");
        return;
    }
    for (MemoryCapabilities& facts : request.facts) { // The text format does not contain these.
        const MemoryCapabilities declared = device->native().memory_facts(facts.kind);
        facts.available = declared.available;
        facts.why_not = declared.why_not;
    }
    const Measuring measuring;
    memory_tests::Session session(Device(*device), request.until, request.at_least);
    teller.end();
    if (request.slots) {
        teller.begin("slots");
        teller.end(slots_text(*device));
    }
    if (request.tests) {
        session.reserve(request.costs ? part_for_costs : 0);
        memory_tests::measure(session, request.facts, by_use, teller);
    }
    if (request.costs) {
        adopt(*device, request.facts);
        session.reserve(0);
        static_cast<void>(calibrate(
            session, [&](std::size_t bytes) { teller.begin("costs " + std::to_string(bytes)); },
            [&](const CostModel& known) { teller.end("costs\n" + detail::to_text(known)); },
            request.costs_before));
    }
    parent.say("done\n");
}

} // namespace

int serve(const Before& before) {
    end_with_parent();
    const Parent parent;
    const std::string asked = read_input();
    if (const auto subject = probe::request_from(asked); subject && parent.there()) {
        probe::serve_test(*subject, parent.output(), probe::Host::tool);
    }
    std::optional<Request> request = request_from(asked);
    if (!parent.there() || !request) {
        return 2;
    }
    parent.say(greeting() + '\n');
    try {
        measure(parent, *request, before);
    } catch (const std::exception& error) {
        std::string why = error.what();
        std::replace(why.begin(), why.end(), '\n', ' ');
        parent.say("refused " + why + '\n');
    }
    end_at_once(0);
}

} // namespace ferry::detail::child_run
