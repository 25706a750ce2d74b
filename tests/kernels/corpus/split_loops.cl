// SPDX-License-Identifier: Apache-2.0
/* What is left of a random kernel whose result g++ 12 lost where it may split the loops over work-items: 0 came out
   in place of 30722. Smaller ones come out right. */
uint shifted(uint p0, int p1) {
    return (uint)(hadd(p0, ((uint2)0UL).odd) << (uint)(convert_uint_sat((ushort)53486UL) << hadd(p0, p0)));
}
typedef struct {
    short m0;
    char2 m1;
    ushort4 m2;
} parts;
__kernel void split_loops(__global const ulong* in, __global ulong* out) {
    parts s;
    s.m0 = convert_short(in[53]);
    ushort v0 = convert_ushort(in[0]);
    ulong v2 = convert_ulong(in[9]);
    ulong8 v5 = convert_ulong8(vload8(0, in + 27));
    long v8 = convert_long(in[52]);
    {
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    {
        const int i3_end = (int)((uint)(mul_hi(shifted((uint)2147483647UL, (int)(int)7UL), mul_hi((uint)4294967295UL, (uint)100UL)) ? (uint)((int)(int)4294967196UL ? mad_hi((uint)4268443872UL, (uint)4294967294UL, (uint)33UL) : mad_hi((uint)3406005015UL, (uint)4294967196UL, (uint)3UL)) : add_sat(add_sat((uint)872327426UL, (uint)4294967295UL), ((uint8)4294967196UL).s0)) & 3);
        for (int i3 = 0; i3 < i3_end; ++i3) {
            switch ((uint)((uint)((uint)144618376UL << (uint)((uint)1613492965UL % (uint)((uint)3200427559UL & ~(uint)2 | (uint)1))) | (uint)4294967295UL) % 4) {
                default: {
                    v5 = (ulong8)(convert_ulong3((((ulong3)18446744073709551516UL - (ulong3)2031433341874477628UL) < ((ulong3)1UL ^ (ulong3)5UL))), select(mad_hi((ulong2)9062256899643183100UL, (ulong2)5199082885825322324UL, (ulong2)65UL), ((ulong2)1739678439413384840UL + (ulong2)100UL), add_sat((long2)(long)5UL, (long2)(long)429722107453568473UL)), (ulong)(convert_ulong((i3 < i3)) | as_ulong((ulong)11200934955254890983UL)), convert_ulong((rotate(s.m0, (short)(short)32768UL) < (short)((ulong)(s.m0) + (ulong)(s.m0)))), ((ulong2)17355941517599121702UL).even);
                    s.m1 = convert_char2_sat((((uint4)63UL).hi % ((uint2)0UL & ~(uint2)2 | (uint2)1)));
                    s.m1 = (mul_hi(((char4)(char)147UL >> (char4)(char)126UL), as_char4(as_uchar4((char4)(char)27UL) * as_uchar4((char4)(char)77UL)))).odd;
                }
            }
        }
    }
    {
        switch ((uint)1203203212UL % 4) {
            case 0: {
                v8 ^= convert_long((short)((ulong)(s.m0) - (ulong)(rhadd(s.m0, s.m0))));
                v0 = (convert_ushort2((select((ushort2)65436UL, (ushort2)1UL, (ushort2)50158UL) < sub_sat((ushort2)3UL, (ushort2)9835UL)))).lo;
            } break;
        }
    }
    {
        switch (convert_uint_sat((int)(int)3176354000UL) % 4) {
            case 0: {
                v5 = mul_hi(v5, mad_hi((ulong8)((ulong2)16118386759768787919UL, v2, (ulong2)3716232098602UL, v2, v2, v2), (v5 / (v5 & ~(ulong8)2 | (ulong8)1)), v5));
            } break;
        }
    }
    {
        v0 ^= (ushort)30722UL;
    }
    {
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = convert_ulong(v0);
}
