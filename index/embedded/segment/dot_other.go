//go:build !amd64 && !arm64

package segment

// dot is the sum of the products of a question's numbers and a row's.
func dot(question []int16, row []byte) int32 { return dotGo(question, row) }
