package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/core/knowledge/split"
	"parley/extract"
	"parley/fetch"
)

// ExtractChild is the command of the process that reads one hostile file.
const ExtractChild = "extract-child"

// ReadAsChild reads one document from in, in the process that is made for it.
func ReadAsChild(in io.Reader, out io.Writer) error { return extract.Child(in, out) }

// reader fits package extract to the room's port. It bounds how many files are
// read at once: each may take a processor and half a gigabyte.
type reader struct {
	extractor *extract.Extractor
	places    chan struct{}
}

func newReader(config *Config) (*reader, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the program cannot find itself: %w", err)
	}
	// The process that reads a file works in a folder of its own.
	cache, err := filepath.Abs(filepath.Join(config.DataDir, "cache"))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return nil, err
	}
	e := extract.New(extract.Limits{Bytes: knowledge.MaxUpload, Markdown: knowledge.MaxContent}, []string{program, ExtractChild})
	e.CacheDir, e.Unconfined = cache, config.Unconfined
	return &reader{e, make(chan struct{}, runtime.GOMAXPROCS(0))}, nil
}

// Extract is that of knowledge.Extractor.
func (r *reader) Extract(ctx context.Context, file knowledge.File) (knowledge.Extracted, error) {
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return knowledge.Extracted{}, ctx.Err()
	}
	result, err := r.extractor.Extract(ctx, extract.Input{
		Kind: file.Kind, Name: file.Name, ContentType: file.ContentType, Body: file.Body, BaseURL: file.URL,
	})
	if err != nil {
		return knowledge.Extracted{}, err
	}
	extracted := knowledge.Extracted{
		Kind: result.Kind, Title: result.Title, Markdown: result.Markdown, NoIndex: result.Page.NoIndex,
	}
	if !result.Page.NoFollow {
		extracted.Links = result.Page.Links
	}
	for _, place := range result.Places {
		extracted.Places = append(extracted.Places, split.Place{Offset: place.Offset, Name: placeName(result.Kind, place)})
	}
	return extracted, nil
}

// placeName is how a place is called in citations.
func placeName(kind knowledge.Kind, place extract.Place) string {
	word := "Page"
	switch kind {
	case knowledge.PPTX:
		word = "Slide"
	case knowledge.XLSX:
		word = "Sheet"
	}
	switch {
	case place.Page == 0:
		return place.Name
	case place.Name == "":
		return fmt.Sprintf("%s %d", word, place.Page)
	}
	return fmt.Sprintf("%s %d: %s", word, place.Page, place.Name)
}

// longestWait is how long a worker waits with a page for a host's pause. For a
// longer one its workspace goes on with other sites, and other workspaces first.
const longestWait = 5 * time.Second

// webVisitor fits package fetch to the room's port.
type webVisitor struct{ fetcher *fetch.Fetcher }

func newVisitor(config *Config, refused func(context.Context, string)) (webVisitor, error) {
	allowed, err := config.CrawlTargets()
	if err != nil {
		return webVisitor{}, err
	}
	return webVisitor{fetch.New(fetch.Config{
		UserAgent: config.UserAgent(), Bytes: knowledge.MaxUpload, Ports: config.FetchPorts, Delay: config.FetchDelay, Allow: allowed, Refused: refused,
		PageWait: longestWait,
	})}, nil
}

// Get is that of knowledge.Fetcher.
func (v webVisitor) Get(ctx context.Context, request knowledge.Fetch) (knowledge.Fetched, error) {
	page, err := v.fetcher.Get(ctx, fetch.Request{URL: request.URL, ETag: request.ETag, LastModified: request.LastModified})
	if errors.Is(err, fetch.ErrGone) {
		return knowledge.Fetched{URL: request.URL, Gone: true}, nil
	}
	if err != nil {
		return knowledge.Fetched{}, err
	}
	contentType := page.ContentType
	if page.Charset != "" {
		contentType += "; charset=" + page.Charset
	}
	return knowledge.Fetched{
		URL: page.URL, ContentType: contentType, Body: page.Body, ETag: page.ETag, LastModified: page.LastModified,
		NotModified: page.NotModified,
	}, nil
}

// Discover is that of knowledge.Fetcher.
func (v webVisitor) Discover(ctx context.Context, start string, rules knowledge.Rules) ([]string, error) {
	found, err := v.fetcher.Discover(ctx, start, rulesOf(start, rules))
	if err != nil {
		return nil, err
	}
	addresses := make([]string, len(found.Entries))
	for i, entry := range found.Entries {
		addresses[i] = entry.URL
	}
	return addresses, nil
}

// Admit is that of knowledge.Fetcher.
func (v webVisitor) Admit(start, link string, rules knowledge.Rules) (string, bool) {
	address, err := fetch.Normalise("", link)
	if err != nil || rulesOf(start, rules).Admits(address, 0) != nil {
		return "", false
	}
	return address, true
}

// Normalise is that of knowledge.Fetcher.
func (v webVisitor) Normalise(address string) (string, error) {
	normal, err := fetch.Normalise("", address)
	if err != nil {
		return "", fault.InField("url", "%s", fault.As(err).Message)
	}
	return normal, nil
}

// rulesOf leaves the depth to the room, which counts it.
func rulesOf(start string, rules knowledge.Rules) fetch.Rules {
	host := ""
	if u, err := url.Parse(start); err == nil {
		host = u.Host
	}
	return fetch.Rules{Host: host, Include: rules.Include, Exclude: rules.Exclude, MaxPages: rules.MaxPages}
}
