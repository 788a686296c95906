#include "textflag.h"

// Instructions that Go's assembler does not know: each takes the numbers of vector
// registers, the last one of its result. (Arm Architecture Reference Manual, C7.2)
// SDOT and FMLA take one part of m, from 0 to 3.
#define SDOT(m, part, n, d) WORD $(0x4F80E000 | (part&1)<<21 | (part>>1)<<11 | m<<16 | n<<5 | d)
#define FMLA(m, part, n, d) WORD $(0x4F801000 | (part&1)<<21 | (part>>1)<<11 | m<<16 | n<<5 | d)
#define FADD(m, n, d) WORD $(0x4E20D400 | m<<16 | n<<5 | d)
#define FADDP(m, n, d) WORD $(0x6E20D400 | m<<16 | n<<5 | d)
#define FSUB(m, n, d) WORD $(0x4EA0D400 | m<<16 | n<<5 | d)
#define FMUL(m, n, d) WORD $(0x6E20DC00 | m<<16 | n<<5 | d)
#define FDIV(m, n, d) WORD $(0x6E20FC00 | m<<16 | n<<5 | d)
#define FMAX(m, n, d) WORD $(0x4E20F400 | m<<16 | n<<5 | d)
#define FMAXV(n, d) WORD $(0x6E30F800 | n<<5 | d)
#define FABS(n, d) WORD $(0x4EA0F800 | n<<5 | d)
#define FCVTNS(n, d) WORD $(0x4E21A800 | n<<5 | d)
#define SCVTF(n, d) WORD $(0x4E21D800 | n<<5 | d)
#define SQXTNS(n, d) WORD $(0x0E614800 | n<<5 | d)
#define SQXTNS2(n, d) WORD $(0x4E614800 | n<<5 | d)
#define SQXTNH(n, d) WORD $(0x0E214800 | n<<5 | d)
#define SQXTNH2(n, d) WORD $(0x4E214800 | n<<5 | d)

// The sums of row r and of the columns from 4c on are in the register 16 + 4r + c.
#define QUAD(part) \
	VLD1.P 64(R0), [V4.B16, V5.B16, V6.B16, V7.B16] \
	SDOT(0, part, 4, 16) \
	SDOT(0, part, 5, 17) \
	SDOT(0, part, 6, 18) \
	SDOT(0, part, 7, 19) \
	SDOT(1, part, 4, 20) \
	SDOT(1, part, 5, 21) \
	SDOT(1, part, 6, 22) \
	SDOT(1, part, 7, 23) \
	SDOT(2, part, 4, 24) \
	SDOT(2, part, 5, 25) \
	SDOT(2, part, 6, 26) \
	SDOT(2, part, 7, 27) \
	SDOT(3, part, 4, 28) \
	SDOT(3, part, 5, 29) \
	SDOT(3, part, 6, 30) \
	SDOT(3, part, 7, 31)

// func productSDOT(block, numbers *int8, n int, sums *int32)
TEXT ·productSDOT(SB), NOSPLIT, $0-32
	MOVD block+0(FP), R0
	MOVD numbers+8(FP), R1
	MOVD n+16(FP), R6
	MOVD sums+24(FP), R5
	ADD R6, R1, R2
	ADD R6, R2, R3
	ADD R6, R3, R4
	VEOR V16.B16, V16.B16, V16.B16
	VEOR V17.B16, V17.B16, V17.B16
	VEOR V18.B16, V18.B16, V18.B16
	VEOR V19.B16, V19.B16, V19.B16
	VEOR V20.B16, V20.B16, V20.B16
	VEOR V21.B16, V21.B16, V21.B16
	VEOR V22.B16, V22.B16, V22.B16
	VEOR V23.B16, V23.B16, V23.B16
	VEOR V24.B16, V24.B16, V24.B16
	VEOR V25.B16, V25.B16, V25.B16
	VEOR V26.B16, V26.B16, V26.B16
	VEOR V27.B16, V27.B16, V27.B16
	VEOR V28.B16, V28.B16, V28.B16
	VEOR V29.B16, V29.B16, V29.B16
	VEOR V30.B16, V30.B16, V30.B16
	VEOR V31.B16, V31.B16, V31.B16

sixteen:
	VLD1.P 16(R1), [V0.B16]
	VLD1.P 16(R2), [V1.B16]
	VLD1.P 16(R3), [V2.B16]
	VLD1.P 16(R4), [V3.B16]
	QUAD(0)
	QUAD(1)
	QUAD(2)
	QUAD(3)
	SUBS $16, R6, R6
	BNE sixteen

	VST1.P [V16.S4, V17.S4, V18.S4, V19.S4], 64(R5)
	VST1.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R5)
	VST1.P [V24.S4, V25.S4, V26.S4, V27.S4], 64(R5)
	VST1 [V28.S4, V29.S4, V30.S4, V31.S4], (R5)
	RET

