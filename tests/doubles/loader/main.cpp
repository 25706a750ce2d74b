// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "report.hpp"

#include <ferry/ferry.hpp>

#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>

// --report: what became of each backend, and which vendor libraries this process has mapped now.
int main(int count, char** arguments) {
    if (count == 2 && std::strcmp(arguments[1], "--report") == 0) {
        try {
            for (const ferry::BackendReport& report : ferry::backends()) {
                std::printf("%s: %s\n", report.name.c_str(),
                            report.available ? "available" : "not available");
                for (const std::string& reason : report.reasons) {
                    std::printf("%s\n", reason.c_str());
                }
                if (!report.library.empty()) {
                    std::printf("library: %s\n", report.library.c_str());
                }
            }
            for (const std::string& name : support::mapped_libraries()) {
                std::printf("mapped: %s\n", name.c_str());
            }
        } catch (const ferry::Error& error) {
            std::printf("error: %s\n", error.what());
            return 2;
        }
        return 0;
    }
    return doctest::Context(count, arguments).run();
}
