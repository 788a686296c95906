package bge

// withEach checks with each kind of instructions that the processor has.
func withEach(check func(kind string)) {
	has, hasMore := wide, wider
	defer func() { wide, wider = has, hasMore }()
	wide, wider = false, false
	check("Go")
	if has {
		wide = true
		check("AVX2")
	}
	if hasMore {
		wider = true
		check("AVX-512")
	}
}