// func addProductNEON(sum *float32, sumStride int, x *float32, xStride int, matrix *float32, n int)
TEXT ·addProductNEON(SB), NOSPLIT, $0-48
	MOVD sum+0(FP), R0
	MOVD sumStride+8(FP), R9
	MOVD x+16(FP), R4
	MOVD xStride+24(FP), R10
	MOVD matrix+32(FP), R8
	MOVD n+40(FP), R11
	ADD R9<<2, R0, R1
	ADD R9<<2, R1, R2
	ADD R9<<2, R2, R3
	ADD R10<<2, R4, R5
	ADD R10<<2, R5, R6
	ADD R10<<2, R6, R7
	VLD1 (R0), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1 (R1), [V20.S4, V21.S4, V22.S4, V23.S4]
	VLD1 (R2), [V24.S4, V25.S4, V26.S4, V27.S4]
	VLD1 (R3), [V28.S4, V29.S4, V30.S4, V31.S4]

terms:
	VLD1.P 64(R8), [V4.S4, V5.S4, V6.S4, V7.S4]
	FMOVS.P 4(R4), F0
	FMOVS.P 4(R5), F1
	FMOVS.P 4(R6), F2
	FMOVS.P 4(R7), F3
	FMLA(0, 0, 4, 16)
	FMLA(0, 0, 5, 17)
	FMLA(0, 0, 6, 18)
	FMLA(0, 0, 7, 19)
	FMLA(1, 0, 4, 20)
	FMLA(1, 0, 5, 21)
	FMLA(1, 0, 6, 22)
	FMLA(1, 0, 7, 23)
	FMLA(2, 0, 4, 24)
	FMLA(2, 0, 5, 25)
	FMLA(2, 0, 6, 26)
	FMLA(2, 0, 7, 27)
	FMLA(3, 0, 4, 28)
	FMLA(3, 0, 5, 29)
	FMLA(3, 0, 6, 30)
	FMLA(3, 0, 7, 31)
	SUBS $1, R11, R11
	BNE terms

	VST1 [V16.S4, V17.S4, V18.S4, V19.S4], (R0)
	VST1 [V20.S4, V21.S4, V22.S4, V23.S4], (R1)
	VST1 [V24.S4, V25.S4, V26.S4, V27.S4], (R2)
	VST1 [V28.S4, V29.S4, V30.S4, V31.S4], (R3)
	RET

