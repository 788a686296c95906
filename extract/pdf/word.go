package pdf

import (
	"math"
	"strings"
	"unicode"

	"parley/extract/document"
	"parley/text/writing"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// hyphen is how pdfium marks a hyphen at the end of a line.
const hyphen = '\x02'

// readWords returns the words of a page with their boxes, in drawing order.
// pdfium finds the spaces between words and maps glyphs to letters. The boxes of
// its first and last letters give a word's box, because each call into
// WebAssembly takes microseconds. On lines with letters from right to left, every letter's
// box does.
func readWords(at requests.Page) ([]span, error) {
	loaded, err := pdfium.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: at})
	if err != nil {
		return nil, err
	}
	w := &wordReader{page: loaded.TextPage}
	defer func() { _, _ = pdfium.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: w.page}) }()
	number, err := pdfium.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: w.page})
	if err != nil {
		return nil, err
	}
	w.letters = make([]rune, number.Count)
	for i := range w.letters {
		letter, err := pdfium.FPDFText_GetUnicode(&requests.FPDFText_GetUnicode{TextPage: w.page, Index: i})
		if err != nil {
			return nil, err
		}
		w.letters[i] = rune(letter.Unicode)
	}
	for start := 0; start < len(w.letters); {
		end := start
		for end < len(w.letters) && w.letters[end] != '\r' && w.letters[end] != '\n' {
			end++
		}
		if err := w.row(start, end); err != nil {
			return nil, err
		}
		w.line = true
		start = end + 1
	}
	return w.words, nil
}

// row reads a line of the page.
func (w *wordReader) row(start, end int) error {
	if n, _ := writing.RightToLeft(string(w.letters[start:end])); n > 0 {
		if done, err := w.mixed(start, end); done || err != nil {
			return err
		}
	}
	for i := start; i < end; i++ {
		if err := w.letter(i, w.letters[i]); err != nil {
			return err
		}
	}
	return w.end()
}

// wordReader assembles words from letters.
type wordReader struct {
	page references.FPDF_TEXTPAGE
	// letters are the page's.
	letters []rune
	words   []span
	// text is the current word, whose letters run from first to last.
	text        strings.Builder
	first, last int
	// line says that the next word starts a line; its letters are checked more
	// closely.
	line bool
	// given is the size in the file, size the displayed one, and above how far
	// the letters rise above the lower edge of their boxes.
	given, size, above float64
	bold, turned       bool
	// upsideDown says that the letters run from right to left in the file's
	// coordinates, on a page that is turned by half.
	upsideDown bool
}

func (w *wordReader) letter(i int, r rune) error {
	switch {
	case r == hyphen || r == 0xfffe:
		// The word continues on the next line.
		w.text.WriteByte('-')
		w.last = max(w.first, i-1)
		w.line = true
		return w.end()
	case r == 0 || unicode.IsControl(r):
		return nil
	case unicode.IsSpace(r):
		return w.end()
	}
	if w.text.Len() == 0 {
		w.first = i
	}
	w.last = i
	w.text.WriteRune(r)
	return nil
}

// end completes the current word, if there is one.
func (w *wordReader) end() error {
	text := document.Line(w.text.String())
	w.text.Reset()
	if text == "" {
		return nil
	}
	s, err := w.box(w.first)
	if err != nil {
		return err
	}
	if w.last > w.first {
		last, err := w.box(w.last)
		if err != nil {
			return err
		}
		s.left, s.right = min(s.left, last.left), max(s.right, last.right)
		s.bottom, s.top = min(s.bottom, last.bottom), max(s.top, last.top)
	}
	s.text = text
	return w.add(s)
}

// add adds a word whose text and box are known.
func (w *wordReader) add(s span) error {
	if err := w.font(s); err != nil {
		return err
	}
	s.size, s.bold, s.turned = w.size, w.bold, w.turned
	if !s.turned {
		base := s.bottom + w.above
		s.bottom, s.top = base-0.2*w.size, base+0.8*w.size
	}
	if finite(s.left, s.right, s.top, s.bottom) && s.size > 0.5 {
		w.words = append(w.words, s)
	}
	return nil
}

// box returns a letter's box. Its height is the font's, unscaled.
func (w *wordReader) box(i int) (span, error) {
	box, err := pdfium.FPDFText_GetLooseCharBox(&requests.FPDFText_GetLooseCharBox{TextPage: w.page, Index: i})
	if err != nil {
		return span{}, err
	}
	r := box.Rect
	return span{
		left: float64(min(r.Left, r.Right)), right: float64(max(r.Left, r.Right)),
		top: float64(max(r.Top, r.Bottom)), bottom: float64(min(r.Top, r.Bottom)),
	}, nil
}

// font sets the size and weight of the current word. It looks up the size in the
// file for each word, but the rest only once a line, when the size changes, and
// occasionally.
func (w *wordReader) font(box span) error {
	given, err := pdfium.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: w.page, Index: w.first})
	if err != nil {
		return err
	}
	if !w.line && w.given == given.FontSize && len(w.words)%8 != 0 {
		return nil
	}
	w.line, w.given, w.size, w.above, w.turned = false, given.FontSize, given.FontSize, 0.2*given.FontSize, false
	if m, err := pdfium.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: w.page, Index: w.first}); err == nil {
		// Many programs write all letters in one size and scale them.
		w.size *= math.Hypot(float64(m.Matrix.C), float64(m.Matrix.D))
		w.turned = math.Abs(float64(m.Matrix.B)) > math.Abs(float64(m.Matrix.A))
		w.upsideDown = m.Matrix.A < 0 && m.Matrix.D < 0
	}
	if at, err := pdfium.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: w.page, Index: w.first}); err == nil {
		w.above = at.Y - box.bottom
	}
	w.bold = false
	if info, err := pdfium.FPDFText_GetFontInfo(&requests.FPDFText_GetFontInfo{TextPage: w.page, Index: w.first}); err == nil {
		name := strings.ToLower(info.FontName)
		w.bold = strings.Contains(name, "bold") || strings.Contains(name, "black") || strings.Contains(name, "heavy")
	}
	return nil
}
