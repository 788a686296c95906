package llmtest

import (
	"encoding/json"
	"net/http"
)

// Request records a request for a completion.
type Request struct {
	arrived, canceled, done chan struct{}
	header                  http.Header
	body                    []byte
}

func newRequest() *Request {
	return &Request{
		arrived:  make(chan struct{}),
		canceled: make(chan struct{}),
		done:     make(chan struct{}),
	}
}

func (r *Request) arrive(header http.Header, body []byte) {
	r.header, r.body = header.Clone(), body
	close(r.arrived)
}

func (r *Request) leave(canceled bool) {
	if canceled {
		close(r.canceled)
	}
	close(r.done)
}

// Arrived is closed when the request and its body have been read.
func (r *Request) Arrived() <-chan struct{} { return r.arrived }

// Canceled is closed when the client goes away before the answer ends.
func (r *Request) Canceled() <-chan struct{} { return r.canceled }

// Done is closed when the answer has ended, however it ended.
func (r *Request) Done() <-chan struct{} { return r.done }

// Header waits for the request and returns its header.
func (r *Request) Header() http.Header {
	<-r.arrived
	return r.header
}

// Body waits for the request and returns its body.
func (r *Request) Body() []byte {
	<-r.arrived
	return r.body
}

// wanted holds the fields of a request that the server reads.
type wanted struct {
	Stream        bool
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

func (r *Request) wanted() wanted {
	var found wanted
	_ = json.Unmarshal(r.body, &found) // anything but JSON requests nothing
	return found
}
