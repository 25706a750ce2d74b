// SPDX-License-Identifier: Apache-2.0
// A library that is opened late, and closed by a destructor of another one.
namespace {

volatile bool ready = false;

__attribute__((constructor)) void construct() {
    ready = true;
}
__attribute__((destructor)) void destruct() {
    ready = false;
}

} // namespace
