package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/extract/document"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// filled is a text that is not part of a page but shown on it: what somebody typed or chose
// in a form, or wrote over the page.
type filled struct {
	box  span
	text string
	// drawn says that the file has an appearance of it, which may say it otherwise, such
	// as an amount with its currency. The text counts if that shows nothing.
	drawn bool
}

// formReader reads the fields and annotations of a PDF (ISO 32000-1, sections 12.5 and 12.7).
type formReader struct {
	file references.FPDF_DOCUMENT
	// handle is pdfium's of the form, empty until a page has a field.
	handle references.FPDF_FORMHANDLE
}

// read returns what is shown on a page and is not part of it, and whether more of it has to be
// drawn on the page to be read.
func (f *formReader) read(at requests.Page) (all []filled, draw bool) {
	number, err := pdfium.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: at})
	if err != nil || number.Count == 0 {
		return nil, false
	}
	a := &annotation{form: f, at: at}
	defer a.leave()
	for i := range number.Count {
		found, err := pdfium.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: at, Index: i})
		if err != nil {
			continue // others may be intact
		}
		a.id = found.Annotation
		text, drawn := a.read()
		for _, each := range text {
			each.box, each.drawn = a.box(each.box), drawn
			all = append(all, each)
		}
		draw = draw || drawn
		_, _ = pdfium.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: a.id})
	}
	return all, draw
}

// annotation is one of a page that is being read.
type annotation struct {
	form *formReader
	at   requests.Page
	id   references.FPDF_ANNOTATION
	// entered says that pdfium has read the page's fields.
	entered bool
	flags   enums.FPDF_ANNOT_FLAG
}

// read returns the text of an annotation, if it has one, and whether its appearance is to be
// read.
func (a *annotation) read() (text []filled, drawn bool) {
	flags, err := pdfium.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: a.id})
	if err != nil {
		return nil, false
	}
	a.flags = flags.Flags
	if a.flags&(enums.FPDF_ANNOT_FLAG_HIDDEN|enums.FPDF_ANNOT_FLAG_NOVIEW) != 0 {
		a.hide()
		return nil, false
	}
	kind, err := pdfium.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: a.id})
	if err != nil {
		return nil, false
	}
	switch kind.Subtype {
	case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
		return a.field()
	case enums.FPDF_ANNOT_SUBTYPE_FREETEXT:
		return []filled{{text: a.text("Contents")}}, a.has("AP")
	case enums.FPDF_ANNOT_SUBTYPE_STAMP, enums.FPDF_ANNOT_SUBTYPE_WATERMARK, enums.FPDF_ANNOT_SUBTYPE_LINE,
		enums.FPDF_ANNOT_SUBTYPE_SQUARE, enums.FPDF_ANNOT_SUBTYPE_CIRCLE, enums.FPDF_ANNOT_SUBTYPE_POLYGON:
		return nil, a.has("AP")
	}
	return nil, false
}

// hiddenInput is the flag of a field for passwords.
const hiddenInput = 1 << 13

// field returns what a field of a form shows.
func (a *annotation) field() (text []filled, drawn bool) {
	form, ok := a.enter()
	if !ok {
		return a.stray()
	}
	kind, err := pdfium.FPDFAnnot_GetFormFieldType(&requests.FPDFAnnot_GetFormFieldType{FormHandle: form, Annotation: a.id})
	if err != nil {
		return a.stray()
	}
	switch kind.FormFieldType {
	case enums.FPDF_FORMFIELD_TYPE_TEXTFIELD:
		if flags, err := pdfium.FPDFAnnot_GetFormFieldFlags(&requests.FPDFAnnot_GetFormFieldFlags{FormHandle: form, Annotation: a.id}); err == nil && flags.Flags&hiddenInput != 0 {
			a.hide()
			return nil, false
		}
		typed := []filled{{text: a.value(form)}}
		if a.has("AP") && (strings.TrimSpace(typed[0].text) == "" || a.isFormatted(form)) {
			return typed, true
		}
		a.hide()
		return typed, false
	case enums.FPDF_FORMFIELD_TYPE_COMBOBOX:
		chosen := a.chosen(form)
		if chosen == "" {
			chosen = a.value(form)
		}
		a.hide()
		return []filled{{text: chosen}}, false
	case enums.FPDF_FORMFIELD_TYPE_LISTBOX:
		a.hide()
		return []filled{{text: a.options(form)}}, false
	case enums.FPDF_FORMFIELD_TYPE_CHECKBOX, enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON:
		a.hide()
		is, err := pdfium.FPDFAnnot_IsChecked(&requests.FPDFAnnot_IsChecked{FormHandle: form, Annotation: a.id})
		if err != nil {
			return nil, false
		}
		return []filled{{text: box(is.IsChecked)}}, false
	case enums.FPDF_FORMFIELD_TYPE_PUSHBUTTON, enums.FPDF_FORMFIELD_TYPE_SIGNATURE:
		return nil, a.has("AP")
	}
	return a.stray()
}

