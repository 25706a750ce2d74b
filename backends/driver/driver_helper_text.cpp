// SPDX-License-Identifier: Apache-2.0
#include "driver/driver_helper_text.hpp"

namespace ferry::driver {

// backends/cuda/cuda_helper_ptx.cpp contains nvcc's output for this text. Change both together.
const char* const helper_text = R"(
struct FerryPattern {
    unsigned char bytes[1024];
};

// Each thread builds one 16-byte piece of the repeated pattern and stores it many times. The distance between
// its stores is a multiple of the pattern's size.
extern "C" __global__ void ferry_fill(unsigned char* to, unsigned long long bytes, unsigned int size,
                                      unsigned int period, FerryPattern pattern) {
    const unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned int threads = gridDim.x * blockDim.x;
    unsigned long long head = (16 - ((unsigned long long)to & 15)) & 15;
    head = head < bytes ? head : bytes;
    const unsigned long long count = (bytes - head) / 16;
    const unsigned long long tail = head + count * 16;
    if (id < head) {
        to[id] = pattern.bytes[id % size];
    }
    if (id < bytes - tail) {
        to[tail + id] = pattern.bytes[(tail + id) % size];
    }
    const unsigned int stride = threads - threads % period;
    if (id >= stride || id >= count) {
        return;
    }
    unsigned int at = (unsigned int)((head + 16ull * id) % size);
    unsigned int words[4];
    for (int w = 0; w < 4; ++w) {
        unsigned int word = 0;
        for (int b = 0; b < 4; ++b) {
            word |= (unsigned int)pattern.bytes[at] << (8 * b);
            at = at + 1 == size ? 0 : at + 1;
        }
        words[w] = word;
    }
    uint4 value;
    value.x = words[0];
    value.y = words[1];
    value.z = words[2];
    value.w = words[3];
    uint4* const pieces = (uint4*)(to + head);
    for (unsigned long long i = id; i < count; i += stride) {
        pieces[i] = value;
    }
}

struct FerryCopy {
    unsigned char* to;
    const unsigned char* from;
    unsigned long long bytes;
};
struct FerryCopies {
    FerryCopy copy[160];
};

// One copy for each blockIdx.x, shared by the blocks of blockIdx.y.
extern "C" __global__ void ferry_copies(FerryCopies copies) {
    unsigned char* const to = copies.copy[blockIdx.x].to;
    const unsigned char* const from = copies.copy[blockIdx.x].from;
    const unsigned long long bytes = copies.copy[blockIdx.x].bytes;
    const unsigned long long apart = (unsigned long long)to ^ (unsigned long long)from;
    const unsigned int unit = (apart & 15) == 0 ? 16 : (apart & 3) == 0 ? 4 : 1;
    unsigned long long head = (unit - ((unsigned long long)to & (unit - 1))) & (unit - 1);
    head = head < bytes ? head : bytes;
    const unsigned long long count = (bytes - head) / unit;
    const unsigned long long tail = bytes - head - count * unit;
    const unsigned int id = blockIdx.y * blockDim.x + threadIdx.x;
    const unsigned int stride = gridDim.y * blockDim.x;
    if (id < head) {
        to[id] = from[id];
    }
    if (id < tail) {
        to[bytes - 1 - id] = from[bytes - 1 - id];
    }
    if (unit == 16) {
        uint4* const target = (uint4*)(to + head);
        const uint4* const source = (const uint4*)(from + head);
        for (unsigned long long i = id; i < count; i += stride) {
            target[i] = source[i];
        }
    } else if (unit == 4) {
        unsigned int* const target = (unsigned int*)(to + head);
        const unsigned int* const source = (const unsigned int*)(from + head);
        for (unsigned long long i = id; i < count; i += stride) {
            target[i] = source[i];
        }
    } else {
        for (unsigned long long i = id; i < count; i += stride) {
            to[i] = from[i];
        }
    }
}
)";

} // namespace ferry::driver
