package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
)

func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestBodies(t *testing.T) {
	const limit = 2 << 20
	exact := bytes.Repeat([]byte("a"), limit)
	bodies := map[string]struct {
		codings []string
		body    []byte
	}{
		"/exact":        {nil, exact},
		"/exact-gzip":   {[]string{"gzip"}, packed(t, exact)},
		"/more":         {nil, append(bytes.Clone(exact), 'a')},
		"/more-gzip":    {[]string{"gzip"}, packed(t, append(bytes.Clone(exact), 'a'))},
		"/bomb":         {[]string{"gzip"}, packed(t, make([]byte, 8*limit))},
		"/bomb-of-many": {[]string{"gzip"}, bytes.Repeat(packed(t, exact), 100)},
		"/empty-gzips":  {[]string{"gzip"}, bytes.Repeat(packed(t, nil), 100_000)},
		"/nested":       {[]string{"gzip, gzip"}, packed(t, packed(t, []byte("text")))},
		"/nested-lines": {[]string{"gzip", "gzip"}, packed(t, packed(t, []byte("text")))},
		"/nested-quiet": {[]string{"gzip"}, packed(t, packed(t, []byte("text")))},
		"/brotli":       {[]string{"br"}, []byte("text")},
		"/deflate":      {[]string{"deflate"}, []byte("text")},
		"/x-gzip":       {[]string{"X-GZIP"}, packed(t, []byte("text"))},
		"/identity":     {[]string{"identity"}, []byte("text")},
		"/no-gzip":      {[]string{"gzip"}, []byte("this is not gzip at all")},
		"/half-gzip":    {[]string{"gzip"}, packed(t, exact)[:200]},
		"/bad-sum":      {[]string{"gzip"}, append(packed(t, []byte("text"))[:len(packed(t, []byte("text")))-8], 1, 2, 3, 4, 4, 0, 0, 0)},
		"/bad-data":     {[]string{"gzip"}, append(packed(t, nil)[:10], bytes.Repeat([]byte{0xff}, 50)...)},
		"/empty":        {nil, nil},
	}
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "gzip" {
			t.Errorf("accepted: %q", r.Header.Get("Accept-Encoding"))
		}
		for _, coding := range bodies[r.URL.Path].codings {
			w.Header().Add("Content-Encoding", coding)
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/nested-lines" {
			w.Header().Set("Content-Type", "application/pdf")
		}
		_, _ = w.Write(bodies[r.URL.Path].body)
	})
	f := open(t, Config{Bytes: limit}, site.URL)

	for path, want := range map[string]string{
		"/exact": string(exact), "/exact-gzip": string(exact), "/x-gzip": "text", "/identity": "text", "/empty": "",
	} {
		t.Run(path+" is read", func(t *testing.T) {
			if got := page(t, f, site.URL+path); string(got.Body) != want {
				t.Errorf("%d bytes, want %d", len(got.Body), len(want))
			}
		})
	}
	const (
		large   = "The page is larger than 2 MB."
		coding  = "The server sent the page in a compression format that Parley cannot read."
		damaged = "The page arrived damaged: it cannot be decompressed."
		broken  = "The connection broke before the page was complete."
	)
	for path, want := range map[string]struct {
		kind     fault.Kind
		sentence string
	}{
		"/more": {fault.Invalid, large}, "/more-gzip": {fault.Invalid, large}, "/bomb": {fault.Invalid, large},
		"/bomb-of-many": {fault.Invalid, large}, "/empty-gzips": {fault.Invalid, large},
		"/nested": {fault.Invalid, coding}, "/nested-lines": {fault.Invalid, coding}, "/nested-quiet": {fault.Invalid, coding},
		"/brotli": {fault.Invalid, coding}, "/deflate": {fault.Invalid, coding},
		"/no-gzip": {fault.Upstream, damaged}, "/bad-sum": {fault.Upstream, damaged}, "/bad-data": {fault.Upstream, damaged},
		"/half-gzip": {fault.Upstream, broken},
	} {
		t.Run(path+" is refused", func(t *testing.T) {
			refused(t, f, site.URL+path, want.kind, want.sentence)
		})
	}
	t.Run("a decompression bomb takes no more memory than a page", func(t *testing.T) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		refused(t, f, site.URL+"/bomb-of-many", fault.Invalid, large)
		runtime.ReadMemStats(&after)
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 50*limit {
			t.Errorf("%d MB were allocated for a page of at most %d that unpacks into %d", allocated>>20, limit>>20, 100*limit>>20)
		}
	})
}