// stray returns what a field shows that the form does not know.
func (a *annotation) stray() (text []filled, drawn bool) {
	flags, err := pdfium.FPDFAnnot_GetNumberValue(&requests.FPDFAnnot_GetNumberValue{Annotation: a.id, Key: "Ff"})
	if err == nil && int(flags.Value)&hiddenInput != 0 {
		a.hide()
		return nil, false
	}
	return []filled{{text: a.text("V")}}, a.has("AP")
}

// box returns a box that is checked, or one that is not.
func box(checked bool) string {
	if checked {
		return "☑"
	}
	return "☐"
}

// enter has pdfium read the fields of the page.
func (a *annotation) enter() (references.FPDF_FORMHANDLE, bool) {
	if a.form.handle == "" {
		opened, err := pdfium.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{Document: a.form.file, FormFillInfo: nobody})
		if err != nil {
			return "", false
		}
		a.form.handle = opened.FormHandle
	}
	if !a.entered {
		_, err := pdfium.FORM_OnAfterLoadPage(&requests.FORM_OnAfterLoadPage{Page: a.at, FormHandle: a.form.handle})
		if err != nil {
			return "", false
		}
		a.entered = true
	}
	return a.form.handle, true
}

func (a *annotation) leave() {
	if a.entered {
		_, _ = pdfium.FORM_OnBeforeClosePage(&requests.FORM_OnBeforeClosePage{Page: a.at, FormHandle: a.form.handle})
	}
}

// nobody fills a form in: pdfium asks for what a person at a screen would do.
var nobody = structs.FPDF_FORMFILLINFO{
	FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
	FFI_SetCursor:          func(enums.FXCT) {},
	FFI_SetTimer:           func(int, func(int)) int { return 0 },
	FFI_KillTimer:          func(int) {},
	FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} },
	FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
	FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return enums.FPDF_PAGE_ROTATION_NONE },
	FFI_ExecuteNamedAction: func(string) {},
}

// hide keeps the appearance from being read.
func (a *annotation) hide() {
	_, _ = pdfium.FPDFAnnot_SetFlags(&requests.FPDFAnnot_SetFlags{Annotation: a.id, Flags: a.flags | enums.FPDF_ANNOT_FLAG_HIDDEN})
}

func (a *annotation) has(key string) bool {
	found, err := pdfium.FPDFAnnot_HasKey(&requests.FPDFAnnot_HasKey{Annotation: a.id, Key: key})
	return err == nil && found.HasKey
}

func (a *annotation) text(key string) string {
	found, err := pdfium.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: a.id, Key: key})
	if err != nil {
		return ""
	}
	return found.Value
}

func (a *annotation) value(form references.FPDF_FORMHANDLE) string {
	found, err := pdfium.FPDFAnnot_GetFormFieldValue(&requests.FPDFAnnot_GetFormFieldValue{FormHandle: form, Annotation: a.id})
	if err != nil {
		return ""
	}
	return found.FormFieldValue
}

// isFormatted reports whether a script decides how the value of a field is shown.
func (a *annotation) isFormatted(form references.FPDF_FORMHANDLE) bool {
	script, err := pdfium.FPDFAnnot_GetFormAdditionalActionJavaScript(&requests.FPDFAnnot_GetFormAdditionalActionJavaScript{
		FormHandle: form, Annotation: a.id, Event: enums.FPDF_ANNOT_AACTION_FORMAT,
	})
	return err == nil && script.FormAdditionalActionJavaScript != ""
}

// maxOptions is how many options of a field are looked at.
const maxOptions = 2_000

