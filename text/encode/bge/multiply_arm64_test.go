package bge

// withEach checks with each kind of instructions that the processor has.
func withEach(check func(kind string)) {
	has := wide
	defer func() { wide = has }()
	wide = false
	check("Go")
	if has {
		wide = true
		check("SDOT")
	}
}
