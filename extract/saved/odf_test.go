package saved_test

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"parley/extract/extracttest"
)

const odfHead = `<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:presentation="urn:oasis:names:tc:opendocument:xmlns:presentation:1.0" office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.%s">`

const odfStyles = `<office:automatic-styles>
<style:style style:name="F1" style:family="text"><style:text-properties fo:font-weight="bold"/></style:style>
<style:style style:name="F2" style:family="text"><style:text-properties fo:font-style="italic"/></style:style>
<style:style style:name="F3" style:family="text"><style:text-properties style:text-line-through-style="solid" style:text-line-through-type="single"/></style:style>
<style:style style:name="F4" style:family="text"><style:text-properties style:text-position="super 58%"/></style:style>
<style:style style:name="F5" style:family="text"><style:text-properties style:text-position="sub 58%"/></style:style>
<text:list-style style:name="Lfalse">` + bullets + `</text:list-style>
<text:list-style style:name="Ltrue">` + numbers + `</text:list-style>
<number:number-style style:name="N1"><number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:number-style>
<number:percentage-style style:name="N2"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>
<number:currency-style style:name="N3"><number:currency-symbol number:language="en" number:country="GB">£</number:currency-symbol><number:number number:decimal-places="2" number:min-integer-digits="1" number:grouping="true"/></number:currency-style>
<number:date-style style:name="N4"><number:year number:style="long"/><number:text>-</number:text><number:month number:style="long"/><number:text>-</number:text><number:day number:style="long"/></number:date-style>
<style:style style:name="C1" style:family="table-cell" style:data-style-name="N1"/>
<style:style style:name="C2" style:family="table-cell" style:data-style-name="N2"/>
<style:style style:name="C3" style:family="table-cell" style:data-style-name="N3"/>
<style:style style:name="C4" style:family="table-cell" style:data-style-name="N4"/>
<style:page-layout style:name="PL"><style:page-layout-properties fo:page-width="28cm" fo:page-height="21cm"/></style:page-layout>
</office:automatic-styles><office:master-styles>`

const (
	bullets = `<text:list-level-style-bullet text:level="1" text:bullet-char="•"/><text:list-level-style-bullet text:level="2" text:bullet-char="–"/><text:list-level-style-bullet text:level="3" text:bullet-char="•"/><text:list-level-style-bullet text:level="4" text:bullet-char="•"/>`
	numbers = `<text:list-level-style-number text:level="1" style:num-suffix="." style:num-format="1"/><text:list-level-style-number text:level="2" style:num-suffix=")" style:num-format="a"/><text:list-level-style-number text:level="3" style:num-suffix="." style:num-format="i"/><text:list-level-style-number text:level="4" style:num-suffix="." style:num-format="1"/>`
)

func textDocument(d extracttest.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, odfHead, "text")
	b.WriteString(odfStyles + `</office:master-styles><office:body><office:text>`)
	o := &odf{notes: true}
	for _, block := range d {
		switch block.Kind {
		case extracttest.Heading:
			fmt.Fprintf(&b, `<text:h text:outline-level="%d">%s</text:h>`, block.Level, o.spans(block.Paragraph))
		case extracttest.Item:
			b.WriteString(o.item(block))
		case extracttest.Table:
			b.WriteString(o.table(block))
		default:
			fmt.Fprintf(&b, `<text:p>%s</text:p>`, o.spans(block.Paragraph))
		}
	}
	return b.String() + `</office:text></office:body></office:document>`
}

// odf writes parts of documents, with notes if the format has them.
type odf struct {
	notes   bool
	written int
}

func (o *odf) item(block extracttest.Block) string {
	return fmt.Sprintf(`<text:list text:style-name="L%v">`, block.Ordered) + strings.Repeat(`<text:list-item><text:list>`, block.Level-1) +
		`<text:list-item><text:p>` + o.spans(block.Paragraph) + `</text:p></text:list-item>` +
		strings.Repeat(`</text:list></text:list-item>`, block.Level-1) + `</text:list>`
}

