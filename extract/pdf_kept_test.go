package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"parley/core/knowledge"
)

// placed is a text at a place of a page, as it is seen from left to right.
type placed struct {
	x, y float64
	text string
}

// seenPDF is a PDF of one page whose font knows any letters.
func seenPDF(texts ...placed) pdfFile {
	codes, bfchars := map[string]int{}, ""
	var content strings.Builder
	for _, t := range texts {
		fmt.Fprintf(&content, "BT /F 12 Tf 1 0 0 1 %g %g Tm <", t.x, t.y)
		for _, r := range t.text {
			letters := string(r)
			if r == 'ﻻ' { // a glyph that the file calls by two letters
				letters = "لا"
			}
			code, ok := codes[letters]
			if !ok {
				code = 33 + len(codes)
				codes[letters] = code
				hex := ""
				for _, unit := range utf16.Encode([]rune(letters)) {
					hex += fmt.Sprintf("%04X", unit)
				}
				bfchars += fmt.Sprintf("<%02X> <%s>\n", code, hex)
			}
			fmt.Fprintf(&content, "%02X", code)
		}
		content.WriteString("> Tj ET\n")
	}
	var widths, names strings.Builder
	for range len(codes) {
		widths.WriteString("600 ")
		names.WriteString("/A ")
	}
	cmap := fmt.Sprintf("/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <FF> endcodespacerange %d beginbfchar\n%sendbfchar endcmap end end", len(codes), bfchars)
	return pdfFile{pages: []string{content.String()}, extra: map[int]string{
		3:   fmt.Sprintf("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 33 /LastChar %d /Widths [%s] /ToUnicode 950 0 R /Encoding << /Type /Encoding /Differences [33 %s] >> >>", 32+len(codes), widths.String(), names.String()),
		950: stream("", cmap),
	}}
}

// formPDF is a page with texts in Helvetica and annotations; those that are fields belong to
// a form, with more entries.
func formPDF(content, more string, annotations ...string) []byte {
	f := pdfFile{pages: []string{content}, extra: map[int]string{}}
	var all, fields []string
	for i, a := range annotations {
		n := 100 + i
		f.extra[n] = "<< /Type /Annot /F 4 " + a + " >>"
		all = append(all, fmt.Sprintf("%d 0 R", n))
		if strings.Contains(a, "/Widget") {
			fields = append(fields, fmt.Sprintf("%d 0 R", n))
		}
	}
	f.extra[1] = fmt.Sprintf("<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [%s] /DA (/F 0 Tf 0 g) /DR << /Font << /F 3 0 R >> >> %s >> >>", strings.Join(fields, " "), more)
	f.extra[5] = fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 6 0 R /Annots [%s] /Resources << /Font << /F 3 0 R /B 4 0 R >> >> >>", strings.Join(all, " "))
	// Appearances: what a script made of a value, and what a stamp says.
	f.extra[200] = stream("/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F 3 0 R >> >>", "BT /F 12 Tf 2 5 Td (1.250,00 EUR) Tj ET")
	f.extra[201] = stream("/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F 3 0 R >> >>", "BT /F 12 Tf 2 5 Td (PAID 7 May) Tj ET")
	f.extra[202] = stream("/Type /XObject /Subtype /Form /BBox [0 0 200 20]", "0 0 200 20 re S")
	return f.bytes()
}

// xfaPDF is a form whose page asks people to wait.
func xfaPDF(template, datasets string) []byte {
	return pdfFile{pages: []string{text(50, 700, 12, "F", "Please wait...")}, extra: map[int]string{
		1:   "<< /Type /Catalog /Pages 2 0 R /NeedsRendering true /AcroForm << /Fields [] /XFA [(preamble) 300 0 R (template) 301 0 R (datasets) 302 0 R (postamble) 303 0 R] >> >>",
		300: stream("", `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/">`), 301: stream("", template), 302: stream("", datasets), 303: stream("", "</xdp:xdp>"),
	}}.bytes()
}