// func highestNEON(x *float32, sixteens int) float32
TEXT ·highestNEON(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R0
	MOVD sixteens+8(FP), R1
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16

highest:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	FABS(4, 4)
	FABS(5, 5)
	FABS(6, 6)
	FABS(7, 7)
	FMAX(4, 0, 0)
	FMAX(5, 1, 1)
	FMAX(6, 0, 0)
	FMAX(7, 1, 1)
	SUBS $1, R1, R1
	BNE highest

	FMAX(1, 0, 0)
	FMAXV(0, 0)
	FMOVS F0, ret+16(FP)
	RET

// func largestNEON(x *float32, sixteens int) float32
TEXT ·largestNEON(SB), NOSPLIT, $0-20
	MOVD x+0(FP), R0
	MOVD sixteens+8(FP), R1
	VLD1 (R0), [V0.S4, V1.S4, V2.S4, V3.S4]

largest:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	FMAX(4, 0, 0)
	FMAX(5, 1, 1)
	FMAX(6, 2, 2)
	FMAX(7, 3, 3)
	SUBS $1, R1, R1
	BNE largest

	FMAX(1, 0, 0)
	FMAX(3, 2, 2)
	FMAX(2, 0, 0)
	FMAXV(0, 0)
	FMOVS F0, ret+16(FP)
	RET

// func roundNEON(into *int8, x *float32, factor float32, sixteens int)
TEXT ·roundNEON(SB), NOSPLIT, $0-32
	MOVD into+0(FP), R1
	MOVD x+8(FP), R0
	FMOVS factor+16(FP), F16
	VDUP V16.S[0], V16.S4
	MOVD sixteens+24(FP), R2

round:
	VLD1.P 64(R0), [V4.S4, V5.S4, V6.S4, V7.S4]
	FMUL(16, 4, 4)
	FMUL(16, 5, 5)
	FMUL(16, 6, 6)
	FMUL(16, 7, 7)
	FCVTNS(4, 4)
	FCVTNS(5, 5)
	FCVTNS(6, 6)
	FCVTNS(7, 7)
	SQXTNS(4, 0)
	SQXTNS2(5, 0)
	SQXTNS(6, 1)
	SQXTNS2(7, 1)
	SQXTNH(0, 2)
	SQXTNH2(1, 2)
	VST1.P [V2.B16], 16(R1)
	SUBS $1, R2, R2
	BNE round

	RET

DATA powers<>+0(SB)/4, $0xC2FC0000  // -126
DATA powers<>+4(SB)/4, $0x3C1D955C  // the factors of 2^x
DATA powers<>+8(SB)/4, $0x3D635847
DATA powers<>+12(SB)/4, $0x3E75FDF0
DATA powers<>+16(SB)/4, $0x3F317218
DATA powers<>+20(SB)/4, $0x3F800000
DATA powers<>+24(SB)/4, $127
DATA powers<>+28(SB)/4, $0x3FB8AA3B  // log2 e
GLOBL powers<>(SB), RODATA|NOPTR, $32

// The registers 24 to 30 have the constants of powers, and 31 the last one.
#define CONSTANTS \
	MOVD $powers<>(SB), R3 \
	VLD1R.P 4(R3), [V24.S4] \
	VLD1R.P 4(R3), [V25.S4] \
	VLD1R.P 4(R3), [V26.S4] \
	VLD1R.P 4(R3), [V27.S4] \
	VLD1R.P 4(R3), [V28.S4] \
	VLD1R.P 4(R3), [V29.S4] \
	VLD1R.P 4(R3), [V30.S4] \
	VLD1R (R3), [V31.S4]

// POWER makes of register 4 two to its power, in register 5: the nearest whole power, in
// the bits of a float, times the rest's by a polynomial. It uses 4 to 7.
#define POWER \
	FMAX(24, 4, 4) \
	FCVTNS(4, 6) \
	SCVTF(6, 7) \
	FSUB(7, 4, 4) \
	VMOV V26.B16, V5.B16 \
	VFMLA V25.S4, V4.S4, V5.S4 \
	VMOV V27.B16, V7.B16 \
	VFMLA V5.S4, V4.S4, V7.S4 \
	VMOV V28.B16, V5.B16 \
	VFMLA V7.S4, V4.S4, V5.S4 \
	VMOV V29.B16, V7.B16 \
	VFMLA V5.S4, V4.S4, V7.S4 \
	VADD V30.S4, V6.S4, V6.S4 \
	VSHL $23, V6.S4, V6.S4 \
	FMUL(6, 7, 5)

// func expNEON(x *float32, fours int, high, factor float32) float32
TEXT ·expNEON(SB), NOSPLIT, $0-28
	MOVD x+0(FP), R0
	MOVD fours+8(FP), R1
	FMOVS high+16(FP), F1
	VDUP V1.S[0], V1.S4
	FMOVS factor+20(FP), F2
	VDUP V2.S[0], V2.S4
	CONSTANTS
	FMUL(31, 2, 2)
	VEOR V0.B16, V0.B16, V0.B16

exp:
	VLD1 (R0), [V4.S4]
	FSUB(1, 4, 4)
	FMUL(2, 4, 4)
	POWER
	FADD(5, 0, 0)
	VST1.P [V5.S4], 16(R0)
	SUBS $1, R1, R1
	BNE exp

	FADDP(0, 0, 0)
	FADDP(0, 0, 0)
	FMOVS F0, ret+24(FP)
	RET

// The curve is x · Φ(x), with the error function of Abramowitz and Stegun, 7.1.26.
DATA tail<>+0(SB)/4, $0x3E6D3388
DATA tail<>+4(SB)/4, $0x3F07DC22
DATA tail<>+8(SB)/4, $0xBF3A00E3
DATA tail<>+12(SB)/4, $0x3F35F0E3
DATA tail<>+16(SB)/4, $0xBE11A98E
DATA tail<>+20(SB)/4, $0x3E027906
DATA tail<>+24(SB)/4, $0xBF38AA3B  // -log2 e / 2
GLOBL tail<>(SB), RODATA|NOPTR, $28

// func geluNEON(x *float32, fours int)
TEXT ·geluNEON(SB), NOSPLIT, $0-16
	MOVD x+0(FP), R0
	MOVD fours+8(FP), R1
	CONSTANTS
	MOVD $tail<>(SB), R3
	VLD1R.P 4(R3), [V16.S4]
	VLD1R.P 4(R3), [V17.S4]
	VLD1R.P 4(R3), [V18.S4]
	VLD1R.P 4(R3), [V19.S4]
	VLD1R.P 4(R3), [V20.S4]
	VLD1R.P 4(R3), [V21.S4]
	VLD1R (R3), [V22.S4]
	VEOR V23.B16, V23.B16, V23.B16

curve:
	VLD1 (R0), [V0.S4]
	FABS(0, 1)
	// V2 = 1 / (1 + p·|x|), V3 = the polynomial
	VMOV V29.B16, V2.B16
	VFMLA V16.S4, V1.S4, V2.S4
	FDIV(2, 29, 2)
	VMOV V18.B16, V3.B16
	VFMLA V17.S4, V2.S4, V3.S4
	VMOV V19.B16, V4.B16
	VFMLA V3.S4, V2.S4, V4.S4
	VMOV V20.B16, V3.B16
	VFMLA V4.S4, V2.S4, V3.S4
	VMOV V21.B16, V4.B16
	VFMLA V3.S4, V2.S4, V4.S4
	FMUL(2, 4, 3)
	// V5 = e to the power of -x²/2
	FMUL(1, 1, 4)
	FMUL(22, 4, 4)
	POWER
	// max(x, 0) - |x| · tail
	FMUL(5, 3, 3)
	FMAX(23, 0, 0)
	VFMLS V3.S4, V1.S4, V0.S4
	VST1.P [V0.S4], 16(R0)
	SUBS $1, R1, R1
	BNE curve

	RET
