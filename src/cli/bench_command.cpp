// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"
#include "commands.hpp"
#include "system/file_descriptor.hpp"

#include <iostream>

namespace cli {

Status bench(const BenchCommand& command) {
    ::bench::Request request;
    for (const std::string& selector : command.devices) {
        request.devices.push_back(ferry::find_device(selector));
    }
    if (command.devices.empty()) {
        request.devices = ferry::devices();
    }
    request.filter = command.filter;
    request.largest = command.largest;
    request.pairs = command.pairs;
    request.quick = command.quick;
    request.progress = ferry::detail::is_terminal(2);

    bool any = false;
    for (const ::bench::Measurement& what : ::bench::measurements()) {
        any = any || what.name.find(command.filter) != std::string_view::npos;
    }
    if (!any) {
        throw ferry::Error(ferry::Code::invalid_argument, "No measurement's name contains \"" +
                                                              command.filter +
                                                              "\"; ferry bench --list prints the names");
    }

    Status status = found;
    std::vector<::bench::DeviceFigures> all;
    std::vector<::bench::Failure> failures;
    for (const ferry::Device& device : request.devices) {
        bool begun = false;
        try {
            all.push_back(::bench::run(device, request, [&](const ::bench::Line& line, std::size_t largest) {
                if (command.json) {
                    return;
                }
                if (!begun) {
                    begun = true;
                    ::bench::print_head(std::cout, device, largest, request.quick);
                }
                ::bench::print_line(std::cout, line);
            }));
            if (!command.json) {
                ::bench::print_foot(std::cout, all.back());
            }
            if (!command.plot.empty()) {
                for (const auto& file : ::bench::write_plots(all.back(), command.plot)) {
                    std::cerr << "wrote " << file.string() << '\n';
                }
            }
        } catch (const std::exception& error) {
            std::cerr << device.id() << ": " << error.what() << '\n';
            failures.push_back({device, error.what()});
            status = refused;
        }
    }
    if (command.json) {
        std::cout << ::bench::to_json(all, failures, request.quick);
    }
    return status;
}

Status list_measurements() {
    for (const ::bench::Measurement& what : ::bench::measurements()) {
        std::string name(what.name);
        name.resize(26, ' ');
        std::cout << name << what.what << '\n';
    }
    return found;
}

} // namespace cli