func (o *odf) table(block extracttest.Block) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<table:table><table:table-column table:number-columns-repeated="%d"/>`, block.Columns)
	covered := false
	for _, row := range block.Rows {
		b.WriteString(`<table:table-row>`)
		if covered {
			b.WriteString(`<table:covered-table-cell/>`)
		}
		covered = false
		for _, cell := range row {
			covered = covered || cell.Rows > 1
			fmt.Fprintf(&b, `<table:table-cell office:value-type="string" table:number-columns-spanned="%d" table:number-rows-spanned="%d"><text:p>%s</text:p></table:table-cell>`, cell.Columns, cell.Rows, o.spans(cell.Paragraph))
			b.WriteString(strings.Repeat(`<table:covered-table-cell/>`, cell.Columns-1))
		}
		b.WriteString(`</table:table-row>`)
	}
	return b.String() + `</table:table>`
}

func (o *odf) spans(p extracttest.Paragraph) string {
	var b strings.Builder
	for _, span := range p.Spans {
		text := html.EscapeString(span.Text)
		text = spaces.ReplaceAllString(text, "<text:s/>")
		switch span.Form {
		case extracttest.Regular:
			b.WriteString(text)
		case extracttest.Link:
			b.WriteString(`<text:a xlink:type="simple" xlink:href="` + extracttest.Address + `x">` + text + `</text:a>`)
		default:
			fmt.Fprintf(&b, `<text:span text:style-name="F%d">%s</text:span>`, span.Form, text)
		}
	}
	if o.notes && p.Note != nil {
		o.written++
		fmt.Fprintf(&b, `<text:note text:id="n%d" text:note-class="%s"><text:note-citation>%[1]d</text:note-citation><text:note-body><text:p>%[3]s</text:p></text:note-body></text:note>`,
			o.written, []string{"footnote", "endnote"}[o.written%2], o.spans(*p.Note))
	}
	return b.String()
}

// spaces are those that a document does not keep otherwise.
var spaces = regexp.MustCompile(`^ | $`)

// figures are cells as a spreadsheet keeps and shows them.
var figures = []struct{ attributes, shown string }{
	{`office:value-type="float" office:value="1234.5" table:style-name="C1"`, "1,234.50"},
	{`office:value-type="percentage" office:value="0.195" table:style-name="C2"`, "19.5%"},
	{`office:value-type="currency" office:currency="GBP" office:value="-1050" table:style-name="C3"`, "£1,050.00"},
	{`office:value-type="date" office:date-value="2026-11-28" table:style-name="C4"`, "2026-11-28"},
	{`office:value-type="float" office:value="0.1"`, "0.1"},
	{`office:value-type="float" office:value="4930123456"`, "4930123456"},
	{`office:value-type="string" office:string-value="summary" table:formula="of:=&quot;sum&quot;&amp;&quot;mary&quot;"`, "summary"},
	{`office:value-type="float" office:value="3" table:formula="of:=1+2"`, "3"},
}

// sheet is a workbook of one sheet, and what it shows.
func sheet(d extracttest.Document) (content string, pieces, plain []string) {
	var b strings.Builder
	fmt.Fprintf(&b, odfHead, "spreadsheet")
	b.WriteString(odfStyles + `</office:master-styles><office:body><office:spreadsheet><table:table table:name="Prices">`)
	o := &odf{}
	add := func(p extracttest.Paragraph) {
		pieces = append(pieces, p.Text())
		if !p.IsRaised() {
			plain = append(plain, p.Text())
		}
	}
	for _, block := range d {
		if block.Kind != extracttest.Table {
			fmt.Fprintf(&b, `<table:table-row><table:table-cell office:value-type="string"><text:p>%s</text:p></table:table-cell></table:table-row>`, o.spans(block.Paragraph))
			add(block.Paragraph)
			continue
		}
		rows := o.table(block)
		b.WriteString(strings.TrimSuffix(rows[strings.Index(rows, "<table:table-row>"):], "</table:table>"))
		for _, row := range block.Rows {
			for _, cell := range row {
				add(cell.Paragraph)
			}
		}
	}
	b.WriteString(`<table:table-row>`)
	for _, figure := range figures {
		b.WriteString(`<table:table-cell ` + figure.attributes + `/>`)
		pieces, plain = append(pieces, figure.shown), append(plain, figure.shown)
	}
	return b.String() + `</table:table-row></table:table></office:spreadsheet></office:body></office:document>`, pieces, plain
}

// slides is a presentation: each heading begins a slide, and notes stand below the slide.
func slides(d extracttest.Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, odfHead, "presentation")
	b.WriteString(odfStyles + `<style:master-page style:name="Default" style:page-layout-name="PL"/></office:master-styles><office:body><office:presentation>`)
	o := &odf{}
	frame := func(class, content string) {
		fmt.Fprintf(&b, `<draw:frame presentation:class="%s" svg:x="1cm" svg:y="1cm" svg:width="20cm" svg:height="3cm"><draw:text-box>%s</draw:text-box></draw:frame>`, class, content)
	}
	for i, block := range d {
		fmt.Fprintf(&b, `<draw:page draw:name="page%d" draw:master-page-name="Default">`, i+1)
		switch block.Kind {
		case extracttest.Table:
			b.WriteString(`<draw:frame svg:x="1cm" svg:y="5cm" svg:width="20cm" svg:height="3cm">` + o.table(block) + `</draw:frame>`)
		case extracttest.Heading:
			frame("title", `<text:p>`+o.spans(block.Paragraph)+`</text:p>`)
		case extracttest.Item:
			frame("outline", o.item(block))
		default:
			frame("subtitle", `<text:p>`+o.spans(block.Paragraph)+`</text:p>`)
		}
		b.WriteString(`<presentation:notes><draw:page-thumbnail draw:page-number="1" svg:width="10cm" svg:height="8cm"/><draw:frame presentation:class="notes" svg:x="1cm" svg:y="10cm" svg:width="10cm" svg:height="10cm"><draw:text-box>`)
		for _, p := range (extracttest.Document{block}).Paragraphs() {
			if p.Note != nil {
				b.WriteString(`<text:p>` + o.spans(*p.Note) + `</text:p>`)
			}
		}
		b.WriteString(`</draw:text-box></draw:frame></presentation:notes></draw:page>`)
	}
	return b.String() + `</office:presentation></office:body></office:document>`
}
