// Package pdf reads PDFs: it finds the words of each page by their positions,
// and builds columns, blocks, headings and tables from them.
//
// It does not own what a text means, such as a price, which is read from its Markdown
// when a question comes (text/language/kinds, text/ground), nor the child process it
// runs in (package extract). PDFium runs as
// WebAssembly with bounded memory.
package pdf

import (
	"errors"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/enums"
	pdfium_errors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
)

// Read reads the text of a PDF (ISO 32000-1) in the order in which people read
// it. A PDF says where letters are but rarely what they are, so Read infers
// columns, tables, headings and paragraphs from positions.
func Read(doc *document.Document, in document.Input) error {
	if err := Prepare("", doc.Limits); err != nil {
		return err
	}
	opened, err := pdfium.OpenDocument(&requests.OpenDocument{File: &in.Body})
	switch {
	case errors.Is(err, pdfium_errors.ErrPassword), errors.Is(err, pdfium_errors.ErrSecurity):
		return document.Protected(knowledge.PDF)
	case errors.Is(err, pdfium_errors.ErrFormat) && !strings.Contains(string(in.Body[:min(len(in.Body), 1024)]), "%PDF-"):
		return document.NotOfKind(in, knowledge.PDF, err)
	case err != nil:
		return errPDF(err)
	}
	if isXFA(opened.Document) {
		return readXFA(doc, opened.Document)
	}
	pages, err := readPages(opened.Document, doc.Limits)
	if err != nil {
		return err
	}
	if err := legible(pages); err != nil {
		return err
	}
	unread(opened.Document, pages, &doc.Notes)
	dropRepeated(pages)
	writePages(doc, pages)
	if doc.Title == "" { // the title in the properties often comes from a program or template
		doc.Title = pdfTitle(opened.Document)
	}
	return doc.Err
}

// page is the text of a page, with the page's size in points.
type page struct {
	width, height float64
	spans         []span
	// failed says that the page could not be read.
	failed bool
}

// readPages reads all pages at once, because only then the size of body text and
// the repeated headers show.
func readPages(file references.FPDF_DOCUMENT, limits document.Limits) ([]*page, error) {
	number, err := pdfium.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: file})
	if err != nil {
		return nil, errPDF(err)
	}
	if number.PageCount <= 0 {
		return nil, document.Damaged(knowledge.PDF, errors.New("no pages"))
	}
	if number.PageCount > limits.Pages {
		return nil, fault.New(fault.TooLarge, "This PDF has more than %s. Split it, and add its parts.", document.Count(limits.Pages, "page"))
	}
	var pages []*page
	form := &formReader{file: file}
	size, unread := 0, error(nil)
	for i := range number.PageCount {
		p, err := readPage(form, i)
		if err != nil {
			unread = err
			p = &page{failed: true} // other pages may be intact
		}
		pages = append(pages, p)
		for _, s := range p.spans {
			size += len(s.text)
		}
		if size > 2*limits.Markdown {
			return nil, fault.New(fault.TooLarge, "The text of this PDF is larger than %s. Split it, and add its parts.", size64(limits.Markdown))
		}
	}
	if size == 0 && unread != nil {
		return nil, errPDF(unread)
	}
	return pages, nil
}

func size64(n int) string { return document.Size(int64(n)) }

func readPage(form *formReader, index int) (*page, error) {
	file := form.file
	at := requests.Page{ByIndex: &requests.PageByIndex{Document: file, Index: index}}
	p := &page{}
	if size, err := pdfium.FPDF_GetPageSizeByIndex(&requests.FPDF_GetPageSizeByIndex{Document: file, Index: index}); err == nil {
		p.width, p.height = size.Width, size.Height
	}
	turned := enums.FPDF_PAGE_ROTATION_NONE
	if rotation, err := pdfium.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: at}); err == nil {
		turned = rotation.PageRotation
	}
	filled, draw := form.read(at)
	if draw {
		var leave func()
		at, leave = drawn(file, index, at)
		defer leave()
	}
	words, err := readWords(at)
	if err != nil {
		return nil, err
	}
	for i := range words {
		words[i] = words[i].turn(turned, p.width, p.height)
	}
	for i := range filled {
		filled[i].box = filled[i].box.turn(turned, p.width, p.height)
	}
	words = withFilled(words, filled)
	if p.spans = upright(words); len(p.spans) > 0 && !p.spans[0].turned && readsFromRight(p.spans) {
		fromRight(p.spans, p.width)
	}
	return p, nil
}

// legible returns a failure for a PDF whose text is missing or unreadable.
func legible(pages []*page) error {
	letters, odd := 0, 0
	for _, p := range pages {
		for _, s := range p.spans {
			for _, r := range s.text {
				switch {
				case unicode.IsLetter(r) || unicode.IsNumber(r):
					letters++
				case r == unicode.ReplacementChar || unicode.Is(unicode.Co, r):
					odd++
				}
			}
		}
	}
	switch {
	case letters+odd == 0:
		return fault.New(fault.Invalid, "This PDF is a scan without text. Run text recognition (OCR) on it, and add it again.")
	case odd > letters:
		return fault.New(fault.Invalid, "Parley cannot read the text of this PDF: its fonts do not say which letters they show. Run text recognition (OCR) on it, and add it again.")
	}
	return nil
}

// errPDF distinguishes a crashed reader from a damaged file.
func errPDF(cause error) error {
	if strings.Contains(cause.Error(), "wasm error") || strings.Contains(cause.Error(), "panic") {
		if strings.Contains(cause.Error(), "memory") {
			return document.OutOfMemory(nil)
		}
		return document.Stopped(errors.New("the PDF reader trapped"))
	}
	return document.Damaged(knowledge.PDF, cause)
}

// pdfTitle returns the title in a file's properties, unless it is a file's name.
func pdfTitle(file references.FPDF_DOCUMENT) string {
	found, err := pdfium.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: file, Tag: "Title"})
	if err != nil {
		return ""
	}
	title := document.Line(found.Value)
	if strings.HasPrefix(title, "Microsoft ") || strings.EqualFold(title, "untitled") || document.KindOfName(title) != "" || strings.HasSuffix(title, ".doc") {
		return ""
	}
	return title
}