func TestBrokenServers(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
	endless := func(ctx context.Context, conn net.Conn) {
		_, _ = io.WriteString(conn, head+"\r\n")
		for ctx.Err() == nil {
			if _, err := conn.Write(bytes.Repeat([]byte("<p>more</p>"), 1000)); err != nil {
				return
			}
		}
	}
	say := func(text string) func(context.Context, net.Conn) {
		return func(_ context.Context, conn net.Conn) { _, _ = io.WriteString(conn, text) }
	}
	for name, test := range map[string]struct {
		answer   func(context.Context, net.Conn)
		kind     fault.Kind
		sentence string
	}{
		"a page that never ends":    {endless, fault.Invalid, "The page is larger than 1 MB."},
		"a length that is too long": {say(head + "Content-Length: 1000\r\n\r\nshort"), fault.Upstream, "The connection broke before the page was complete."},
		"chunks that break off":     {say(head + "Transfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n"), fault.Upstream, "The connection broke before the page was complete."},
		"malformed chunks":          {say(head + "Transfer-Encoding: chunked\r\n\r\nhello\r\n"), fault.Upstream, "The server sent an invalid response."},
		"a length that exceeds all": {say(head + "Content-Length: 9000000000\r\n\r\nshort"), fault.Invalid, "The page is larger than 1 MB."},
		"two lengths":               {say(head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nshort"), fault.Upstream, "The server sent an invalid response."},
		"a negative length":         {say(head + "Content-Length: -5\r\n\r\nshort"), fault.Upstream, "The server sent an invalid response."},
		"something other than HTTP": {say("SSH-2.0-OpenSSH_9.9\r\n"), fault.Upstream, "The server sent an invalid response."},
		"an end without a response": {say(""), fault.Upstream, "The connection broke before the page was complete."},
		"a flood of headers":        {say(head + strings.Repeat("X-Flood: "+strings.Repeat("a", 100)+"\r\n", 2000) + "\r\n"), fault.Invalid, "The server sends too many headers."},
		"one huge header":           {say(head + "X-Flood: " + strings.Repeat("a", 200_000) + "\r\n\r\n"), fault.Invalid, "The server sends too many headers."},
		"a flood of early hints":    {say(strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n", 5000) + head + "\r\n"), fault.Invalid, "The server sends too many headers."},
		"a switch of protocols":     {say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"), fault.Invalid, "The server answered 101, which is not a complete page."},
		"a header with a line feed": {say(head + "X: a\x00b\r\n\r\n"), fault.Upstream, "The server sent an invalid response."},
	} {
		t.Run(name+" ends with a message for the owner", func(t *testing.T) {
			address := raw(t, test.answer)
			refused(t, open(t, Config{Bytes: 1 << 20}, address), address+"/", test.kind, test.sentence)
		})
	}
	t.Run("bytes after the announced length are not read", func(t *testing.T) {
		address := raw(t, say(head+"Content-Length: 5\r\n\r\nshort and more"))
		if got := page(t, open(t, Config{}, address), address+"/"); string(got.Body) != "short" {
			t.Errorf("%q", got.Body)
		}
	})
	t.Run("a missing server cannot be reached", func(t *testing.T) {
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_ = listener.Close()
		address := "http://" + listener.Addr().String()
		refused(t, open(t, Config{}, address), address+"/", fault.Upstream, "The server could not be reached.")
	})
}

func TestTime(t *testing.T) {
	drip := func(ctx context.Context, conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
		for tick := time.NewTicker(10 * time.Millisecond); ctx.Err() == nil; <-tick.C {
			if _, err := conn.Write([]byte("a")); err != nil {
				return
			}
		}
	}
	silent := func(ctx context.Context, _ net.Conn) { <-ctx.Done() }
	const sentence = "The page did not answer within 1 second."
	for name, answer := range map[string]func(context.Context, net.Conn){"a body that drips": drip, "a server that is silent": silent} {
		t.Run(name+" ends when the total time is over", func(t *testing.T) {
			address := raw(t, answer)
			refused(t, open(t, Config{Timeout: time.Second}, address), address, fault.Upstream, sentence)
		})
	}
	t.Run("redirects share the time", func(t *testing.T) {
		ends := make(chan struct{})
		site := serve(t, func(w http.ResponseWriter, r *http.Request) {
			n, _ := strconv.Atoi(r.URL.Query().Get("n"))
			select {
			case <-time.After(300 * time.Millisecond):
			case <-ends:
			}
			http.Redirect(w, r, fmt.Sprintf("/?n=%d", n+1), http.StatusFound)
		})
		t.Cleanup(func() { close(ends) })
		f := open(t, Config{Timeout: 700 * time.Millisecond}, site.URL)
		refused(t, f, site.URL+"/", fault.Upstream, "The page did not answer within 700ms.")
	})
	t.Run("a caller who goes away ends the fetch", func(t *testing.T) {
		address := raw(t, drip)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		_, err := open(t, Config{}, address).Get(ctx, Request{URL: address})
		wants(t, address, "", err, fault.Upstream, "Fetching was stopped. Parley will try the page again later.")
		if !isCanceled(err) {
			t.Errorf("the cause is %v", fault.As(err).Cause)
		}
	})
}

func isCanceled(err error) bool { return fault.As(err).Cause == context.Canceled }