// each calls a function for each option of a field.
func (a *annotation) each(form references.FPDF_FORMHANDLE, do func(label string, isChosen bool)) {
	number, err := pdfium.FPDFAnnot_GetOptionCount(&requests.FPDFAnnot_GetOptionCount{FormHandle: form, Annotation: a.id})
	if err != nil {
		return
	}
	for i := range min(number.OptionCount, maxOptions) {
		label, err := pdfium.FPDFAnnot_GetOptionLabel(&requests.FPDFAnnot_GetOptionLabel{FormHandle: form, Annotation: a.id, Index: i})
		if err != nil {
			continue
		}
		is, err := pdfium.FPDFAnnot_IsOptionSelected(&requests.FPDFAnnot_IsOptionSelected{FormHandle: form, Annotation: a.id, Index: i})
		do(label.OptionLabel, err == nil && is.IsOptionSelected)
	}
}

// chosen returns the option that is chosen, as people read it.
func (a *annotation) chosen(form references.FPDF_FORMHANDLE) (chosen string) {
	a.each(form, func(label string, isChosen bool) {
		if isChosen && chosen == "" {
			chosen = label
		}
	})
	return chosen
}

// options returns the options of a list, a line each.
func (a *annotation) options(form references.FPDF_FORMHANDLE) string {
	var lines []string
	a.each(form, func(label string, isChosen bool) { lines = append(lines, box(isChosen)+" "+label) })
	return strings.Join(lines, "\n")
}

// box returns where the annotation is.
func (a *annotation) box(at span) span {
	found, err := pdfium.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: a.id})
	if err != nil {
		return at
	}
	r := found.Rect
	at.left, at.right = float64(min(r.Left, r.Right)), float64(max(r.Left, r.Right))
	at.bottom, at.top = float64(min(r.Bottom, r.Top)), float64(max(r.Bottom, r.Top))
	return at
}

// drawn makes annotations a part of a page, and returns the page and how to close it.
func drawn(file references.FPDF_DOCUMENT, index int, at requests.Page) (requests.Page, func()) {
	if _, err := pdfium.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: at, Usage: requests.FPDFPage_FlattenUsageNormalDisplay}); err != nil {
		return at, func() {}
	}
	again, err := pdfium.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: file, Index: index}) // with what was added
	if err != nil {
		return at, func() {}
	}
	return requests.Page{ByReference: &again.Page}, func() { _, _ = pdfium.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: again.Page}) }
}

// withFilled adds what was filled in to the words of a page, in the size of most of its
// letters.
func withFilled(words []span, all []filled) []span {
	size := usualSize(words)
	for _, f := range all {
		if !finite(f.box.left, f.box.right, f.box.top, f.box.bottom) || f.drawn && shows(words, f.box) {
			continue
		}
		words = append(words, f.lines(size)...)
	}
	return words
}

// usualSize returns the size of most letters.
func usualSize(words []span) float64 {
	letters := map[float64]int{}
	usual := 10.0
	for _, s := range words {
		size := half(s.size)
		letters[size] += utf8.RuneCountInString(s.text)
		if n := letters[size]; n > letters[usual] || n == letters[usual] && size < usual {
			usual = size
		}
	}
	return usual
}

// shows reports whether a box shows a letter or a digit.
func shows(words []span, box span) bool {
	for _, s := range words {
		x, y := (s.left+s.right)/2, (s.top+s.bottom)/2
		if x > box.left && x < box.right && y > box.bottom && y < box.top &&
			strings.ContainsFunc(s.text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			return true
		}
	}
	return false
}

// lines returns the lines of a text in its box: a single one in the middle, more from the top.
func (f filled) lines(size float64) (lines []span) {
	var texts []string
	for text := range strings.Lines(document.Clean(f.text)) {
		if text = document.Line(text); text != "" {
			texts = append(texts, text)
		}
	}
	height := f.box.top - f.box.bottom
	step := 1.2 * size
	if n := float64(len(texts)); n*step > height && height > 0 {
		step = height / n
	}
	top := f.box.top
	if len(texts) == 1 && height < 3*size {
		top -= (height - size) / 2
	}
	for _, text := range texts {
		width := math.Max(1, math.Min(f.box.right-f.box.left, 0.5*size*float64(utf8.RuneCountInString(text))))
		lines = append(lines, span{
			left: f.box.left, right: f.box.left + width, top: top, bottom: top - math.Min(size, step),
			size: size, text: text, glyphs: text,
		})
		top -= step
	}
	return lines
}
