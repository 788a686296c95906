package bge

// narrow has products do without AVX-512, until the function that it returns is called.
func narrow() (restore func()) {
	before := wider
	wider = false
	return func() { wider = before }
}
