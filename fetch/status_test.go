package fetch

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/core/fault"
)

func TestStatuses(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		status, _ := strconv.Atoi(r.URL.Path[1:])
		w.Header().Set("Content-Type", "text/html")
		if after := r.URL.Query().Get("after"); after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
	})
	const (
		signIn = "The server answered %: the page requires a sign-in or does not admit programs."
		gone   = "The server answered %: the page is gone."
		slower = "The server answered %: it asks to be read more slowly."
		notNow = "The server answered %: it cannot show the page right now."
		no     = "The server answered %: it refuses to show the page."
		part   = "The server answered %, which is not a complete page."
	)
	for status, want := range map[int]struct {
		kind     fault.Kind
		sentence string
		cause    error
	}{
		401: {fault.Invalid, signIn, ErrSignIn}, 403: {fault.Invalid, signIn, ErrSignIn}, 407: {fault.Invalid, signIn, ErrSignIn},
		404: {fault.Invalid, gone, ErrGone}, 410: {fault.Invalid, gone, ErrGone},
		429: {fault.Upstream, slower, nil}, 408: {fault.Upstream, notNow, nil}, 425: {fault.Upstream, notNow, nil},
		500: {fault.Upstream, notNow, nil}, 502: {fault.Upstream, notNow, nil}, 503: {fault.Upstream, notNow, nil}, 599: {fault.Upstream, notNow, nil},
		400: {fault.Invalid, no, nil}, 451: {fault.Invalid, no, nil},
		204: {fault.Invalid, part, nil}, 206: {fault.Invalid, part, nil}, 300: {fault.Invalid, part, nil},
		304: {fault.Upstream, "The server sent an invalid response.", nil},
	} {
		t.Run(strconv.Itoa(status)+" has its message", func(t *testing.T) {
			f := open(t, Config{}, site.URL)
			address := site.URL + "/" + strconv.Itoa(status)
			got, err := f.Get(t.Context(), Request{URL: address})
			wants(t, address, "", err, want.kind, strings.Replace(want.sentence, "%", strconv.Itoa(status), 1))
			if got.Status != status || got.URL != address {
				t.Errorf("the page says %d at %s", got.Status, got.URL)
			}
			if want.cause != nil && !errors.Is(err, want.cause) {
				t.Errorf("the cause is %v", fault.As(err).Cause)
			}
		})
	}
	t.Run("Retry-After is passed on", func(t *testing.T) {
		for after, want := range map[string]time.Duration{"120": 2 * time.Minute, "0": 0, "-5": 0, "soon": 0, "99999999": 24 * time.Hour} {
			for _, status := range []string{"429", "503"} {
				f := open(t, Config{}, site.URL)
				_, err := f.Get(t.Context(), Request{URL: site.URL + "/" + status + "?after=" + after})
				if got := fault.As(err).RetryAfter; got != want {
					t.Errorf("%s %q: %v, want %v", status, after, got, want)
				}
			}
		}
	})
	t.Run("as a date, too", func(t *testing.T) {
		f := open(t, Config{}, site.URL)
		date := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
		_, err := f.Get(t.Context(), Request{URL: site.URL + "/503?after=" + strings.ReplaceAll(date, " ", "%20")})
		if got := fault.As(err).RetryAfter; got < 59*time.Minute || got > time.Hour {
			t.Error(got)
		}
	})
	t.Run("the whole host is then paused", func(t *testing.T) {
		f := open(t, Config{}, site.URL)
		_, _ = f.Get(t.Context(), Request{URL: site.URL + "/503?after=600"})
		failure := refused(t, f, site.URL+"/200", fault.RateLimited, "Parley reads this site slowly, because the site asks for it or other pages are waiting. It will try the page again later.")
		if failure.RetryAfter < 9*time.Minute || failure.RetryAfter > 10*time.Minute {
			t.Error(failure.RetryAfter)
		}
	})
	t.Run("Retry-After with a successful page has no effect", func(t *testing.T) {
		f := open(t, Config{}, site.URL)
		page(t, f, site.URL+"/200?after=600")
		page(t, f, site.URL+"/200")
	})
}

