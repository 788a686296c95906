#include "textflag.h"

// func dotAVX2(question *int16, row *byte, n int) int32
//
// It multiplies 16 numbers at a time. n is a multiple of 16, above zero.
TEXT ·dotAVX2(SB), NOSPLIT, $0-28
	MOVQ  question+0(FP), SI
	MOVQ  row+8(FP), DI
	MOVQ  n+16(FP), CX
	VPXOR Y0, Y0, Y0

next:
	VPMOVSXBW (DI), Y1
	VPMADDWD  (SI), Y1, Y1
	VPADDD    Y1, Y0, Y0
	ADDQ      $16, DI
	ADDQ      $32, SI
	SUBQ      $16, CX
	JNZ       next

	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, AX
	MOVL         AX, ret+24(FP)
	VZEROUPPER
	RET
