#include "textflag.h"

// Instructions that Go's assembler does not know: each takes the numbers of vector
// registers, the last one of its result. (Arm Architecture Reference Manual, C7.2)
#define SXTL(n, d) WORD $(0x0F08A400 | n<<5 | d)
#define SXTL2(n, d) WORD $(0x4F08A400 | n<<5 | d)
#define SMLAL(m, n, d) WORD $(0x0E608000 | m<<16 | n<<5 | d)
#define SMLAL2(m, n, d) WORD $(0x4E608000 | m<<16 | n<<5 | d)

// func dotNEON(question *int16, row *byte, n int) int32
//
// It multiplies 16 numbers at a time. n is a multiple of 16, above zero.
TEXT ·dotNEON(SB), NOSPLIT, $0-28
	MOVD question+0(FP), R0
	MOVD row+8(FP), R1
	MOVD n+16(FP), R2
	VEOR V0.B16, V0.B16, V0.B16
	VEOR V1.B16, V1.B16, V1.B16
	VEOR V2.B16, V2.B16, V2.B16
	VEOR V3.B16, V3.B16, V3.B16

next:
	VLD1.P 32(R0), [V4.H8, V5.H8]
	VLD1.P 16(R1), [V6.B16]
	SXTL(6, 7)
	SXTL2(6, 8)
	SMLAL(4, 7, 0)
	SMLAL2(4, 7, 1)
	SMLAL(5, 8, 2)
	SMLAL2(5, 8, 3)
	SUBS $16, R2, R2
	BNE next

	VADD V1.S4, V0.S4, V0.S4
	VADD V3.S4, V2.S4, V2.S4
	VADD V2.S4, V0.S4, V0.S4
	VADDV V0.S4, V0
	VMOV V0.S[0], R0
	MOVW R0, ret+24(FP)
	RET