func TestConditionalRequests(t *testing.T) {
	const tag, date = `"v1"`, "Mon, 02 Nov 2026 10:00:00 GMT"
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/old" {
			http.Redirect(w, r, "/page", http.StatusFound)
			if r.Header.Get("If-None-Match")+r.Header.Get("If-Modified-Since") != "" {
				t.Error("the redirecting address got the ETag of another")
			}
			return
		}
		if r.Header.Get("If-None-Match") == tag || r.Header.Get("If-Modified-Since") == date {
			w.WriteHeader(http.StatusNotModified) // without repeating the ETag
			return
		}
		w.Header().Set("ETag", tag)
		w.Header().Set("Last-Modified", date)
		html(w, "content")
	})
	f := open(t, Config{UserAgent: "Parley/2.0 (+https://example.com/robot)"}, site.URL)
	first := page(t, f, site.URL+"/page")
	t.Run("a page has its ETag and date", func(t *testing.T) {
		if first.ETag != tag || first.LastModified != date || string(first.Body) != "content" || first.Charset != "utf-8" {
			t.Errorf("%+v", first)
		}
	})
	moved := page(t, f, site.URL+"/old")
	if moved.URL != first.URL || moved.LastModified != date {
		t.Fatalf("redirected: %+v", moved)
	}
	for name, request := range map[string]Request{
		"ETag":                        {URL: site.URL + "/page", ETag: first.ETag},
		"date":                        {URL: site.URL + "/page", LastModified: first.LastModified},
		"ETag of a redirect's target": {URL: site.URL + "/old", ETag: moved.ETag},
		"date of a redirect's target": {URL: site.URL + "/old", ETag: " " + moved.URL, LastModified: moved.LastModified},
		"both of a redirect's target": {URL: site.URL + "/old", ETag: moved.ETag, LastModified: moved.LastModified},
	} {
		t.Run("an unchanged page is recognized by its "+name, func(t *testing.T) {
			got, err := f.Get(t.Context(), request)
			if err != nil || !got.NotModified || got.Status != 304 || len(got.Body) > 0 || got.ETag != request.ETag || got.LastModified != request.LastModified || got.URL != first.URL {
				t.Errorf("%+v %v", got, err)
			}
		})
	}
	t.Run("an ETag is not sent to a redirect target it does not belong to", func(t *testing.T) {
		got, err := f.Get(t.Context(), Request{URL: site.URL + "/old?", ETag: tag + " " + site.URL + "/elsewhere", LastModified: date})
		if err != nil || got.NotModified || string(got.Body) != "content" {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("an ETag of a redirect's target is not sent to the address once that is a page itself", func(t *testing.T) {
		got, err := f.Get(t.Context(), Request{URL: site.URL + "/page", ETag: tag + " " + site.URL + "/elsewhere", LastModified: date})
		if err != nil || got.NotModified || got.ETag != tag {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("an ETag that is too long is dropped, together with the date", func(t *testing.T) {
		etag, modified := validator{strings.Repeat("x", 1000), site.URL + "/page"}.text(site.URL+"/old", date)
		if etag != "" || modified != "" {
			t.Errorf("%q, %q", etag, modified)
		}
	})
	t.Run("a changed page is sent", func(t *testing.T) {
		got, err := f.Get(t.Context(), Request{URL: site.URL + "/page", ETag: `"v0"`})
		if err != nil || got.NotModified || string(got.Body) != "content" {
			t.Errorf("%+v %v", got, err)
		}
	})
	t.Run("a header cannot be smuggled in", func(t *testing.T) {
		got, err := f.Get(t.Context(), Request{URL: site.URL + "/page", ETag: "a\r\nX-Evil: 1"})
		if err != nil || string(got.Body) != "content" {
			t.Errorf("%+v %v", got, err)
		}
	})
}

func TestKinds(t *testing.T) {
	pdf := "%PDF-1.7\n"
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = nil
		if kind := r.URL.Query().Get("type"); kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		if name := r.URL.Query().Get("name"); name != "" {
			w.Header().Set("Content-Disposition", name)
		}
		_, _ = w.Write([]byte(r.URL.Query().Get("body")))
	})
	f := open(t, Config{}, site.URL)
	address := func(path, kind, body string) string {
		return site.URL + path + "?type=" + escape(kind) + "&body=" + escape(body)
	}
	for _, test := range []struct{ path, kind, body, want, charset string }{
		{"/", "text/html; charset=ISO-8859-1", "x", "text/html", "iso-8859-1"},
		{"/", "TEXT/HTML", "x", "text/html", ""},
		{"/", "text/html; charset", "x", "text/html", ""},
		{"/", "application/xhtml+xml", "x", "text/html", ""},
		{"/", "text/plain", "x", "text/plain", ""},
		{"/readme.md", "text/plain; charset=utf-8", "x", "text/markdown", "utf-8"},
		{"/a.csv", "text/plain", "x", "text/csv", ""},
		{"/a.html", "text/plain", "x", "text/plain", ""},
		{"/a.pdf", "text/plain", "x", "text/plain", ""},
		{"/", "text/x-markdown", "x", "text/markdown", ""},
		{"/", "application/pdf", pdf, "application/pdf", ""},
		{"/", "application/octet-stream", pdf, "application/pdf", ""},
		{"/a.DOCX", "application/octet-stream", "PK", docx, ""},
		{"/a.xlsx", "application/zip", "PK", xlsx, ""},
		{"/a.pptx", "", "PK", pptx, ""},
		{"/a.epub", "binary/octet-stream", "PK", "application/epub+zip", ""},
		{"/", "", "<!DOCTYPE html><p>", "text/html", "utf-8"},
		{"/", "", "plain words", "text/plain", "utf-8"},
	} {
		t.Run(test.path+" as "+test.kind+" is "+test.want, func(t *testing.T) {
			got := page(t, f, address(test.path, test.kind, test.body))
			if got.ContentType != test.want || got.Charset != test.charset {
				t.Errorf("%s, %q", got.ContentType, got.Charset)
			}
			if !slices.Contains(ContentTypes(), got.ContentType) {
				t.Errorf("%s is not among ContentTypes", got.ContentType)
			}
		})
	}
	archive := func(of string) string { return "PK\x03\x04" + strings.Repeat("\x00", 26) + of }
	for _, test := range []struct{ name, disposition, kind, body, want string }{
		{"a file's name", `attachment; filename="prices.csv"`, "application/octet-stream", "a,b", "text/csv"},
		{"a file's name without quotes", `attachment; filename=Notes.MD`, "binary/octet-stream", "# a", "text/markdown"},
		{"a file's name in an encoding", `attachment; filename*=UTF-8''Pr%C3%A4sentation.pptx`, "application/octet-stream", "PK", pptx},
		{"a file's name within a page", `inline; filename="list.csv"`, "text/plain", "a,b", "text/csv"},
		{"a file's name beside a kind", `attachment; filename="a.csv"`, "text/html", "<p>", "text/html"},
		{"a name that says nothing, and the bytes", `attachment; filename="download"`, "application/octet-stream", pdf, "application/pdf"},
		{"a broken header, and the bytes", `attachment; filename="`, "application/octet-stream", pdf, "application/pdf"},
		{"a document of Word by what is in it", "", "application/octet-stream", archive("word/document.xml"), docx},
		{"a workbook by what is in it", "", "application/zip", archive("xl/workbook.xml"), xlsx},
		{"a book by what is in it", "", "", archive("mimetypeapplication/epub+zip"), "application/epub+zip"},
	} {
		t.Run(test.name+" decides", func(t *testing.T) {
			got := page(t, f, address("/get", test.kind, test.body)+"&name="+escape(test.disposition))
			if got.ContentType != test.want {
				t.Errorf("it is %s, not %s", got.ContentType, test.want)
			}
		})
	}
	const after = ", which Parley cannot read. It reads web pages, text, Markdown, CSV, PDF, Word, PowerPoint, Excel and EPUB."
	for _, test := range []struct{ path, kind, body, what string }{
		{"/", "image/png", "x", "content of the kind image/png"},
		{"/a.pdf", "image/png", "x", "content of the kind image/png"},
		{"/", "application/json", "{}", "content of the kind application/json"},
		{"/", "application/msword", "x", "content of the kind application/msword"},
		{"/", "application/octet-stream", "\x00\x01\x02", "content of the kind application/octet-stream"},
		{"/", "", "\x89PNG\x0d\x0a\x1a\x0a", "content of an unknown kind"},
		{"/", "x/" + strings.Repeat("y", 200), "x", "content of an unknown kind"},
	} {
		t.Run(test.path+" as "+short(test.kind)+" is refused", func(t *testing.T) {
			failure := refused(t, f, address(test.path, test.kind, test.body), fault.Invalid, "This address holds "+test.what+after)
			if !errors.Is(failure, ErrKind) {
				t.Errorf("the cause is %v", failure.Cause)
			}
		})
	}
}
