package bodies

// heavy has the slots of requests that take much more memory while they are answered than
// their answers take: a whole document, or a long conversation, up to some 20 MB.
var heavy = make(chan struct{}, 6)

// Heavily runs such a request. It waits while six others run, of which each takes
// milliseconds, so nothing in it may call another server.
func Heavily(do func() error) error {
	heavy <- struct{}{}
	defer func() { <-heavy }()
	return do()
}