const rect = " /Rect [200 695 400 715] "

func widget(more string) string { return "/Subtype /Widget" + rect + more }

// reversed is a line as it is seen whose letters all run from right to left.
func reversed(line string) string {
	letters := []rune(line)
	slices.Reverse(letters)
	return string(letters)
}

// oneByOne are the letters of a line, each drawn at its place, the first at the right.
func oneByOne(line string) (texts []placed) {
	x := 500.0
	for _, r := range line {
		if r != ' ' {
			texts = append(texts, placed{x, 780, string(r)})
		}
		x -= 7.2
	}
	return texts
}

// turnedForm is a page in landscape whose text runs upward.
func turnedForm() []byte {
	f := pdfFile{pages: []string{"BT /F 12 Tf 0 1 -1 0 300 50 Tm (Label:) Tj ET\n"}, extra: map[int]string{
		1:   "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [100 0 R] >> >>",
		5:   "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate 90 /Contents 6 0 R /Annots [100 0 R] /Resources << /Font << /F 3 0 R >> >> >>",
		100: "<< /Type /Annot /F 4 /Subtype /Widget /Rect [287 95 303 295] /FT /Tx /T (a) /V (Ada Example) /MK << /R 90 >> >>",
	}}
	return f.bytes()
}

// upsideDown is a page that is turned by half, and so is its text.
func upsideDown() []byte {
	f := seenPDF(placed{60, 780, reversed("לכולם") + " Google Play " + reversed("שלום")})
	f.pages[0] = strings.Replace(f.pages[0], "1 0 0 1 60 780 Tm", "-1 0 0 -1 500 60 Tm", 1)
	f.extra[5] = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Rotate 180 /Contents 6 0 R /Resources << /Font << /F 3 0 R >> >> >>"
	return f.bytes()
}

// columns are a page of prose in two columns.
func columns() (texts []placed) {
	for i := range 4 {
		y := 700 - 15*float64(i)
		texts = append(texts, placed{320, y, reversed("ימין אחת שתיים שלוש ארבע חמש סוף")}, placed{40, y, reversed("שמאל אחת שתיים שלוש ארבע חמש סוף")})
	}
	return texts
}

