// SPDX-License-Identifier: Apache-2.0
#include "cuda/cuda_vendor.hpp"

namespace ferry::cuda {

// Generated from driver::helper_text by `nvcc -ptx -arch=compute_75`, without its comments, and with a
// version and a target that every driver and device from CUDA 11 on accepts. All instructions are available
// there.
std::string Vendor::helper_image(const Api&, Compiler&, const DeviceInfo&) {
    return R"(
.version 6.0
.target sm_50
.address_size 64
.visible .entry ferry_fill(
 .param .u64 ferry_fill_param_0,
 .param .u64 ferry_fill_param_1,
 .param .u32 ferry_fill_param_2,
 .param .u32 ferry_fill_param_3,
 .param .align 1 .b8 ferry_fill_param_4[1024]
)
{
 .reg .pred %p<24>;
 .reg .b16 %rs<3>;
 .reg .b32 %r<79>;
 .reg .b64 %rd<73>;
 ld.param.u64 %rd22, [ferry_fill_param_0];
 ld.param.u64 %rd21, [ferry_fill_param_1];
 ld.param.u32 %r7, [ferry_fill_param_2];
 ld.param.u32 %r8, [ferry_fill_param_3];
 mov.b64 %rd23, ferry_fill_param_4;
 cvta.to.global.u64 %rd2, %rd22;
 mov.u32 %r1, %ntid.x;
 mov.u32 %r9, %ctaid.x;
 mov.u32 %r10, %tid.x;
 mad.lo.s32 %r11, %r9, %r1, %r10;
 neg.s64 %rd24, %rd22;
 and.b64 %rd25, %rd24, 15;
 min.u64 %rd3, %rd25, %rd21;
 sub.s64 %rd26, %rd21, %rd3;
 shr.u64 %rd4, %rd26, 4;
 and.b64 %rd27, %rd26, -16;
 or.b64 %rd5, %rd27, %rd3;
 cvt.u64.u32 %rd72, %r11;
 setp.le.u64 %p1, %rd3, %rd72;
 @%p1 bra $L__BB0_2;
 cvt.u32.u64 %r12, %rd72;
 rem.u32 %r13, %r12, %r7;
 cvt.u64.u32 %rd28, %r13;
 add.s64 %rd29, %rd23, %rd28;
 ld.param.u8 %rs1, [%rd29];
 add.s64 %rd30, %rd2, %rd72;
 st.global.u8 [%rd30], %rs1;
$L__BB0_2:
 sub.s64 %rd31, %rd21, %rd5;
 setp.le.u64 %p2, %rd31, %rd72;
 @%p2 bra $L__BB0_7;
 add.s64 %rd7, %rd5, %rd72;
 cvt.u64.u32 %rd8, %r7;
 and.b64 %rd32, %rd7, -4294967296;
 setp.eq.s64 %p3, %rd32, 0;
 @%p3 bra $L__BB0_5;
 rem.u64 %rd70, %rd7, %rd8;
 bra.uni $L__BB0_6;
$L__BB0_5:
 cvt.u32.u64 %r14, %rd8;
 cvt.u32.u64 %r15, %rd7;
 rem.u32 %r16, %r15, %r14;
 cvt.u64.u32 %rd70, %r16;
$L__BB0_6:
 add.s64 %rd33, %rd23, %rd70;
 ld.param.u8 %rs2, [%rd33];
 add.s64 %rd34, %rd2, %rd7;
 st.global.u8 [%rd34], %rs2;
$L__BB0_7:
 mov.u32 %r17, %nctaid.x;
 mul.lo.s32 %r18, %r17, %r1;
 cvt.u32.u64 %r19, %rd72;
 rem.u32 %r20, %r18, %r8;
 sub.s32 %r2, %r18, %r20;
 setp.ge.u32 %p4, %r19, %r2;
 setp.le.u64 %p5, %rd4, %rd72;
 or.pred %p6, %p5, %p4;
 @%p6 bra $L__BB0_13;
 shl.b64 %rd35, %rd72, 4;
 or.b64 %rd12, %rd3, %rd35;
 cvt.u64.u32 %rd13, %r7;
 and.b64 %rd36, %rd12, 64424509440;
 setp.eq.s64 %p7, %rd36, 0;
 @%p7 bra $L__BB0_10;
 rem.u64 %rd71, %rd12, %rd13;
 bra.uni $L__BB0_11;
$L__BB0_10:
 cvt.u32.u64 %r21, %rd13;
 cvt.u32.u64 %r22, %rd12;
 rem.u32 %r23, %r22, %r21;
 cvt.u64.u32 %rd71, %r23;
$L__BB0_11:
 add.s64 %rd37, %rd23, %rd71;
 ld.param.u8 %r24, [%rd37];
 cvt.u32.u64 %r25, %rd71;
 add.s32 %r26, %r25, 1;
 setp.eq.s32 %p8, %r26, %r7;
 selp.b32 %r27, 0, %r26, %p8;
 cvt.u64.u32 %rd38, %r27;
 add.s64 %rd39, %rd23, %rd38;
 ld.param.u8 %r28, [%rd39];
 prmt.b32 %r29, %r28, %r24, 30212;
 add.s32 %r30, %r27, 1;
 setp.eq.s32 %p9, %r30, %r7;
 selp.b32 %r31, 0, %r30, %p9;
 cvt.u64.u32 %rd40, %r31;
 add.s64 %rd41, %rd23, %rd40;
 ld.param.u8 %r32, [%rd41];
 prmt.b32 %r33, %r32, %r29, 28756;
 add.s32 %r34, %r31, 1;
 setp.eq.s32 %p10, %r34, %r7;
 selp.b32 %r35, 0, %r34, %p10;
 cvt.u64.u32 %rd42, %r35;
 add.s64 %rd43, %rd23, %rd42;
 ld.param.u8 %r36, [%rd43];
 prmt.b32 %r3, %r36, %r33, 1620;
 add.s32 %r37, %r35, 1;
 setp.eq.s32 %p11, %r37, %r7;
 selp.b32 %r38, 0, %r37, %p11;
 cvt.u64.u32 %rd44, %r38;
 add.s64 %rd45, %rd23, %rd44;
 ld.param.u8 %r39, [%rd45];
 add.s32 %r40, %r38, 1;
 setp.eq.s32 %p12, %r40, %r7;
 selp.b32 %r41, 0, %r40, %p12;
 cvt.u64.u32 %rd46, %r41;
 add.s64 %rd47, %rd23, %rd46;
 ld.param.u8 %r42, [%rd47];
 prmt.b32 %r43, %r42, %r39, 30212;
 add.s32 %r44, %r41, 1;
 setp.eq.s32 %p13, %r44, %r7;
 selp.b32 %r45, 0, %r44, %p13;
 cvt.u64.u32 %rd48, %r45;
 add.s64 %rd49, %rd23, %rd48;
 ld.param.u8 %r46, [%rd49];
 prmt.b32 %r47, %r46, %r43, 28756;
 add.s32 %r48, %r45, 1;
 setp.eq.s32 %p14, %r48, %r7;
 selp.b32 %r49, 0, %r48, %p14;
 cvt.u64.u32 %rd50, %r49;
 add.s64 %rd51, %rd23, %rd50;
 ld.param.u8 %r50, [%rd51];
 prmt.b32 %r4, %r50, %r47, 1620;
 add.s32 %r51, %r49, 1;
 setp.eq.s32 %p15, %r51, %r7;
 selp.b32 %r52, 0, %r51, %p15;
 cvt.u64.u32 %rd52, %r52;
 add.s64 %rd53, %rd23, %rd52;
 ld.param.u8 %r53, [%rd53];
 add.s32 %r54, %r52, 1;
 setp.eq.s32 %p16, %r54, %r7;
 selp.b32 %r55, 0, %r54, %p16;
 cvt.u64.u32 %rd54, %r55;
 add.s64 %rd55, %rd23, %rd54;
 ld.param.u8 %r56, [%rd55];
 prmt.b32 %r57, %r56, %r53, 30212;
 add.s32 %r58, %r55, 1;
 setp.eq.s32 %p17, %r58, %r7;
 selp.b32 %r59, 0, %r58, %p17;
 cvt.u64.u32 %rd56, %r59;
 add.s64 %rd57, %rd23, %rd56;
 ld.param.u8 %r60, [%rd57];
 prmt.b32 %r61, %r60, %r57, 28756;
 add.s32 %r62, %r59, 1;
 setp.eq.s32 %p18, %r62, %r7;
 selp.b32 %r63, 0, %r62, %p18;
 cvt.u64.u32 %rd58, %r63;
 add.s64 %rd59, %rd23, %rd58;
 ld.param.u8 %r64, [%rd59];
 prmt.b32 %r5, %r64, %r61, 1620;
 add.s32 %r65, %r63, 1;
 setp.eq.s32 %p19, %r65, %r7;
 selp.b32 %r66, 0, %r65, %p19;
 cvt.u64.u32 %rd60, %r66;
 add.s64 %rd61, %rd23, %rd60;
 ld.param.u8 %r67, [%rd61];
 add.s32 %r68, %r66, 1;
 setp.eq.s32 %p20, %r68, %r7;
 selp.b32 %r69, 0, %r68, %p20;
 cvt.u64.u32 %rd62, %r69;
 add.s64 %rd63, %rd23, %rd62;
 ld.param.u8 %r70, [%rd63];
 prmt.b32 %r71, %r70, %r67, 30212;
 add.s32 %r72, %r69, 1;
 setp.eq.s32 %p21, %r72, %r7;
 selp.b32 %r73, 0, %r72, %p21;
 cvt.u64.u32 %rd64, %r73;
 add.s64 %rd65, %rd23, %rd64;
 ld.param.u8 %r74, [%rd65];
 prmt.b32 %r75, %r74, %r71, 28756;
 add.s32 %r76, %r73, 1;
 setp.eq.s32 %p22, %r76, %r7;
 selp.b32 %r77, 0, %r76, %p22;
 cvt.u64.u32 %rd66, %r77;
 add.s64 %rd67, %rd23, %rd66;
 ld.param.u8 %r78, [%rd67];
 prmt.b32 %r6, %r78, %r75, 1620;
 add.s64 %rd17, %rd2, %rd3;
 cvt.u64.u32 %rd18, %r2;
$L__BB0_12:
 shl.b64 %rd68, %rd72, 4;
 add.s64 %rd69, %rd17, %rd68;
 st.global.v4.u32 [%rd69], {%r3, %r4, %r5, %r6};
 add.s64 %rd72, %rd72, %rd18;
 setp.lt.u64 %p23, %rd72, %rd4;
 @%p23 bra $L__BB0_12;
$L__BB0_13:
 ret;
}
.visible .entry ferry_copies(
 .param .align 8 .b8 ferry_copies_param_0[3840]
)
{
 .reg .pred %p<14>;
 .reg .b16 %rs<4>;
 .reg .b32 %r<24>;
 .reg .b64 %rd<58>;
 mov.b64 %rd25, ferry_copies_param_0;
 mov.u32 %r2, %ctaid.x;
 mul.wide.u32 %rd27, %r2, 24;
 add.s64 %rd28, %rd25, %rd27;
 ld.param.u64 %rd29, [%rd28];
 cvta.to.global.u64 %rd1, %rd29;
 ld.param.u64 %rd30, [%rd28+8];
 cvta.to.global.u64 %rd2, %rd30;
 xor.b64 %rd31, %rd30, %rd29;
 and.b64 %rd3, %rd31, 15;
 setp.eq.s64 %p1, %rd3, 0;
 and.b64 %rd32, %rd31, 3;
 setp.eq.s64 %p2, %rd32, 0;
 selp.b32 %r3, 4, 1, %p2;
 selp.b32 %r4, 16, %r3, %p1;
 cvt.u64.u32 %rd4, %r4;
 add.s32 %r5, %r4, -1;
 cvt.u64.u32 %rd33, %r5;
 and.b64 %rd34, %rd33, %rd29;
 sub.s64 %rd35, %rd4, %rd34;
 and.b64 %rd36, %rd35, %rd33;
 ld.param.u64 %rd5, [%rd28+16];
 min.u64 %rd6, %rd36, %rd5;
 sub.s64 %rd7, %rd5, %rd6;
 and.b64 %rd37, %rd7, -4294967296;
 setp.eq.s64 %p3, %rd37, 0;
 @%p3 bra $L__BB1_2;
 div.u64 %rd54, %rd7, %rd4;
 bra.uni $L__BB1_3;
$L__BB1_2:
 cvt.u32.u64 %r6, %rd4;
 cvt.u32.u64 %r7, %rd7;
 div.u32 %r8, %r7, %r6;
 cvt.u64.u32 %rd54, %r8;
$L__BB1_3:
 mov.u32 %r9, %ntid.x;
 mov.u32 %r10, %ctaid.y;
 mov.u32 %r11, %tid.x;
 mad.lo.s32 %r12, %r10, %r9, %r11;
 mov.u32 %r13, %nctaid.y;
 mul.lo.s32 %r1, %r13, %r9;
 cvt.u64.u32 %rd55, %r12;
 setp.le.u64 %p4, %rd6, %rd55;
 @%p4 bra $L__BB1_5;
 add.s64 %rd38, %rd2, %rd55;
 ld.global.u8 %rs1, [%rd38];
 add.s64 %rd39, %rd1, %rd55;
 st.global.u8 [%rd39], %rs1;
$L__BB1_5:
 mul.lo.s64 %rd40, %rd54, %rd4;
 sub.s64 %rd41, %rd7, %rd40;
 setp.le.u64 %p5, %rd41, %rd55;
 @%p5 bra $L__BB1_7;
 not.b64 %rd42, %rd55;
 add.s64 %rd43, %rd5, %rd42;
 add.s64 %rd44, %rd2, %rd43;
 ld.global.u8 %rs2, [%rd44];
 add.s64 %rd45, %rd1, %rd43;
 st.global.u8 [%rd45], %rs2;
$L__BB1_7:
 @%p1 bra $L__BB1_15;
 cvt.u32.u64 %r14, %rd4;
 setp.eq.s32 %p7, %r14, 4;
 @%p7 bra $L__BB1_12;
 bra.uni $L__BB1_9;
$L__BB1_12:
 add.s64 %rd15, %rd1, %rd6;
 add.s64 %rd16, %rd2, %rd6;
 setp.le.u64 %p10, %rd54, %rd55;
 @%p10 bra $L__BB1_18;
 cvt.u64.u32 %rd17, %r1;
$L__BB1_14:
 shl.b64 %rd48, %rd55, 2;
 add.s64 %rd49, %rd16, %rd48;
 ld.global.u32 %r15, [%rd49];
 add.s64 %rd50, %rd15, %rd48;
 st.global.u32 [%rd50], %r15;
 add.s64 %rd55, %rd55, %rd17;
 setp.lt.u64 %p11, %rd55, %rd54;
 @%p11 bra $L__BB1_14;
 bra.uni $L__BB1_18;
$L__BB1_15:
 add.s64 %rd20, %rd1, %rd6;
 add.s64 %rd21, %rd2, %rd6;
 setp.le.u64 %p12, %rd54, %rd55;
 @%p12 bra $L__BB1_18;
 cvt.u64.u32 %rd22, %r1;
$L__BB1_17:
 shl.b64 %rd51, %rd55, 4;
 add.s64 %rd52, %rd20, %rd51;
 add.s64 %rd53, %rd21, %rd51;
 ld.global.v4.u32 {%r16, %r17, %r18, %r19}, [%rd53];
 st.global.v4.u32 [%rd52], {%r16, %r17, %r18, %r19};
 add.s64 %rd55, %rd55, %rd22;
 setp.lt.u64 %p13, %rd55, %rd54;
 @%p13 bra $L__BB1_17;
 bra.uni $L__BB1_18;
$L__BB1_9:
 setp.le.u64 %p8, %rd54, %rd55;
 @%p8 bra $L__BB1_18;
 cvt.u64.u32 %rd12, %r1;
$L__BB1_11:
 add.s64 %rd46, %rd2, %rd55;
 ld.global.u8 %rs3, [%rd46];
 add.s64 %rd47, %rd1, %rd55;
 st.global.u8 [%rd47], %rs3;
 add.s64 %rd55, %rd55, %rd12;
 setp.lt.u64 %p9, %rd55, %rd54;
 @%p9 bra $L__BB1_11;
$L__BB1_18:
 ret;
}
)";
}

} // namespace ferry::cuda
