package api

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/core/plan"
	"parley/e2e/harness"
)

func TestFraming(t *testing.T) {
	w := harness.Start(t)
	tn := w.NewTenant("baker", plan.Standard, harness.Opening)
	const chat = "POST /api/v1/chat HTTP/1.1\r\nHost: parley\r\n"
	const smuggled = "GET /healthz HTTP/1.1\r\nHost: parley\r\n\r\n"
	key := "Authorization: Bearer " + tn.Token + "\r\n"
	chunk := "Transfer-Encoding: chunked\r\n\r\n"

	for name, request := range map[string]string{
		"a length and chunks":                 chat + key + "Content-Length: 4\r\n" + chunk + "0\r\n\r\n",
		"chunks and a length":                 chat + key + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
		"two lengths":                         chat + "Content-Length: 0\r\nContent-Length: 44\r\n\r\n",
		"two equal lengths":                   chat + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n",
		"a list of lengths":                   chat + "Content-Length: 0, 0\r\n\r\n",
		"a length with a sign":                chat + "Content-Length: +0\r\n\r\n",
		"a negative length":                   chat + "Content-Length: -1\r\n\r\n",
		"a length in hexadecimal":             chat + "Content-Length: 0x0\r\n\r\n",
		"an empty length":                     chat + "Content-Length: \r\n\r\n",
		"a length beyond all numbers":         chat + "Content-Length: 99999999999999999999\r\n\r\n",
		"two codings":                         chat + "Transfer-Encoding: chunked\r\n" + chunk + "0\r\n\r\n",
		"chunks behind a coding":              chat + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"the coding identity":                 chat + "Transfer-Encoding: identity\r\n\r\n",
		"an unknown coding":                   chat + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
		"a coding in quotes":                  chat + "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
		"chunks on HTTP/1.0":                  "POST /api/v1/chat HTTP/1.0\r\nHost: parley\r\nConnection: keep-alive\r\n" + chunk + "0\r\n\r\n",
		"a bare LF behind the request line":   "POST /api/v1/chat HTTP/1.1\nHost: parley\r\nContent-Length: 0\r\n\r\n",
		"a bare LF behind a header":           "POST /api/v1/chat HTTP/1.1\r\nHost: parley\nContent-Length: 0\r\n\r\n",
		"a bare LF at the end":                chat + "Content-Length: 0\r\n\n",
		"nothing but bare LFs":                "POST /api/v1/chat HTTP/1.1\nHost: parley\nContent-Length: 0\n\n",
		"a bare CR in a header":               chat + "X-A: a\rContent-Length: 44\r\n\r\n",
		"two hosts":                           chat + "Host: other\r\nContent-Length: 0\r\n\r\n",
		"two equal hosts":                     chat + "Host: parley\r\nContent-Length: 0\r\n\r\n",
		"no host":                             "POST /api/v1/chat HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
		"an empty host":                       "POST /api/v1/chat HTTP/1.1\r\nHost: \r\nContent-Length: 0\r\n\r\n",
		"a header that goes on in a line":     chat + "X-A: a\r\n b\r\nContent-Length: 0\r\n\r\n",
		"a header that goes on behind a tab":  chat + "X-A: a\r\n\tContent-Length: 44\r\n\r\n",
		"a coding that goes on in a line":     chat + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
		"a first header that begins blank":    "POST /api/v1/chat HTTP/1.1\r\n Host: parley\r\nHost: parley\r\nContent-Length: 0\r\n\r\n",
		"a blank before the colon":            chat + "Content-Length : 44\r\n\r\n",
		"a tab before the colon":              chat + "Content-Length\t: 44\r\n\r\n",
		"a blank in a name":                   chat + "Content Length: 44\r\n\r\n",
		"a line without a colon":              chat + "Content-Length\r\n\r\n",
		"a name of nothing":                   chat + ": 44\r\n\r\n",
		"a NUL in a header":                   chat + "X-A: a\x00b\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.2":                            "POST /api/v1/chat HTTP/1.2\r\nHost: parley\r\nContent-Length: 0\r\n\r\n",
		"HTTP/2.0":                            "POST /api/v1/chat HTTP/2.0\r\nHost: parley\r\nContent-Length: 0\r\n\r\n",
		"a protocol in small letters":         "POST /api/v1/chat http/1.1\r\nHost: parley\r\nContent-Length: 0\r\n\r\n",
		"a blank more in the request line":    "POST  /api/v1/chat HTTP/1.1\r\nHost: parley\r\nContent-Length: 0\r\n\r\n",
		"a chunk that is no chunk":            chat + key + chunk + "zz\r\n\r\n",
		"a chunk with a sign":                 chat + key + chunk + "+0\r\n\r\n",
		"a chunk in hexadecimal with its 0x":  chat + key + chunk + "0x0\r\n\r\n",
		"a chunk with a bare LF":              chat + key + chunk + "0\n\r\n",
		"a chunk beyond all numbers":          chat + key + chunk + "10000000000000000\r\n\r\n",
		"a chunk that is longer than it says": chat + key + chunk + "2\r\n{}x\r\n0\r\n\r\n",
		"a trailer with a bare LF":            chat + key + chunk + "2\r\n{}\r\n0\r\nA: b\n\r\n",
	} {
		t.Run(name+" is refused, and a second request behind it is never answered", func(t *testing.T) {
			w := w.Within(t)
			client := w.Dial()
			client.Send(request + smuggled)
			r := w.Read(client.Answer())
			w.CheckAnswer(r, http.StatusBadRequest, 4)
			client.HasEnded()
		})
	}
	for name, request := range map[string]string{
		"a length":                    chat + key + "Content-Length: 2\r\n\r\n{}",
		"a length behind blanks":      chat + key + "Content-Length:\t  2  \r\n\r\n{}",
		"chunks":                      chat + key + "TRANSFER-encoding: Chunked\r\n\r\n1\r\n{\r\n1;a=b\r\n}\r\n0\r\nA: b\r\n\r\n",
		"an empty line before it":     "\r\n" + chat + key + "Content-Length: 2\r\n\r\n{}",
		"a body that nobody wanted":   fmt.Sprintf("GET /healthz HTTP/1.1\r\nHost: parley\r\nContent-Length: %d\r\n\r\n%s", len(smuggled), smuggled),
		"an address with its host":    "POST http://parley/api/v1/chat HTTP/1.1\r\nHost: parley\r\n" + key + "Content-Length: 2\r\n\r\n{}",
		"a wrong token and its body":  chat + "Content-Length: 2\r\n\r\n{}",
		"no body, where one may come": "POST /nowhere HTTP/1.1\r\nHost: parley\r\n\r\n",
	} {
		t.Run("what follows a request with "+name+" is the next request", func(t *testing.T) {
			w := w.Within(t)
			client := w.Dial()
			client.Send(request + smuggled)
			first := client.Answer()
			if _, err := io.Copy(io.Discard, first.Body); err != nil || first.Close {
				t.Fatalf("%s, %v", first.Status, err)
			}
			if second := w.Read(client.Answer()); second.StatusCode != 200 || !strings.Contains(second.Text, "alive") {
				t.Errorf("the second is %d %s", second.StatusCode, second.Text)
			}
			client.HasNothing()
		})
	}
}
