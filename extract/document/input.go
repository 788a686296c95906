package document

import (
	"time"

	"parley/core/knowledge"
)

// Input is a document as Parley received it.
type Input struct {
	// Kind is what the document is declared to be. Empty means that
	// [Detect] decides.
	Kind knowledge.Kind
	// Name is the file's name and ContentType the media type it arrived with.
	// Both are hints and may be empty.
	Name, ContentType string
	Body              []byte
	// BaseURL is the address of a web page, against which its links resolve.
	// Without it, readers return only absolute links.
	BaseURL string
}

// Result is a document as Markdown.
type Result struct {
	// Kind is the kind as which Parley read the document. For [knowledge.Text]
	// the Markdown is the text itself, unescaped.
	Kind knowledge.Kind
	// Title is the document's own, else its first heading, else the file's
	// name without its extension. It is a single line and may be empty.
	Title string
	// Markdown is valid UTF-8 without invisible characters, and without control
	// characters other than newline and tab.
	Markdown string
	// Places is ordered by offset. Kinds without places have none.
	Places []Place
	// Page holds what a web page tells crawlers. Other kinds leave it empty.
	Page Page
	// Notes count what is not in the Markdown.
	Notes Notes
}

// Place says where the Markdown from Offset up to the next place came from.
type Place struct {
	// Offset is a byte offset into [Result.Markdown].
	Offset int `json:"offset"`
	// Page is the number of a page or slide, from 1; 0 where there is none.
	Page int `json:"page,omitempty"`
	// Name is a sheet's name, a slide's title or a chapter's title; it may be
	// empty.
	Name string `json:"name,omitempty"`
}

// Page holds what a web page tells crawlers.
type Page struct {
	// Links are absolute http and https addresses without fragments, each
	// once, in the order of the page, at most 10,000. Links marked nofollow are
	// left out.
	Links []string `json:"links,omitempty"`
	// Canonical is the address that the page prefers for itself.
	Canonical string `json:"canonical,omitempty"`
	// Refresh is the address to which the page sends its visitors within seconds.
	Refresh string `json:"refresh,omitempty"`
	// NoIndex and NoFollow come from the page's robots meta element.
	NoIndex  bool `json:"no_index,omitempty"`
	NoFollow bool `json:"no_follow,omitempty"`
}

// Limits bound what one document may use. A zero field means the default.
type Limits struct {
	// Bytes is the size of the file: 50 MB.
	Bytes int64 `json:"bytes"`
	// Unpacked is the total size of an archive's contents: 200 MB.
	Unpacked int64 `json:"unpacked"`
	// Pages is the number of pages, slides, sheets or chapters: 5,000.
	Pages int `json:"pages"`
	// Rows is the number of rows of one table: 100,000.
	Rows int `json:"rows"`
	// Markdown is the size of the result in bytes: 5 MB.
	Markdown int `json:"markdown"`
	// Time is how long reading may take: two minutes.
	Time time.Duration `json:"time"`
	// Memory is the resident memory of the child, in bytes: 512 MB. The program
	// alone takes 50 MB, the PDF reader another 100 MB.
	Memory int64 `json:"memory"`
}

// OrDefault returns the limits with defaults in place of zeros.
func (l Limits) OrDefault() Limits {
	limit(&l.Bytes, 50<<20)
	limit(&l.Unpacked, 200<<20)
	limit(&l.Pages, 5_000)
	limit(&l.Rows, 100_000)
	limit(&l.Markdown, 5<<20)
	limit(&l.Time, 2*time.Minute)
	limit(&l.Memory, 512<<20)
	return l
}

func limit[T int | int64 | time.Duration](value *T, otherwise T) {
	if *value <= 0 {
		*value = otherwise
	}
}