func TestKeptOfPDF(t *testing.T) {
	label := text(50, 700, 12, "F", "Label:")
	seen := func(lines ...string) []byte {
		var texts []placed
		for i, line := range lines {
			texts = append(texts, placed{60, 780 - 30*float64(i), line})
		}
		return seenPDF(texts...).bytes()
	}
	for _, test := range []struct {
		name string
		body []byte
		want []string
		not  []string
	}{
		{"a value without an appearance is read", formPDF(label, "", widget("/FT /Tx /T (a) /V (Ada Example)")), []string{"Label: Ada Example"}, nil},
		{"so it is where the viewer makes appearances", formPDF(label, "/NeedAppearances true", widget("/FT /Tx /T (a) /V (Ada Example) /AP << /N 202 0 R >>")), []string{"Label: Ada Example"}, nil},
		{"a value with an appearance is read once", formPDF(label, "", widget("/FT /Tx /T (a) /V (PAID 7 May) /AP << /N 201 0 R >>")), []string{"Label: PAID 7 May"}, []string{"MayPAID", "May PAID"}},
		{"what is new counts, not an appearance from before", formPDF(label, "", widget("/FT /Tx /T (a) /V (Grace) /AP << /N 201 0 R >>")), []string{"Label: Grace"}, []string{"PAID"}},
		{"a value that a script formats is read as it is shown", formPDF(label, "", widget("/FT /Tx /T (a) /V (1250) /AA << /F << /S /JavaScript /JS (AFNumber_Format\\(2\\);) >> >> /AP << /N 200 0 R >>")), []string{"Label: 1.250,00 EUR"}, []string{"1250"}},
		{"a value in another script is read", formPDF(label, "", widget("/FT /Tx /T (a) /V <FEFF65E5672C002000E9>")), []string{"Label: 日本 é"}, nil},
		{"every line of a long value is read", formPDF(label, "", "/Subtype /Widget /Rect [200 600 400 715] /FT /Tx /Ff 4096 /T (a) /V (First line\rSecond line\nThird 3)"), []string{"First line", "Second line", "Third 3"}, nil},
		{"a field that inherits its value shows it", formPDF(label, "", widget("/Parent << /FT /Tx /T (a) /V (Inherited 5) >>")), []string{"Inherited 5"}, nil},
		{"a password stays hidden", formPDF(label, "", widget("/FT /Tx /Ff 8192 /T (a) /V (hunter2)")), []string{"Label:"}, []string{"hunter2"}},
		{"a hidden field does, too", formPDF(label, "", strings.Replace(widget("/FT /Tx /T (a) /V (secret) /AP << /N 201 0 R >>"), "/Subtype", "/F 2 /Subtype", 1)), []string{"Label:"}, []string{"secret", "PAID"}},
		{"a choice is read as people read it", formPDF(label, "", widget("/FT /Ch /Ff 131072 /T (a) /V (g) /Opt [[(g) (Garden room)] [(l) (Lake room)]]")), []string{"Label: Garden room"}, []string{"Lake"}},
		{"a choice that was typed is read", formPDF(label, "", widget("/FT /Ch /Ff 393216 /T (a) /V (Attic) /Opt [(Garden) (Lake)]")), []string{"Label: Attic"}, nil},
		{"a list says which of its options are chosen", formPDF(label, "", "/Subtype /Widget /Rect [200 640 400 715] /FT /Ch /Ff 2097152 /T (a) /V [(Sauna) (Pool)] /I [0 2] /Opt [(Sauna) (Gym) (Pool)]"), []string{"☑ Sauna", "☐ Gym", "☑ Pool"}, nil},
		{
			"boxes stand before their labels",
			formPDF(text(70, 700, 12, "F", "Breakfast")+text(70, 680, 12, "F", "Parking")+text(70, 660, 12, "F", "Late arrival"), "",
				"/Subtype /Widget /Rect [50 698 62 710] /FT /Btn /T (a) /V /Yes /AS /Yes /AP << /N << /Yes 201 0 R /Off 202 0 R >> >>",
				"/Subtype /Widget /Rect [50 678 62 690] /FT /Btn /T (b) /V /Off /AS /Off /AP << /N << /Yes 201 0 R /Off 202 0 R >> >>",
				"/Subtype /Widget /Rect [50 658 62 670] /FT /Btn /Ff 32768 /T (c) /V /1 /AS /1 /AP << /N << /1 201 0 R /Off 202 0 R >> >>"),
			[]string{"☑ Breakfast", "☐ Parking", "☑ Late arrival"},
			[]string{"PAID"},
		},
		{"a box without an appearance says what it is", formPDF(text(70, 700, 12, "F", "Breakfast")+text(70, 680, 12, "F", "Parking"), "", "/Subtype /Widget /Rect [50 698 62 710] /FT /Btn /T (a) /V /Yes /AS /Yes", "/Subtype /Widget /Rect [50 678 62 690] /FT /Btn /T (b) /V /Off /AS /Off"), []string{"☑ Breakfast", "☐ Parking"}, nil},
		{"a field that the form does not list is read", formPDF(label, "/Q 0", strings.Replace(widget("/FT /Tx /T (a) /V (Ada Example)"), "/Widget", "/#57idget", 1)), []string{"Label: Ada Example"}, nil},
		{"a form on a page that is turned", turnedForm(), []string{"Label: Ada Example"}, nil},
		{"what is written over the page is read", formPDF(label, "", "/Subtype /FreeText"+rect+"/DA (/F 12 Tf) /Contents (Closed on Monday)"), []string{"Label: Closed on Monday"}, nil},
		{"once, if it has an appearance", formPDF(label, "", "/Subtype /FreeText"+rect+"/Contents (PAID 7 May) /AP << /N 201 0 R >>"), []string{"PAID 7 May"}, []string{"MayPAID", "May PAID"}},
		{"also if its appearance has no letters", formPDF(label, "", "/Subtype /FreeText"+rect+"/Contents (Closed on Monday) /AP << /N 202 0 R >>"), []string{"Label: Closed on Monday"}, nil},
		{"a stamp is read", formPDF(label, "", "/Subtype /Stamp"+rect+"/AP << /N 201 0 R >>"), []string{"PAID 7 May"}, nil},
		{"the caption of a button is read", formPDF(label, "", widget("/FT /Btn /Ff 65536 /T (a) /AP << /N 201 0 R >>")), []string{"PAID 7 May"}, nil},
		{
			"a form that a program has to lay out is read in the order of its template",
			xfaPDF(`<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form"><draw><value><text>Booking 2026</text></value></draw>
				<field name="guest"><caption><value><text>Guest:</text></value></caption><value><text>nobody</text></value></field>
				<field name="room"><caption><value><text>Room:</text></value></caption><items><text>Garden room</text><text>Lake room</text></items><items save="1"><text>g</text><text>l</text></items></field>
				<field name="dog"><ui><checkButton/></ui><caption><value><text>With a dog</text></value></caption><items><integer>1</integer><integer>0</integer></items></field>
				<field name="bike"><ui><checkButton/></ui><caption><value><text>With a bike</text></value></caption><items><integer>1</integer><integer>0</integer></items></field>
				<exclGroup name="pays"><field><ui><checkButton/></ui><caption><value><text>Cash</text></value></caption><items><text>c</text></items></field><field><ui><checkButton/></ui><caption><value><text>Card</text></value></caption><items><text>d</text></items></field></exclGroup>
				<field name="secret" presence="hidden"><caption><value><text>Internal</text></value></caption></field></subform></template>`,
				`<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><form><guest>Ada &amp; Grace</guest><room>l</room><dog>1</dog><bike>0</bike><pays>d</pays><secret>5</secret></form></xfa:data></xfa:datasets>`),
			[]string{"Booking 2026 Guest: Ada & Grace Room: Lake room ☑ With a dog ☐ With a bike ☐ Cash ☑ Card"},
			[]string{"Please wait", "nobody", "Internal", "Garden"},
		},
		{"a comment beside the page is no part of it", formPDF(label, "", "/Subtype /Text"+rect+"/Contents (internal remark)"), []string{"Label:"}, []string{"internal"}},

		{"Hebrew is read as it is spoken", seen(reversed("הבריכה נפתחת מחר")), []string{"הבריכה נפתחת מחר"}, nil},
		{"Latin words in it keep their order", seen(reversed("בחנות") + " Microsoft Office 365 " + reversed("התקינו")), []string{"התקינו Microsoft Office 365 בחנות"}, nil},
		{"so do prices, dates and phone numbers", seen(reversed("בלבד")+" ₪ 1,250.90 "+reversed("מחיר"), "+972-3-555-0199 "+reversed("טלפון"), "12/05/2026 "+reversed("ביום")), []string{"מחיר 1,250.90 ₪ בלבד", "טלפון +972-3-555-0199", "ביום 12/05/2026"}, nil},
		{"brackets open before what they close", seen("(" + reversed("חינם") + ") " + reversed("חניה") + " (GMT+2) " + reversed("לפי")), []string{"לפי (GMT+2) חניה (חינם)"}, nil},
		{"Arabic in the forms that its letters have within a word", seen(reversed("ﻣﺮﺣﺒﺎ") + " Office 365 " + reversed("ﺟﺮﺏ")), []string{"جرب Office 365 مرحبا"}, nil},
		{"a ligature of two letters", seen(reversed("ﺃﻫ" + "ﻻ" + " وسهلا")), []string{"أهلا وسهلا"}, nil},
		{"marks stay with their letters", seen(reversed("שָׁלוֹם לְכֻלָּם")), []string{"שָׁלוֹם לְכֻלָּם"}, nil},
		{"a non-joiner stays within its word", seen(reversed("می\u200cخواهم بروم")), []string{"می\u200cخواهم بروم"}, nil},
		{"letters that are drawn each on its own, in the order in which they are spoken", seenPDF(oneByOne("שלום רב לכם")...).bytes(), []string{"שלום רב לכם"}, nil},
		{"an Arabic line with a date and an amount", seen(reversed("ريال") + " 1,250 " + reversed("المبلغ") + " 12/05/2026 " + reversed("بتاريخ")), []string{"بتاريخ 12/05/2026 المبلغ 1,250 ريال"}, nil},
		{"Hebrew on a page that is turned by half", upsideDown(), []string{"שלום Google Play לכולם"}, nil},
		{"a Hebrew word in an English text", seen("The word "+reversed("שלום")+" means peace,", "and everybody knows it here by now."), []string{"The word שלום means peace,"}, nil},
		{"an English line on a Hebrew page", seen(reversed("ברוכים הבאים אל המלון שלנו בעיר"), "Free Wi-Fi in all rooms", reversed("נשמח לראותכם שוב בקרוב מאוד")), []string{"Free Wi-Fi in all rooms"}, nil},
		{"words that are drawn from right to left", seenPDF(placed{200, 780, reversed("המלון")}, placed{150, 780, reversed("שלנו")}, placed{100, 780, "Wi-Fi"}, placed{60, 780, "24/7"}).bytes(), []string{"המלון שלנו"}, nil},
		{"a page of two columns begins at the right", seenPDF(columns()...).bytes(), []string{"ימין אחת שתיים שלוש ארבע חמש סוף ימין אחת שתיים שלוש ארבע חמש סוף ימין אחת שתיים שלוש ארבע חמש סוף ימין אחת שתיים שלוש ארבע חמש סוף שמאל"}, nil},
		{"a table begins at the right", seenPDF(placed{400, 780, reversed("חדר")}, placed{200, 780, reversed("מחיר")}, placed{400, 760, reversed("גן")}, placed{200, 760, "$90"}, placed{400, 740, reversed("אגם")}, placed{200, 740, "$120"}).bytes(), []string{"חדר מחיר --- --- גן $90 אגם $120"}, nil},
		{"letters that are drawn one by one", seenPDF(placed{60, 780, reversed("שלנו")}, placed{102, 780, reversed("המלון")}).bytes(), []string{"המלון שלנו"}, nil},

		{"radicals become the ideographs that people type", seen("\u2f54\u66dc\u2f47 \u2f0a\u2f1d", "\u2ed1\u91ce \u2ec4\u5c71"), []string{"水曜日", "入口", "長野", "西山"}, nil},
		{"ligatures become letters, and units and fractions stay", seen("o\ufb03ce \ufb01lm 5 ㎏ x² ½ ①"), []string{"office film 5 ㎏ x² ½ ①"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			e := newExtractor(t, Limits{})
			result, err := e.Extract(t.Context(), Input{Kind: knowledge.PDF, Body: test.body})
			if err != nil {
				t.Fatal(err)
			}
			markdown := strings.Join(strings.Fields(strings.NewReplacer("|", " ", "\\", "").Replace(result.Markdown)), " ")
			for _, want := range test.want {
				if !strings.Contains(markdown, want) {
					t.Errorf("%q is not in\n%s", want, result.Markdown)
				}
			}
			for _, not := range test.not {
				if strings.Contains(markdown, not) {
					t.Errorf("%q is in\n%s", not, result.Markdown)
				}
			}
		})
	}
}
