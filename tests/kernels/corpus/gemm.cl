// SPDX-License-Identifier: Apache-2.0
#ifndef PRECISION
#define PRECISION 32
#endif
#if PRECISION == 32
typedef float real;
#define ZERO 0.0f
#elif PRECISION == 1
typedef int real;
#define ZERO 0
#else
#error "unknown precision"
#endif
#define MWG 16
#define NWG 8
#define KWG 4
#define MWI 2
#define MDIMC (MWG / MWI)
#define MULADD(c, a, b) c += (a) * (b)
#define INIT_ACC(acc) \
    do { \
        _Pragma("unroll") \
        for (int mi = 0; mi < MWI; ++mi) { \
            (acc)[mi] = ZERO; \
        } \
    } while (0)
#define INLINE static inline
INLINE void load_tile(const int columns, const int rows, const __global real* restrict from, __local real* to,
                      const int width, const int x0, const int y0, const int w, const int h) {
    const int threads = MDIMC * NWG, me = get_local_id(1) * MDIMC + get_local_id(0);
    for (int t = me; t < w * h; t += threads) {
        const int x = x0 + t % w, y = y0 + t / w;
        to[t] = (x < columns && y < rows) ? from[y * width + x] : ZERO;
    }
}
__kernel __attribute__((reqd_work_group_size(MDIMC, NWG, 1)))
void gemm(const int m, const int n, const int k, const real alpha, const real beta, const __global real* restrict a,
          const __global real* restrict b, __global real* c) {
    __local real alm[KWG * MWG];
    __local real blm[NWG * KWG];
    real acc[MWI];
    INIT_ACC(acc);
    const int m0 = get_group_id(0) * MWG, n0 = get_group_id(1) * NWG;
    for (int kwg = 0; kwg < k; kwg += KWG) {
        load_tile(m, k, a, alm, m, m0, kwg, MWG, KWG);
        load_tile(k, n, b, blm, k, kwg, n0, KWG, NWG);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int kk = 0; kk < KWG; ++kk) {
#pragma unroll
            for (int mi = 0; mi < MWI; ++mi)
                MULADD(acc[mi], alm[kk * MWG + get_local_id(0) + mi * MDIMC], blm[get_local_id(1) * KWG + kk]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int mi = 0; mi < MWI; ++mi) {
        const int x = m0 + get_local_id(0) + mi * MDIMC, y = n0 + get_local_id(1);
        if (x < m && y < n)
            c[y * m + x] = alpha * acc[mi] + beta * c[y * m + x];
    }
}
