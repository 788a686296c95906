package harness

import "net/http"

// Unchunked fails the test unless an answer is one that HTTP/1.0 knows, and closes.
func (l *Line) Unchunked(r *http.Response) {
	l.Helper()
	if len(r.TransferEncoding) > 0 || r.Header.Get("Transfer-Encoding") != "" || !r.Close || r.Header.Get("X-Request-Id") == "" {
		l.Errorf("the answer is %s with the headers %v, %v", r.Status, r.Header, r.TransferEncoding)
	}
}
