package harness

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/contract"
)

// described is the description of the API, which all tests share.
var described = sync.OnceValues(func() (*contract.Document, error) { return contract.Read([]byte(parley.Description)) })

// Description is the description of the API.
func Description(t *testing.T) *contract.Document {
	t.Helper()
	document, err := described()
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// keepsTo fails the test unless an answer, as far as the test reads it, is as the description
// of the API says. So must the request be, if the server has accepted it.
func (w *Instance) keepsTo(address *url.URL, sent http.Header, body string, response *http.Response) {
	if !strings.HasPrefix(address.Path, APIPrefix) || address.Path == WebhookPath || response.Request.Method == http.MethodOptions {
		return // what browsers ask of each path is described once, in words
	}
	document := Description(w.T)
	x := &contract.Exchange{
		Method: response.Request.Method, URL: address, Sent: sent, Asked: []byte(body), Status: response.StatusCode, Answered: response.Header,
	}
	if err := document.CheckHead(x); err != nil {
		w.Errorf("the answer is not as api/openapi.yaml says: %v", err)
	}
	if x.Status < http.StatusBadRequest {
		if err := document.CheckRequest(x); err != nil {
			w.Errorf("the request is not as api/openapi.yaml says: %v", err)
		}
	}
	if x.Method == http.MethodHead {
		return
	}
	read := &checkedBody{ReadCloser: response.Body, t: w.T, document: document, exchange: x, events: document.Events(x)}
	read.whole = strings.HasPrefix(x.Answered.Get("Content-Type"), "application/json")
	response.Body = read
}

// checkedBody checks an answer while a test reads it.
type checkedBody struct {
	io.ReadCloser
	t        *testing.T
	document *contract.Document
	exchange *contract.Exchange
	// events checks a stream; it is nil for others.
	events *contract.Events
	// whole says that text is collected, and checked at its end.
	whole bool
	text  []byte
}

func (b *checkedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	switch {
	case b.events != nil:
		if wrong := b.events.Read(into[:n]); wrong != nil {
			b.t.Errorf("the stream is not as api/openapi.yaml says: %v", wrong)
			b.events = nil
		}
	case b.whole:
		b.text = append(b.text, into[:n]...)
		if err == io.EOF {
			b.whole = false
			if wrong := b.document.CheckBody(b.exchange, b.text); wrong != nil {
				b.t.Errorf("the answer is not as api/openapi.yaml says: %v: %s", wrong, Shortened(string(b.text)))
			}
		}
	}
	return n, err
}
