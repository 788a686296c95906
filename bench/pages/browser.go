package pages

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// browser asks as a browser does, over one connection.
type browser struct {
	base   string
	client *http.Client
}

func newBrowser(address string) (*browser, error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return nil, err
	}
	return &browser{base: "http://" + address, client: &http.Client{
		Jar: jar, Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// signIn signs in by the form of the page.
func (b *browser) signIn(ctx context.Context, w Workspace) error {
	form := url.Values{"email": {w.Email}, "password": {w.Password}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.base+"/sign-in", strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := b.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusSeeOther {
		return fmt.Errorf("signing in was answered with %s", response.Status)
	}
	return nil
}

// get returns what is at an address, as it is sent, and how long it took.
// Packed asks for it compressed, as browsers do.
func (b *browser) get(ctx context.Context, path string, packed bool) (body []byte, took time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+path, http.NoBody)
	if err != nil {
		return nil, 0, err
	}
	if packed {
		request.Header.Set("Accept-Encoding", "gzip, deflate, br")
	}
	for {
		start := time.Now()
		response, err := b.client.Do(request)
		if err != nil {
			return nil, 0, err
		}
		body, err := io.ReadAll(response.Body)
		took := time.Since(start)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return nil, 0, err
		}
		switch response.StatusCode {
		case http.StatusOK:
			return body, took, nil
		case http.StatusTooManyRequests: // a person may not ask as often as this
			if err := pause(ctx, response.Header.Get("Retry-After")); err != nil {
				return nil, 0, err
			}
		default:
			return nil, 0, fmt.Errorf("%s was answered with %s", path, response.Status)
		}
	}
}

// pause waits for so many seconds.
func pause(ctx context.Context, seconds string) error {
	n, err := strconv.Atoi(seconds)
	if err != nil {
		return fmt.Errorf("it asked to try again after %q seconds", seconds)
	}
	select {
	case <-time.After(time.Duration(n) * time.Second):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

var (
	// needed is what a page has a browser fetch.
	needed = regexp.MustCompile(`<(?:link|script|img|use)[^>]* (?:href|src)="(/static/[^"#]+)`)
	// imported is what a script has it fetch, too, and named what the style has.
	imported = regexp.MustCompile(`(?:\bfrom|\bimport)\s*"(\.{1,2}/[^"]+)"`)
	named    = regexp.MustCompile(`url\("?([^")]+)"?\)`)
)

// visit returns the number of requests, and the bytes of their answers, with which a
// browser that has nothing yet shows a page. Calls are what the page's script asks for.
func (b *browser) visit(ctx context.Context, path string, calls []string) (requests, bytes int, err error) {
	seen := map[string]bool{}
	for todo := append([]string{path}, calls...); len(todo) > 0; todo = todo[1:] {
		at := todo[0]
		if seen[at] {
			continue
		}
		seen[at] = true
		sent, _, err := b.get(ctx, at, true)
		if err != nil {
			return 0, 0, err
		}
		requests, bytes = requests+1, bytes+len(sent)
		found, err := b.needs(ctx, at, at == path)
		if err != nil {
			return 0, 0, err
		}
		todo = append(todo, found...)
	}
	if requests < 3 {
		return 0, 0, errors.New("a page has no style or no script: look for them in another way")
	}
	return requests, bytes, nil
}

// needs returns what a page, a script or the style has a browser fetch.
func (b *browser) needs(ctx context.Context, path string, page bool) (found []string, err error) {
	names := needed
	switch {
	case page:
	case strings.HasSuffix(path, ".js"):
		names = imported
	case strings.HasSuffix(path, ".css"):
		names = named
	default:
		return nil, nil
	}
	text, _, err := b.get(ctx, path, false)
	if err != nil {
		return nil, err
	}
	base, err := url.Parse(path)
	if err != nil {
		return nil, err
	}
	for _, match := range names.FindAllSubmatch(text, -1) {
		if to, err := base.Parse(string(match[1])); err == nil && strings.HasPrefix(to.Path, "/static/") {
			found = append(found, to.Path)
		}
	}
	return found, nil
}
