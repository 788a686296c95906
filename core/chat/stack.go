package chat

// growStack gives a goroutine's stack room for a search or a transaction at
// once. By itself it would be doubled several times at its deepest, and each
// time all frames are gone through.
//
//go:noinline
func growStack() byte {
	var room [10 << 10]byte
	return room[len(room)-1-int(room[0])]
}
