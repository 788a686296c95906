package sitemap

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func pages(addresses ...string) File { return File{Pages: addresses} }

func TestRead(t *testing.T) {
	const a, b = "https://a.example/a", "https://a.example/b"
	for name, test := range map[string]struct {
		text string
		want File
		err  error
	}{
		"the example of sitemaps.org": {
			`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/a</loc>
			<lastmod>2005-01-01</lastmod><changefreq>monthly</changefreq><priority>0.8</priority></url><url><loc> https://a.example/b </loc></url></urlset>`,
			pages(a, b), nil,
		},
		"an index": {
			`<sitemapindex><sitemap><loc>https://a.example/a</loc><lastmod>2004-10-01T18:23:17+02:00</lastmod></sitemap><sitemap><loc>https://a.example/b</loc></sitemap></sitemapindex>`,
			File{Sitemaps: []string{a, b}},
			nil,
		},
		"an escaped address":   {`<urlset><url><loc>https://a.example/?a=1&amp;b=2</loc></url></urlset>`, pages("https://a.example/?a=1&b=2"), nil},
		"an address in CDATA":  {`<urlset><url><loc><![CDATA[https://a.example/?a&b]]></loc></url></urlset>`, pages("https://a.example/?a&b"), nil},
		"an ampersand alone":   {`<urlset><url><loc>https://a.example/?a&b=2</loc></url></urlset>`, pages("https://a.example/?a&b=2"), nil},
		"a prefix":             {`<s:urlset xmlns:s="x"><s:url><s:loc>https://a.example/a</s:loc></s:url></s:urlset>`, pages(a), nil},
		"addresses of images":  {`<urlset><url><loc>https://a.example/a</loc><image:image><image:loc>https://a.example/b</image:loc></image:image></url></urlset>`, pages(a), nil},
		"a mark and comments":  {"\ufeff\n<!-- made by hand --><?xml-stylesheet href='a'?><urlset><!-- <url> --><url><loc>https://a.example/a</loc></url></urlset>", pages(a), nil},
		"another encoding":     {`<?xml version="1.0" encoding="ISO-8859-1"?><urlset><url><loc>https://a.example/a</loc></url></urlset>`, pages(a), nil},
		"a page without URL":   {`<urlset><url><lastmod>2005</lastmod></url><url><loc>/relative</loc></url><url><loc>javascript:a</loc></url></urlset>`, File{}, nil},
		"an entity of its own": {`<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>https://a.example/&e;</loc></url></urlset>`, pages("https://a.example/&e;"), nil},
		"none":                 {`<urlset></urlset>`, File{}, nil},
		"lines":                {"https://a.example/a\r\n\r\n  https://a.example/b  \nno address", pages(a, b), nil},
		"lines after a mark":   {"\ufeffhttps://a.example/a", pages(a), nil},

		"a page of HTML":          {"<!DOCTYPE html><html><body><url><loc>https://a.example/a</loc></url></body></html>", File{}, ErrNone},
		"a feed":                  {"<rss><channel></channel></rss>", File{}, ErrNone},
		"text":                    {"This page does not exist.\nhttps://a.example/a", File{}, ErrNone},
		"nothing":                 {"", File{}, ErrNone},
		"white space":             {" \n\t ", File{}, ErrNone},
		"a huge line":             {"https://a.example/" + strings.Repeat("a", 100_000), File{}, ErrNone},
		"a document without root": {"<!-- nothing -->", File{}, ErrNone},
		"endless nesting":         {"<urlset>" + strings.Repeat("<url>", 1000), File{}, ErrNone},
		"a document that breaks off": {
			`<urlset><url><loc>https://a.example/a</loc></url><url><loc>https://a.exam`,
			pages(a), io.ErrUnexpectedEOF,
		},
	} {
		t.Run(name+" is read correctly", func(t *testing.T) {
			got, err := Read(strings.NewReader(test.text))
			if !reflect.DeepEqual(got, test.want) || !errors.Is(err, test.err) {
				t.Errorf("%+v, %v\nwant %+v, %v", got, err, test.want, test.err)
			}
			packedText := packed(t, []byte(test.text))
			if got, err := Read(bytes.NewReader(packedText)); !reflect.DeepEqual(got, test.want) || !errors.Is(err, test.err) {
				t.Errorf("packed: %+v, %v\nwant %+v, %v", got, err, test.want, test.err)
			}
		})
	}
}

func packed(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(text)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestLimits(t *testing.T) {
	many := func(form string) string {
		var b strings.Builder
		for i := range MaxAddresses + 1 {
			b.WriteString(strings.ReplaceAll(form, "%", "http://a.example/"+strconv.Itoa(i)))
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"lines":            many("%\n"),
		"pages":            "<urlset>" + many("<url><loc>%</loc></url>"),
		"further sitemaps": "<sitemapindex>" + many("<sitemap><loc>%</loc></sitemap>"),
	} {
		t.Run("more "+name+" than allowed are cut", func(t *testing.T) {
			got, err := Read(strings.NewReader(text))
			if !errors.Is(err, ErrTooLarge) || len(got.Pages)+len(got.Sitemaps) != MaxAddresses {
				t.Errorf("%d and %d, %v", len(got.Pages), len(got.Sitemaps), err)
			}
		})
	}
	const limit = 1 << 20
	for name, text := range map[string]string{
		"white space":   strings.Repeat(" ", limit+1),
		"one text":      "<urlset><url><loc>https://a.example/" + strings.Repeat("a", limit),
		"one attribute": `<urlset a="` + strings.Repeat("a", limit),
		"empty lines":   "https://a.example/" + strings.Repeat("\n", limit),
	} {
		t.Run("a bomb of "+name+" is refused", func(t *testing.T) {
			got, err := read(bytes.NewReader(packed(t, []byte(text))), limit)
			if !errors.Is(err, ErrTooLarge) || len(got.Pages) > 1 {
				t.Errorf("%d pages, %v", len(got.Pages), err)
			}
		})
	}
	t.Run("a file of the greatest size is read", func(t *testing.T) {
		text := "https://a.example/\n"
		got, err := read(strings.NewReader(text+strings.Repeat("\n", limit-len(text))), limit)
		if err != nil || len(got.Pages) != 1 {
			t.Errorf("%d pages, %v", len(got.Pages), err)
		}
	})
	t.Run("a damaged gzip file is an error", func(t *testing.T) {
		for _, text := range []string{"\x1f\x8b", "\x1f\x8bnonsense at all", string(packed(t, []byte("https://a.example/\nhttps://a.example/"))[:25])} {
			if _, err := Read(strings.NewReader(text)); err == nil {
				t.Errorf("%q was read", text)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("<urlset><url><loc>https://a.example/</loc><lastmod>2005-01</lastmod></url></urlset>"))
	f.Add([]byte("<sitemapindex><sitemap><loc>http://a</loc></sitemap>"))
	f.Add([]byte("https://a.example/\nhttp://b.example"))
	f.Fuzz(func(t *testing.T, text []byte) {
		file, _ := Read(bytes.NewReader(text))
		for _, address := range append(file.Pages, file.Sitemaps...) {
			if !isWeb(address) || address != strings.TrimSpace(address) {
				t.Errorf("%q", address)
			}
		}
	})
}
