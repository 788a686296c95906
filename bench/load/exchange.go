// Package load is the load program of the benchmark: clients that send one
// request after the other over connections that stay open, and check that
// every answer is whole.
//
// It knows the answers of the conversation API and of OpenAI's chat-completions format. It
// starts no servers and judges no figures.
package load

import (
	"fmt"
	"strings"
)

// Exchange is a request, and the answer it must get.
type Exchange struct {
	// Address is the server's, as host:port.
	Address string
	// Request is the whole request, as bytes on the wire.
	Request []byte
	// Stream says that the answer comes as events.
	Stream bool
	// Format says how to read the answer.
	Format Format
	// Want is the text that the answer must have.
	Want string
}

// Post returns the bytes of a request with a JSON body. The token may be
// empty.
func Post(address, path, token, body string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n", path, address, len(body))
	if token != "" {
		fmt.Fprintf(&b, "Authorization: Bearer %s\r\n", token)
	}
	b.WriteString("\r\n")
	b.WriteString(body)
	return []byte(b.String())
}
