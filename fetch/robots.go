package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"parley/core/fault"
	"parley/fetch/robots"
)

// rules requests robots.txt as one of the host's readers.
func (f *Fetcher) rules(ctx context.Context, u *url.URL) (*robots.Rules, error) {
	leave, err := f.slots.enter(u.Hostname())
	if err != nil {
		return nil, err
	}
	defer leave()
	return f.rulebook.rules(ctx, u)
}

func disallowed() error {
	return fault.Wrap(fault.Invalid, ErrDisallowed, "The site's robots.txt does not allow Parley to read this page.")
}

// bytesPerByte is how much memory the rules of the densest file take per byte.
const bytesPerByte = 6

// readRobots fetches a robots.txt and returns its rules with their size. A 4xx
// other than 429 means that there are none; a server that fails or cannot be
// reached allows nothing for now (RFC 9309, section 2.3.1).
func (f *Fetcher) readRobots(ctx context.Context, u *url.URL) (*robots.Rules, int, error) {
	trip := &trip{
		fetcher: f, left: f.config.Timeout, limit: robots.MaxBytes, cut: true,
		robots:  first,
		inspect: func(http.Header, *url.URL) error { return nil },
	}
	answer, err := trip.follow(ctx, u)
	switch {
	case errors.Is(err, errCircle) || errors.Is(err, errRedirects):
		return &robots.Rules{}, 0, nil // section 2.3.1.2 treats it as missing
	case err != nil:
		return nil, 0, err
	case isWhole(answer.status):
		return robots.Parse(answer.body, f.token), bytesPerByte * len(answer.body), nil
	case answer.status == http.StatusTooManyRequests || answer.status >= 500:
		return nil, 0, &fault.Error{
			Kind: fault.Upstream, RetryAfter: max(answer.retryAfter(), failureAge),
			Message: "Parley cannot read the site's robots.txt right now, so it does not know which pages it may read. It will try again later.",
		}
	}
	return &robots.Rules{}, 0, nil
}
