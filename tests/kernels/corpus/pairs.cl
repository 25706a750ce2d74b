// SPDX-License-Identifier: Apache-2.0
#define numtyp float
#define numtyp4 float4
#define acctyp4 float4
#define GLOBAL_ID_X get_global_id(0)
#define ucl_rsqrt rsqrt
#define store_answers(f, energy, i, ans, en) \
    {                                        \
        ans[i] = f;                          \
        en[i] = energy;                      \
    }
__kernel void pair_force(const __global numtyp4* restrict x_, const __global int* neighbours,
                         const __global numtyp4* lj, __global acctyp4* ans, __global numtyp* en, const int count,
                         const int each, const int types) {
    const int i = GLOBAL_ID_X;
    if (i < count) {
        const numtyp4 ix = x_[i];
        acctyp4 f = (acctyp4)(0.0f, 0.0f, 0.0f, 0.0f);
        numtyp energy = 0.0f;
        const int itype = ix.w;
        for (int k = 0; k < each; ++k) {
            const int j = neighbours[k * count + i];
            const numtyp4 jx = x_[j];
            const int mtype = itype * types + (int)jx.w;
            const numtyp4 d = ix - jx;
            const numtyp rsq = dot(d.xyz, d.xyz);
            if (rsq < lj[mtype].z && j != i) {
                const numtyp r = ucl_rsqrt(rsq), r2inv = r * r, r6inv = r2inv * r2inv * r2inv;
                f.xyz += d.xyz * (r2inv * r6inv * (lj[mtype].x * r6inv - lj[mtype].y));
                energy += r6inv * (lj[mtype].x * r6inv - lj[mtype].y);
            }
        }
        store_answers(f, energy, i, ans, en);
    }
}
