package pdf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"parley/core/fault"
	"parley/extract/document"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// isXFA reports whether a PDF is a form that a program has to lay out (XFA 3.3): its pages ask
// people to wait, or for another program.
func isXFA(file references.FPDF_DOCUMENT) bool {
	found, err := pdfium.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: file})
	return err == nil && found.FormType == enums.FPDF_FORMTYPE_XFA_FULL
}

// readXFA writes the texts of such a form, with what was filled in, in the order of its template.
func readXFA(doc *document.Document, file references.FPDF_DOCUMENT) error {
	f := &xfa{doc: doc, values: map[string][]string{}}
	parts, err := packets(file)
	if err == nil {
		if err = eachElement(parts, f.collect); err == nil {
			err = eachElement(parts, f.write)
		}
	}
	if doc.Err == nil && doc.Text.Len() == 0 {
		return fault.Wrap(fault.Invalid, err, "This PDF is a form that only a few programs show (XFA). Open it in one of them, print it to a PDF, and add that.")
	}
	return doc.Err
}

// packets returns the parts of a form as one text.
func packets(file references.FPDF_DOCUMENT) ([]byte, error) {
	number, err := pdfium.FPDF_GetXFAPacketCount(&requests.FPDF_GetXFAPacketCount{Document: file})
	if err != nil {
		return nil, err
	}
	var all bytes.Buffer
	for i := range number.Count {
		name, err := pdfium.FPDF_GetXFAPacketName(&requests.FPDF_GetXFAPacketName{Document: file, Index: i})
		if err != nil {
			return nil, err
		}
		switch name.Name {
		case "", "preamble", "xdp:xdp", "postamble", "</xdp:xdp>", "template", "datasets":
		default:
			continue
		}
		part, err := pdfium.FPDF_GetXFAPacketContent(&requests.FPDF_GetXFAPacketContent{Document: file, Index: i})
		if err != nil {
			return nil, err
		}
		all.Write(part.Content)
	}
	return all.Bytes(), nil
}

// maxXFADepth is how deep the elements of a form may nest.
const maxXFADepth = 256

// xfaElement is an element and those that it stands in.
type xfaElement struct {
	path  []string
	attrs []xml.Attr
	// text is what stands in it, and leaf says that no element does.
	text strings.Builder
	leaf bool
}

func (e *xfaElement) attr(name string) string {
	for _, a := range e.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// in reports whether an element stands in another.
func (e *xfaElement) in(name string) bool { return slices.Contains(e.path, name) }

// eachElement calls a function at the start and the end of each element.
func eachElement(text []byte, do func(e *xfaElement, end bool)) error {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.Strict = false
	var open []*xfaElement
	var path []string
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if len(open) == maxXFADepth {
				return errors.New("the elements of the form nest too deep")
			}
			if n := len(open); n > 0 {
				open[n-1].leaf = false
			}
			path = append(path, t.Name.Local)
			e := &xfaElement{path: path, attrs: slices.Clone(t.Attr), leaf: true}
			open = append(open, e)
			do(e, false)
		case xml.EndElement:
			if n := len(open); n > 0 {
				do(open[n-1], true)
				open, path = open[:n-1], path[:n-1]
			}
		case xml.CharData:
			if n := len(open); n > 0 {
				open[n-1].text.Write(t)
			}
		}
	}
}

// xfa is a form that is being read.
type xfa struct {
	doc *document.Document
	// values are what was filled in, by the names of fields, in their order.
	values map[string][]string
	// group is the value of the group of fields of which one is chosen.
	group string
	// hidden counts the open elements that nobody sees.
	hidden int
	// caption and value are those of the field, labels and saved its options, and box
	// says that it is one to be checked.
	caption, value string
	labels, saved  []string
	box, saves     bool
}

// collect keeps what was filled in.
func (f *xfa) collect(e *xfaElement, end bool) {
	if end && e.leaf && e.in("datasets") {
		name := e.path[len(e.path)-1]
		f.values[name] = append(f.values[name], e.text.String())
	}
}

// next returns the next value of a field.
func (f *xfa) next(name string) (value string, ok bool) {
	values := f.values[name]
	if name == "" || len(values) == 0 {
		return "", false
	}
	f.values[name] = values[1:]
	return values[0], true
}

// write writes what the template shows.
func (f *xfa) write(e *xfaElement, end bool) {
	name := e.path[len(e.path)-1]
	if !e.in("template") {
		return
	}
	if slices.Contains([]string{"hidden", "invisible", "inactive"}, e.attr("presence")) {
		if end {
			defer func() { f.hidden-- }()
		} else {
			f.hidden++
		}
	}
	isField := name == "field" || name == "draw"
	switch {
	case !end && name == "exclGroup":
		f.group, _ = f.next(e.attr("name"))
	case !end && isField:
		f.caption, f.value, f.labels, f.saved, f.box = "", "", nil, nil, false
	case !end && name == "items":
		f.saves = e.attr("save") == "1"
	case end && name == "exclGroup":
		f.group = ""
	case end && isField:
		f.field(e)
	case !end || !e.in("field") && !e.in("draw"):
	case name == "checkButton":
		f.box = true
	case e.in("items") && name != "items" && f.saves:
		f.saved = append(f.saved, e.text.String())
	case e.in("items") && name != "items":
		f.labels = append(f.labels, e.text.String())
	case e.in("caption"):
		f.caption += " " + e.text.String()
	case e.in("value"):
		f.value += " " + e.text.String()
	}
}

// field writes a field with its value.
func (f *xfa) field(e *xfaElement) {
	if filled, ok := f.next(e.attr("name")); ok {
		f.value = filled
	}
	f.value = strings.TrimSpace(f.value)
	switch {
	case f.hidden > 0:
		return
	case f.box:
		on := append(slices.Concat(f.saved, f.labels), "1")[0]
		f.value = box(f.value == on || f.group != "" && f.group == on)
		f.caption, f.value = f.value, f.caption
	default:
		if i := slices.Index(f.saved, f.value); i >= 0 && i < len(f.labels) {
			f.value = f.labels[i]
		}
	}
	f.doc.Block(document.Escape(document.Line(f.caption + " " + f.value)))
}
