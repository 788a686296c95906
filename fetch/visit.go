package fetch

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/net/http/httpguts"
)

// visit sends one request: robots.txt must allow it, it waits for the host's slot,
// and it ends within the rest of the trip's time.
func (t *trip) visit(ctx context.Context, u *url.URL) (*answer, error) {
	f := t.fetcher
	if t.robots != first { // whose visit has already entered
		leave, err := f.slots.enter(u.Hostname())
		if err != nil {
			return nil, err
		}
		defer leave()
	}
	pause, err := t.pause(ctx, u)
	if err != nil {
		return nil, err
	}
	leave, err := f.slots.take(ctx, u.Hostname(), t.longestWait())
	if err != nil {
		return nil, err
	}
	defer func() { leave(pause) }()

	began := time.Now()
	limited, cancel := context.WithTimeoutCause(ctx, t.left, errTime)
	defer cancel()
	answer, err := t.send(limited, u)
	t.left -= time.Since(began)
	if err != nil {
		return nil, f.failure(limited, err)
	}
	pause = max(pause, answer.retryAfter())
	return answer, nil
}

// longestWait is short for the first request of a page. A trip that follows a
// redirect or reads a sitemap waits longer, because it would have to start again.
func (t *trip) longestWait() time.Duration {
	began := t.visited
	t.visited = true
	if t.robots == obey && !began {
		return t.fetcher.config.PageWait
	}
	return t.fetcher.config.MaxWait
}

// pause returns the pause after the request, or why the request is not allowed.
func (t *trip) pause(ctx context.Context, u *url.URL) (time.Duration, error) {
	if t.robots == first {
		return 0, nil
	}
	f := t.fetcher
	rules, err := f.rulebook.rules(ctx, u)
	if err != nil {
		return 0, err
	}
	if t.robots == obey && !rules.Allows(u.RequestURI()) {
		return 0, disallowed()
	}
	return max(f.config.Delay, min(rules.Delay, f.config.MaxDelay)), nil
}

// send sends the request and reads the response.
func (t *trip) send(ctx context.Context, u *url.URL) (*answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header = t.headers(u)
	// The transport follows no redirects: [trip.follow] does.
	response, err := t.fetcher.transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	a := &answer{
		url: u, status: response.StatusCode, header: response.Header,
		conditional: request.Header.Get("If-None-Match")+request.Header.Get("If-Modified-Since") != "",
	}
	if !isWhole(a.status) {
		return a, nil
	}
	if err := t.inspect(a.header, u); err != nil {
		return nil, err
	}
	a.body, err = t.read(response)
	return a, err
}

// isWhole reports whether a response's body is a complete resource.
func isWhole(status int) bool {
	return status == http.StatusOK || status == http.StatusNonAuthoritativeInfo
}

func (t *trip) headers(u *url.URL) http.Header {
	header := http.Header{
		"User-Agent":      {t.fetcher.config.UserAgent},
		"Accept":          {"text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, */*;q=0.5"},
		"Accept-Encoding": {"gzip"},
	}
	if u.String() == t.known.of {
		condition(header, "If-None-Match", t.known.tag)
		condition(header, "If-Modified-Since", t.request.LastModified)
	}
	return header
}

// condition adds a condition to the headers, unless its value does not fit into a
// header.
func condition(header http.Header, name, value string) {
	if value != "" && httpguts.ValidHeaderFieldValue(value) {
		header.Set(name, value)
	}
}
