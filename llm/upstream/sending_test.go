package upstream

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"
)

// post sends a body, and returns a weak pointer to its memory.
func post(t *testing.T, client *http.Client, url, text string) (*http.Response, weak.Pointer[[4096]byte], error) {
	t.Helper()
	content := new([4096]byte)
	n := copy(content[:], text)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(content[:n]))
	if err != nil {
		t.Fatal(err)
	}
	response, err := releaseBody(request, client.Do)
	return response, weak.Make(content), err
}

func TestReleaseBody(t *testing.T) {
	t.Run("the body is released while the answer is read", func(t *testing.T) {
		received := make(chan string, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			received <- string(body)
			_, _ = io.WriteString(w, "first ")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}))
		defer server.Close()
		response, sent, err := post(t, server.Client(), server.URL, "a question")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = response.Body.Close() }()
		if got := <-received; got != "a question" {
			t.Errorf("the server received %q", got)
		}
		for deadline := time.Now().Add(10 * time.Second); sent.Value() != nil; runtime.GC() {
			if time.Now().After(deadline) {
				t.Fatal("the body is still in memory")
			}
		}
		first := make([]byte, 6)
		if _, err := io.ReadFull(response.Body, first); err != nil || string(first) != "first " {
			t.Errorf("read %q, %v", first, err)
		}
	})

	t.Run("a request can be sent again, on another connection", func(t *testing.T) {
		received := make(chan string, 1)
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			received <- string(body)
		}))
		defer server.Close()
		response, _, err := post(t, &http.Client{Transport: twice{}}, server.URL, "a question")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if got := <-received; got != "a question" {
			t.Errorf("the server received %q", got)
		}
	})

	t.Run("a server that answers early still receives the rest", func(t *testing.T) {
		received := make(chan string, 1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			control := http.NewResponseController(w)
			_ = control.EnableFullDuplex()
			w.WriteHeader(http.StatusOK)
			_ = control.Flush()
			body, _ := io.ReadAll(r.Body)
			received <- string(body)
		}))
		defer server.Close()
		held := &heldBack{Reader: strings.NewReader("a question"), release: make(chan struct{})}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, held)
		if err != nil {
			t.Fatal(err)
		}
		request.GetBody = func() (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }
		response, err := releaseBody(request, server.Client().Do)
		if err != nil {
			t.Fatal(err)
		}
		close(held.release)
		if got := <-received; got != "a question" {
			t.Errorf("the server received %q", got)
		}
		_ = response.Body.Close()
	})
}

// twice sends the second body of a request, as net/http does when the connection
// that carried the first one turns out to be closed.
type twice struct{}

func (twice) RoundTrip(request *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, request.Body)
	_ = request.Body.Close()
	body, err := request.GetBody()
	if err != nil {
		return nil, err
	}
	again := request.Clone(request.Context())
	again.Body = body
	return http.DefaultTransport.RoundTrip(again)
}

// heldBack is a body that becomes available on release.
type heldBack struct {
	*strings.Reader
	release chan struct{}
}

func (h *heldBack) Read(p []byte) (int, error) {
	<-h.release
	return h.Reader.Read(p)
}

func (h *heldBack) Close() error { return nil }
