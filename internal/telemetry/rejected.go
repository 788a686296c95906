package telemetry

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"
)

var errRejected = errors.New("it rejected a part")

// countRejected counts what the answer to a message says was not taken, although the message
// was.
func (c *collector) countRejected(path string, answer []byte) {
	partial, _ := field(answer)
	_, n := field(partial)
	switch {
	case n == 0:
	case path == tracesPath:
		c.lose(int(min(n, maxWaiting)), errRejected)
	default:
		c.lose(0, errRejected)
	}
}

// field returns the bytes or the number of the first field of a message: of an answer, its
// partial success, and of that, how many were rejected. Answers about traces and metrics are
// alike in this.
func field(message []byte) (text []byte, number uint64) {
	for len(message) > 0 {
		which, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, 0
		}
		message = message[n:]
		if n = protowire.ConsumeFieldValue(which, kind, message); n < 0 {
			return nil, 0
		}
		if which == 1 {
			switch kind {
			case protowire.BytesType:
				text, _ = protowire.ConsumeBytes(message)
			case protowire.VarintType:
				number, _ = protowire.ConsumeVarint(message)
			}
		}
		message = message[n:]
	}
	return text, number
}
