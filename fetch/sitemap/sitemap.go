// Package sitemap reads sitemaps as sitemaps.org defines them: XML with pages, XML
// with further sitemaps, and text with a URL on each line, with or without gzip.
//
// It fetches nothing, and does not check the addresses it finds.
package sitemap

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
	"strings"
)

// Limits of one file. sitemaps.org allows 50,000 addresses in 50 MB; this package
// reads at most the first 20 MB, to save memory.
const (
	MaxAddresses = 50_000
	MaxBytes     = 20 << 20
	maxDepth     = 16
	maxAddress   = 4096
)

// ErrNone says that a file is not a sitemap.
var ErrNone = errors.New("not a sitemap")

// ErrTooLarge says that a file exceeds [MaxBytes] or [MaxAddresses].
var ErrTooLarge = errors.New("sitemap too large")

// A File is what one sitemap holds.
type File struct {
	// Pages are the addresses of pages, and Sitemaps the addresses of further sitemaps, as
	// written.
	Pages, Sitemaps []string
}

// Read reads a sitemap of any form. Together with an error it returns what it
// found before.
func Read(r io.Reader) (File, error) { return read(r, MaxBytes) }

func read(r io.Reader, limit int64) (File, error) {
	body := bufio.NewReader(r)
	if magic, _ := body.Peek(2); string(magic) == "\x1f\x8b" {
		unpacked, err := gzip.NewReader(body)
		if err != nil {
			return File{}, err
		}
		body = bufio.NewReader(unpacked)
	}
	body = bufio.NewReader(&bounded{reader: body, left: limit})
	xml, err := startsWithTag(body)
	if err != nil {
		return File{}, err
	}
	if xml {
		return readXML(body)
	}
	return readText(body)
}

// startsWithTag reports whether the first character, apart from white space and a
// byte order mark, starts a tag.
func startsWithTag(body *bufio.Reader) (bool, error) {
	for {
		r, _, err := body.ReadRune()
		switch {
		case err == io.EOF:
			return false, ErrNone
		case err != nil:
			return false, err
		case r != '\ufeff' && !strings.ContainsRune(" \t\r\n", r):
			return r == '<', body.UnreadRune()
		}
	}
}

// bounded fails if there is more to read than its limit.
type bounded struct {
	reader io.Reader
	left   int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrTooLarge
	}
	n, err := b.reader.Read(p[:min(int64(len(p)), b.left+1)])
	b.left -= int64(n)
	if b.left < 0 {
		return n - 1, ErrTooLarge
	}
	return n, err
}
