// SPDX-License-Identifier: Apache-2.0
// C = alpha * A * transposed(B) + beta * C in single precision, column by column as BLAS has it: A is m x k, B is n x k,
// C is m x n. Everything about its shape is chosen when it is compiled, with -D:
//   MWG, NWG      rows and columns of C that a work-group computes; m and n are multiples of them
//   KWG           how much of k is in local memory at a time; k is a multiple of it
//   MDIMC, NDIMC  work-items of a group in each direction
//   VW            width of the vectors: 1, 2, 4 or 8
#ifndef MWG
#define MWG 32
#define NWG 32
#define KWG 32
#define MDIMC 4
#define NDIMC 4
#define VW 8
#endif

#define ITEMS (MDIMC * NDIMC)
#define MWI (MWG / MDIMC / VW) // vectors of a column of C that a work-item computes
#define NWI (NWG / NDIMC / VW) // and in as many columns, times VW

#if MWG % (MDIMC * VW) != 0 || NWG % (NDIMC * VW) != 0
#error "MWG is a multiple of MDIMC * VW, and NWG one of NDIMC * VW"
#endif

#define JOIN_AGAIN(a, b) a##b
#define JOIN(a, b) JOIN_AGAIN(a, b)
#if VW == 1
typedef float realv;
#else
typedef JOIN(float, VW) realv;
#endif

// sum[j] += a * b[j] for each component of b.
#define ADD(sum, j, a, b) sum[j] = mad((realv)(b), a, sum[j])
#if VW == 1
#define ADD_ALL(sum, a, b) ADD(sum, 0, a, b)
#elif VW == 2
#define ADD_ALL(sum, a, b) \
    ADD(sum, 0, a, b.x);   \
    ADD(sum, 1, a, b.y)
#elif VW == 4
#define ADD_ALL(sum, a, b) \
    ADD(sum, 0, a, b.x);   \
    ADD(sum, 1, a, b.y);   \
    ADD(sum, 2, a, b.z);   \
    ADD(sum, 3, a, b.w)
#elif VW == 8
#define ADD_ALL(sum, a, b) \
    ADD(sum, 0, a, b.s0);  \
    ADD(sum, 1, a, b.s1);  \
    ADD(sum, 2, a, b.s2);  \
    ADD(sum, 3, a, b.s3);  \
    ADD(sum, 4, a, b.s4);  \
    ADD(sum, 5, a, b.s5);  \
    ADD(sum, 6, a, b.s6);  \
    ADD(sum, 7, a, b.s7)
#else
#error "VW is 1, 2, 4 or 8"
#endif

// Loads KWG pieces of columns, each `width` vectors long and `stride` vectors apart.
void load_tile(__global const realv* from, __local realv* tile, uint width, uint stride) {
    for (uint v = get_local_id(1) * MDIMC + get_local_id(0); v < KWG * width; v += ITEMS) {
        tile[v] = from[v / width * stride + v % width];
    }
}

// m, n and k are the sizes of the matrices in memory.
__kernel __attribute__((reqd_work_group_size(MDIMC, NDIMC, 1))) void
gemm(uint m, uint n, uint k, float alpha, float beta, __global const realv* restrict a,
     __global const realv* restrict b, __global realv* c) {
    __local realv a_tile[KWG * MWG / VW];
    __local realv b_tile[KWG * NWG / VW];
    const uint row = get_local_id(0);
    const uint column = get_local_id(1);
    const uint a_first = get_group_id(0) * (MWG / VW);
    const uint b_first = get_group_id(1) * (NWG / VW);

    realv sums[NWI * MWI][VW];
#pragma unroll
    for (int i = 0; i < NWI * MWI; ++i) {
#pragma unroll
        for (int j = 0; j < VW; ++j) {
            sums[i][j] = (realv)(0.0f);
        }
    }

    for (uint first = 0; first < k; first += KWG) {
        load_tile(a + first * (m / VW) + a_first, a_tile, MWG / VW, m / VW);
        load_tile(b + first * (n / VW) + b_first, b_tile, NWG / VW, n / VW);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int p = 0; p < KWG; ++p) {
#pragma unroll
            for (int in = 0; in < NWI; ++in) {
                const realv from_b = b_tile[p * (NWG / VW) + in * NDIMC + column];
#pragma unroll
                for (int im = 0; im < MWI; ++im) {
                    const realv from_a = a_tile[p * (MWG / VW) + im * MDIMC + row];
                    ADD_ALL(sums[in * MWI + im], from_a, from_b);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }

#pragma unroll
    for (int in = 0; in < NWI; ++in) {
#pragma unroll
        for (int j = 0; j < VW; ++j) {
            __global realv* to = c + ((b_first + in * NDIMC + column) * VW + j) * (m / VW) + a_first;
#pragma unroll
            for (int im = 0; im < MWI; ++im) {
                const uint at = im * MDIMC + row;
                to[at] = alpha * sums[in * MWI + im][j] + beta * to[at];
            }
        }
    }
}
