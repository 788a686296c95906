package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"

	"parley/fetch/hosts"
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
	// ETag and LastModified come from the previous [Page]. With either of them
	// the server does not send an unchanged page again. They are sent only to
	// the address they belong to.
	ETag, LastModified string
}

// Page is what an address holds.
type Page struct {
	// URL is the address after redirects, in normal form.
	URL string
	// Status is the status of the last response.
	Status int
	// NotModified says that the page has not changed since last time. It then
	// has no body.
	NotModified bool
	// ContentType is one of [ContentTypes]: the kind of content in lower case,
	// without parameters, such as "text/html".
	ContentType string
	// Charset is the encoding that the server names, such as "utf-8". It may
	// be empty or wrong.
	Charset string
	// Body is complete and decompressed.
	Body []byte
	// ETag and LastModified are for the next request. An ETag is at most 1,024
	// bytes, and names the address it belongs to if redirects led there.
	ETag, LastModified string
	// NoIndex and NoFollow come from the X-Robots-Tag headers.
	NoIndex, NoFollow bool
}

// New returns a fetcher.
func New(config Config) *Fetcher {
	config = config.withDefaults()
	f := &Fetcher{
		config: config,
		token:  robots.Token(config.UserAgent),
		dial:   SafeDialer(config),
		slots:  newSlots(hosts.Share(config.Hosts, 2*config.Timeout)),
	}
	// Only one request at a time goes to a host, so HTTP/2 would gain nothing.
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	f.transport = &http.Transport{
		Proxy:                  nil, // a proxy would bypass the checks
		DialContext:            f.dial,
		Protocols:              &protocols,
		TLSClientConfig:        &tls.Config{RootCAs: config.Roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    min(handshakeTime, config.Timeout),
		ResponseHeaderTimeout:  headerTime,
		MaxResponseHeaderBytes: maxHeaderBytes,
		DisableCompression:     true, // body.go decodes, and sees nested codings
		// Each request gets its own connection: each is checked, none stays open
		// through the pause, and nothing that a server sends unasked is ever read.
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

// Get waits for the host's slot and fetches a page, if robots.txt allows it. A
// fault of kind RateLimited says that Get sent nothing: the host already has three
// readers, or asks for a longer pause than callers wait. A page is a 200 or 203
// with a complete body of one of [ContentTypes], or a 304 to a request with ETag or
// LastModified. For any other response the fault comes with a Page that has URL
// and Status, as far as known.
func (f *Fetcher) Get(ctx context.Context, request Request) (Page, error) {
	u, err := parseURL(request.URL)
	if err != nil {
		return Page{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, f.config.Longest)
	defer cancel()
	known := validatorOf(request, u)
	trip := &trip{
		fetcher: f, left: f.config.Timeout, limit: f.config.Bytes,
		robots: obey, request: request, known: known, inspect: pageKind,
	}
	answer, err := trip.follow(ctx, u)
	if err != nil {
		return Page{URL: trip.at}, err
	}
	page := Page{URL: trip.at, Status: answer.status}
	if err := answer.statusFault(); err != nil {
		return page, err
	}
	page, err = page.with(answer, known.tag, request.LastModified)
	told := directivesFor(f.token, answer.header, time.Now())
	page.NoIndex, page.NoFollow = told.noIndex, told.noFollow
	page.ETag, page.LastModified = validator{page.ETag, page.URL}.text(u.String(), page.LastModified)
	return page, err
}

// with adds the contents of a good response. The tag and the date are those that
// the page had.
func (p Page) with(a *answer, tag, date string) (Page, error) {
	p.ETag, p.LastModified = a.header.Get("ETag"), a.header.Get("Last-Modified")
	if a.status == http.StatusNotModified {
		p.NotModified = true
		// Some servers omit what they were sent.
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
