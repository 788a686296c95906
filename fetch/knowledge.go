package fetch

import (
	"context"
	"errors"
	"net/url"

	"parley/core/fault"
	"parley/core/knowledge"
)

// KnowledgeFetcher adapts a [Fetcher] for package knowledge.
type KnowledgeFetcher struct{ fetcher *Fetcher }

var _ knowledge.Fetcher = KnowledgeFetcher{}

// NewKnowledgeFetcher returns an adapter of fetcher.
func NewKnowledgeFetcher(fetcher *Fetcher) KnowledgeFetcher { return KnowledgeFetcher{fetcher} }

// Get implements knowledge.Fetcher.
func (k KnowledgeFetcher) Get(ctx context.Context, request knowledge.Fetch) (knowledge.Fetched, error) {
	page, err := k.fetcher.Get(ctx, Request{URL: request.URL, ETag: request.ETag, LastModified: request.LastModified})
	if errors.Is(err, ErrGone) {
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
		NotModified: page.NotModified, NoIndex: page.NoIndex, NoFollow: page.NoFollow,
	}, nil
}

// Discover implements knowledge.Fetcher.
func (k KnowledgeFetcher) Discover(ctx context.Context, start string, rules knowledge.Rules) ([]string, error) {
	found, err := k.fetcher.Discover(ctx, start, rulesOf(start, rules))
	if err != nil {
		return nil, err
	}
	return found.Pages, nil
}

// Admit implements knowledge.Fetcher.
func (k KnowledgeFetcher) Admit(start, link string, rules knowledge.Rules) (string, bool) {
	address, err := Normalize("", link)
	if err != nil || rulesOf(start, rules).Admits(address) != nil {
		return "", false
	}
	return address, true
}

// Normalize implements knowledge.Fetcher.
func (k KnowledgeFetcher) Normalize(address string) (string, error) {
	normal, err := Normalize("", address)
	if err != nil {
		return "", fault.InField("url", "%s", fault.As(err).Message)
	}
	return normal, nil
}

// rulesOf leaves out the depth, which package knowledge counts.
func rulesOf(start string, rules knowledge.Rules) Rules {
	host := ""
	if u, err := url.Parse(start); err == nil {
		host = u.Host
	}
	return Rules{Host: host, Include: rules.Include, Exclude: rules.Exclude, MaxPages: rules.MaxPages}
}
