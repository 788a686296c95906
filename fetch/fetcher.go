package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"

	"parley/fetch/robots"
)

// Fetcher fetches pages. It is safe for concurrent use.
type Fetcher struct {
	config    Config
	token     string // the name in robots.txt
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	transport *http.Transport
	slots     *slots
	rulebook  *rulebook
}

// Request is a page to fetch.
type Request struct {
	URL string
	// ETag and LastModified are those of the [Page] of last time. With one of
	// them a page that has not changed is not sent again. They are told to no
	// other address than the one they are of.
	ETag, LastModified string
}

// Page is what an address holds.
type Page struct {
	// URL is the address after redirects, in normal form.
	URL string
	// Status is the last answer's.
	Status int
	// NotModified says that the page is the one of last time. It then has no
	// body.
	NotModified bool
	// ContentType is the kind of content in lower case, without parameters,
	// such as "text/html"; one of [ContentTypes].
	ContentType string
	// Charset is the encoding that the server names, such as "utf-8". It may
	// be empty or wrong.
	Charset string
	// Body is whole and decompressed.
	Body []byte
	// ETag and LastModified are for the next request. An ETag is at most 1,024
	// bytes, and names the address that it is of when redirects led there.
	ETag, LastModified string
	// Downgraded says that a redirect led from https to http. That is allowed,
	// since nothing secret is sent, but somebody between may have changed the
	// page.
	Downgraded bool
}

// New returns a fetcher.
func New(config Config) *Fetcher {
	config = config.withDefaults()
	f := &Fetcher{
		config: config,
		token:  robots.Token(config.UserAgent),
		dial:   SafeDialer(config),
		slots:  newSlots(),
	}
	// One request at a time goes to a host, so HTTP/2 would gain nothing.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	f.transport = &http.Transport{
		Proxy:                  nil, // A proxy would connect in our place, unchecked.
		DialContext:            f.dial,
		Protocols:              &protocols,
		TLSClientConfig:        &tls.Config{RootCAs: config.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    min(handshakeTime, config.Timeout),
		ResponseHeaderTimeout:  headerTime,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // decoded in body.go, where nested codings are seen
		// A connection for each request: each is judged anew, none stays open
		// through the pause, and what a server says unasked is never read.
		DisableKeepAlives: true,
	}
	if config.Timeout <= headerTime {
		f.transport.ResponseHeaderTimeout = 0 // the total time is shorter
	}
	f.rulebook = newRulebook(f.readRobots)
	return f
}

// DialContext is the fetcher's [SafeDialer].
func (f *Fetcher) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return f.dial(ctx, network, address)
}

// Get fetches a page, if robots.txt allows it, when the host's slot is free. A
// fault of kind RateLimited says that nothing was asked for: the host has its
// three readers, or wants to be left alone for longer than anybody waits.
// Only a 200 or 203 with a whole body of one of [ContentTypes] is a page, and
// a 304 to a request with ETag or LastModified. With any other answer the
// fault comes with a Page that has URL and Status, as far as there are any.
func (f *Fetcher) Get(ctx context.Context, request Request) (Page, error) {
	u, err := parseURL(request.URL)
	if err != nil {
		return Page{}, err
	}
	known := validatorOf(request, u)
	trip := &trip{
		fetcher: f, left: f.config.Timeout, limit: f.config.Bytes,
		robots: obey, request: request, known: known, inspect: pageKind,
	}
	answer, err := trip.follow(ctx, u)
	if err != nil {
		return Page{URL: trip.at}, err
	}
	page := Page{URL: trip.at, Status: answer.status, Downgraded: trip.downgraded}
	if err := statusFault(answer); err != nil {
		return page, err
	}
	page, err = page.with(answer, known.tag, request.LastModified)
	page.ETag, page.LastModified = validator{page.ETag, page.URL}.text(u.String(), page.LastModified)
	return page, err
}

// with adds what a good answer holds. The tag and the date are those that the
// page had.
func (p Page) with(a *answer, tag, date string) (Page, error) {
	p.ETag, p.LastModified = a.header.Get("ETag"), a.header.Get("Last-Modified")
	if a.status == http.StatusNotModified {
		p.NotModified = true
		// Some servers leave out what they were asked with.
		p.ETag, p.LastModified = cmp.Or(p.ETag, tag), cmp.Or(p.LastModified, date)
		return p, nil
	}
	var err error
	p.ContentType, p.Charset, err = contentType(a.header, a.url, a.body)
	if err != nil {
		return p, err
	}
	if packedTwice(p.ContentType, a.body) {
		return p, otherCoding()
	}
	p.Body = a.body
	return p, nil
}
