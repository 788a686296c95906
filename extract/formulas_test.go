package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"parley/core/knowledge"
)

// formulas is a workbook whose program did not calculate its formulas.
func formulas(rows string, more ...entry) []byte {
	const ns = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	entries := map[string]string{
		"[Content_Types].xml":        xmlHead + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>`,
		"_rels/.rels":                relationsXML("rId1", "officeDocument", "xl/workbook.xml"),
		"xl/workbook.xml":            xmlHead + `<workbook` + ns + `><sheets><sheet name="Rates" sheetId="1" r:id="rId1"/><sheet name="Old taxes" sheetId="2" r:id="rId2" state="hidden"/></sheets><definedNames><definedName name="Tax">'Old taxes'!$A$1</definedName></definedNames></workbook>`,
		"xl/_rels/workbook.xml.rels": relationsXML("rId1", "worksheet", "worksheets/sheet1.xml", "rId2", "worksheet", "worksheets/sheet2.xml", "rId3", "styles", "styles.xml"),
		"xl/styles.xml":              xmlHead + `<styleSheet` + ns + `><numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00\ &quot;€&quot;"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf numFmtId="0"/><xf numFmtId="9"/><xf numFmtId="164"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml":   xmlHead + `<worksheet` + ns + `><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml":   xmlHead + `<worksheet` + ns + `><sheetData><row r="1"><c r="A1"><v>1.2</v></c></row></sheetData></worksheet>`,
	}
	for _, e := range more {
		entries[e.name] = e.body
	}
	var all []entry
	for name, body := range entries {
		all = append(all, entry{name, body})
	}
	return zipOf(all...)
}

// line is a row with a label, two numbers and the given cell in column D.
func line(row int, cell string) string {
	return fmt.Sprintf(`<row r="%d"><c r="A%[1]d" t="inlineStr"><is><t>Row %[1]d</t></is></c><c r="B%[1]d"><v>%[2]d</v></c><c r="C%[1]d"><v>%[1]d</v></c>%[3]s</row>`, row, 100*row, strings.ReplaceAll(cell, "#", fmt.Sprint(row)))
}

func f(formula string) string { return `<c r="D#"><f>` + formula + `</f><v></v></c>` }

func TestXLSXShowsFormulasThatNobodyCalculated(t *testing.T) {
	for _, c := range []struct{ name, cell, want string }{
		{"a product", f("B2*1.2"), "240"},
		{"a formula without an element for its value", `<c r="D2"><f>B2+C2</f></c>`, "202"},
		{"an empty element", `<c r="D2"><f>B2+C2</f><v/></c>`, "202"},
		{"signs and powers", f("-2^2+10%*(B2-C2)/3"), "10.6"},
		{"a sum of a range", f("SUM(B1:C2)"), "303"},
		{"a sum of a column", f("SUM(B:B)"), "600"},
		{"an average, a least and a most", f("AVERAGE(B1:B3)&amp;&quot;/&quot;&amp;MIN(B1:B3)&amp;&quot;/&quot;&amp;MAX(B1:B3)"), "200/100/300"},
		{"counts", f("COUNT(A1:C3)*10+COUNTA(A1:C3)"), "69"},
		{"texts", f("CONCATENATE(A2,&quot;: &quot;,UPPER(&quot;a&quot;))"), "Row 2: A"},
		{"a condition", f("IF(B2&gt;=200,&quot;dear&quot;,&quot;cheap&quot;)"), "dear"},
		{"a rounded number", f("ROUND(1.005*C2,2)"), "2.01"},
		{"cells with dollars", f("$B$2+B$2"), "400"},
		{"another sheet", f("B2*'Old taxes'!A1"), "240"},
		{"a name", f("B2*Tax"), "240"},
		{"a failure", f("B2/0"), "\\#DIV/0!"},
		{"a failure that is expected", f("IFERROR(B2/0,&quot;none&quot;)"), "none"},
		{"a percentage as it is displayed", `<c r="D2" s="1"><f>C2/8</f><v></v></c>`, "25%"},
		{"an amount of money as it is displayed", `<c r="D2" s="2"><f>B2*1.5+1000</f><v></v></c>`, "1,300.00 €"},
		{"a date as it is displayed", `<c r="D2" s="3"><f>46020+B2/100+C2/2</f><v></v></c>`, "2026-01-01"},
		{"what is calculated otherwise", strings.Replace(f("B2*1.2"), "<v></v>", "<v>7</v>", 1), "7"},
		{"an empty text", `<c r="D2" t="str"><f>IF(B2&gt;0,"","x")</f><v></v></c><c r="E2" t="inlineStr"><is><t>end</t></is></c>`, " | end"},
		{"a function that is not calculated", f("VLOOKUP(B2,A1:C3,2,FALSE)*2"), "`=VLOOKUP(B2,A1:C3,2,FALSE)*2`"},
		{"the day of today", f("TODAY()-B2"), "`=TODAY()-B2`"},
		{"a circle", f("D2+1"), "`=D2+1`"},
		{"an unknown name", f("B2*Rebate"), "`=B2*Rebate`"},
		{"a formula that is none", f("B2*("), "`=B2*(`"},
		{"another workbook", f("[1]Sheet!A1"), "`=[1]Sheet!A1`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantText(t, knowledge.XLSX, formulas(line(1, "")+line(2, c.cell)+line(3, "")), "| Row 2 | 200 | 2 | "+strings.TrimPrefix(c.want, " | "))
		})
	}
	t.Run("a formula of others without values", func(t *testing.T) {
		wantText(t, knowledge.XLSX, formulas(line(1, f("B1*2"))+line(2, f("D1+D3"))+line(3, f("C3*3"))), "| Row 2 | 200 | 2 | 209 |")
	})
	t.Run("a formula that cells share", func(t *testing.T) {
		shared := `<c r="D#"><f t="shared" si="0"/><v></v></c>`
		body := formulas(line(1, `<c r="D#"><f t="shared" ref="D1:D3" si="0">B1*$C$3</f><v></v></c>`) + line(2, shared) + line(3, shared))
		wantText(t, knowledge.XLSX, body, "| Row 3 | 300 | 3 | 900 |")
	})
	t.Run("a shared formula that is not calculated", func(t *testing.T) {
		shared := `<c r="D#"><f t="shared" si="0"/><v></v></c>`
		body := formulas(line(1, `<c r="D#"><f t="shared" ref="D1:D2" si="0">LOOKUP(B1,$C$3:C9)&amp;"B1"</f><v></v></c>`) + line(2, shared))
		wantText(t, knowledge.XLSX, body, "`=LOOKUP(B2,$C$3:C10)&\"B1\"`")
	})
	t.Run("zeros of a program that leaves everything to be calculated", func(t *testing.T) {
		book := formulas(line(1, strings.ReplaceAll(f("B1*2"), "<v></v>", "<v>0</v>"))+line(2, strings.ReplaceAll(f("LOOKUP(1,B1)"), "<v></v>", "<v>0</v>")), entry{"x", ""})
		book = rewrite(book, "xl/workbook.xml", func(xml string) string {
			return strings.Replace(xml, "</workbook>", `<calcPr calcId="124519" fullCalcOnLoad="1"/></workbook>`, 1)
		})
		wantText(t, knowledge.XLSX, book, "| Row 1 | 100 | 1 | 200 |")
		wantText(t, knowledge.XLSX, book, "| Row 2 | 200 | 2 | `=LOOKUP(1,B1)` |")
	})
	t.Run("a zero that was calculated", func(t *testing.T) {
		wantText(t, knowledge.XLSX, formulas(line(1, strings.ReplaceAll(f("NOW()"), "<v></v>", "<v>0</v>"))), "| Row 1 | 100 | 1 | 0 |")
	})
	t.Run("a workbook of the library that the tests use", func(t *testing.T) {
		book := excelize.NewFile()
		defer book.Close()
		_ = book.SetSheetRow("Sheet1", "A1", &[]any{"Item", "Net", "Gross"})
		_ = book.SetSheetRow("Sheet1", "A2", &[]any{"Lamp", 100})
		_ = book.SetCellFormula("Sheet1", "C2", "B2*1.19")
		b, err := book.WriteToBuffer()
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, knowledge.XLSX, b.Bytes(), "| Lamp | 100 | 119 |")
	})
	t.Run("elements with a prefix", func(t *testing.T) {
		book := rewrite(formulas(line(1, f("B1*2"))), "xl/worksheets/sheet1.xml", func(xml string) string {
			xml = strings.NewReplacer("<?", "<?", "</", "</x:", "<", "<x:", ` xmlns="`, ` xmlns:x="`).Replace(xml)
			return xml
		})
		wantText(t, knowledge.XLSX, book, "| Row 1 | 100 | 1 | 200 |")
	})
	t.Run("hostile formulas", func(t *testing.T) {
		var chain strings.Builder
		for row := 1; row <= 5_000; row++ {
			fmt.Fprintf(&chain, `<row r="%d"><c r="A%[1]d"><f>A%d+SUM(B1:B5000)+%[1]d</f></c><c r="B%[1]d"><v>%[1]d</v></c></row>`, row, row+1)
		}
		for name, body := range map[string]string{
			"deep":   line(1, f(strings.Repeat("(", 100_000)+"1"+strings.Repeat(")", 100_000))),
			"signs":  line(1, f(strings.Repeat("-", 100_000)+"1")),
			"nested": line(1, f(strings.Repeat("IF(1,", 50_000)+"1"+strings.Repeat(")", 50_000))),
			"joined": line(1, f(strings.Repeat("A1&amp;", 50_000)+"1")),
			"chain":  chain.String(),
		} {
			if _, err := read(Input{Kind: knowledge.XLSX, Body: formulas(body)}, Limits{}.OrDefault()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestXLSXReadsTablesOfASheet(t *testing.T) {
	sheet := func(rows ...[]any) []byte {
		book := excelize.NewFile()
		defer book.Close()
		for i, cells := range rows {
			if err := book.SetSheetRow("Sheet1", fmt.Sprint("A", i+1), &cells); err != nil {
				panic(err)
			}
		}
		b, err := book.WriteToBuffer()
		if err != nil {
			panic(err)
		}
		return b.Bytes()
	}
	for _, c := range []struct {
		name string
		body []byte
		want string
	}{
		{"with numbers as they are displayed", shownAs("Standard"), "| 46023 | 46023 kg | No. 46023 | 2026-01-01 | 01.01.2026 | 4602300% | 46,023.00 € |"},
		{"one below another", sheet([]any{"Item", "Price"}, []any{"Lamp", 3}, nil, []any{"Opening hours"}, []any{"Day", "From", "To"}, []any{"Monday", "9:00", "17:00"}), "| Item | Price |\n| --- | --- |\n| Lamp | 3 |\n\nOpening hours\n\n| Day | From | To |\n| --- | --- | --- |\n| Monday | 9:00 | 17:00 |"},
		{"without a title", sheet([]any{"Item", "Price"}, []any{"Lamp", 3}, nil, []any{"Room", "Beds"}, []any{"Lake", 2}), "| Lamp | 3 |\n\n| Room | Beds |\n| --- | --- |\n| Lake | 2 |"},
		{"but not the sections of one", sheet([]any{"Item", "Price"}, []any{"Lamp", 3}, nil, []any{"Garden"}, []any{"Chair", 5}, nil, []any{"Total", 8}), "| Lamp | 3 |\n| Garden |\n| Chair | 5 |\n| Total | 8 |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantText(t, knowledge.XLSX, c.body, c.want)
		})
	}
}

// shownAs is a workbook with one number in several formats.
func shownAs(sheet string) []byte {
	book := excelize.NewFile()
	defer book.Close()
	_ = book.SetSheetName("Sheet1", sheet)
	_ = book.SetCellValue(sheet, "A1", "Prices")
	for i, style := range []*excelize.Style{
		{NumFmt: 0},
		{CustomNumFmt: new(`General" kg"`)},
		{CustomNumFmt: new(`"No. "General`)},
		{NumFmt: 14},
		{CustomNumFmt: new("dd.mm.yyyy")},
		{NumFmt: 9},
		{CustomNumFmt: new(`#,##0.00\ [$€-407]`)},
	} {
		cell, _ := excelize.CoordinatesToCellName(i+1, 2)
		id, err := book.NewStyle(style)
		if err != nil {
			panic(err)
		}
		_ = book.SetCellValue(sheet, cell, 46023)
		_ = book.SetCellStyle(sheet, cell, cell, id)
	}
	b, err := book.WriteToBuffer()
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}
