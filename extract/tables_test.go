package extract

import (
	"strings"
	"testing"
	"unicode/utf16"

	"parley/core/knowledge"
)

func TestCSVReadsTheWholeHead(t *testing.T) {
	const rows = "Lamp, small;12,50;3\nDesk;249,00;1\n"
	const table = "| Item | Price | Stock |\n| --- | --- | --- |\n| Lamp, small | 12,50 | 3 |\n| Desk | 249,00 | 1 |"
	for _, c := range []struct{ name, body, want string }{
		{"a title and a date stand before the header", "Price list of Example Ltd\nValid from 1 March 2026\n\nItem;Price;Stock\n" + rows, "Price list of Example Ltd\n\nValid from 1 March 2026\n\n" + table},
		{"a title with commas", "Prices, stock, and more\nItem;Price;Stock\n" + rows, "Prices, stock, and more\n\n" + table},
		{"a title that is filled up with delimiters", "Prices;;\n;;\nItem;Price;Stock\n" + rows, "Prices\n\n" + table},
		{"names with values", "Shop;Example Ltd;\nDate;2026-03-01;\n\nItem;Price;Stock\n" + rows, "Shop;Example Ltd\n\nDate;2026-03-01\n\n" + table},
		{"comments", "# made by till 4\n# a; b; c\nItem;Price;Stock\n" + rows, "\\# made by till 4\n\n\\# a; b; c\n\n" + table},
		{"a line that names the delimiter", "sep=;\nItem;Price;Stock\n" + rows, table},
		{"a quoted one, with CR LF", "\"sep=;\"\r\nItem;Price;Stock\r\n" + rows, table},
		{"a line that names the tab", "sep=\t\nItem\tPrice\nLamp, a; b\t3\n", "| Item | Price |\n| --- | --- |\n| Lamp, a; b | 3 |"},
		{"a long preamble", strings.Repeat("A note, which is long; and which goes on\n", 3) + "\nItem;Price;Stock\n" + rows + strings.Repeat("Chair;1,00;1\n", 9), table},
		{"a title with more delimiters than the header", "Lamps; desks; chairs; shelves\nItem;Price;Stock\n" + rows, "Lamps; desks; chairs; shelves\n\n" + table},
		{"rows narrower than the header", "Item;Price;Stock;Note\n" + rows, "| Item | Price | Stock | Note |\n| --- | --- | --- | --- |\n| Lamp, small | 12,50 | 3 |"},
		{"pipes", "Report\nItem|Price|Stock\nLamp, small|12,50|3\nDesk|249,00|1\n", "Report\n\n" + table},
		{"decimal commas are no delimiters", "1,5;2,5;3,5\n4,5;5,5;6,5\n", "| 1,5 | 2,5 | 3,5 |"},
		{"a header with an empty corner", ";2025;2026\nRent;900;950\nFood;300;310\n", "|  | 2025 | 2026 |\n| --- | --- | --- |\n| Rent | 900 | 950 |"},
		{"a column of numbers is called #", "#;Item;Price\n1;Lamp;3\n2;Desk;4\n", "| \\# | Item | Price |"},
		{"rows wider than the header widen it", "Item,Note\nLamp,big, red, round\nDesk,small\n", "| Item | Note |  |  |\n| --- | --- | --- | --- |\n| Lamp | big | red | round |"},
		{"lines that end with CR", "Prices\rItem;Price;Stock\rLamp, small;12,50;3\rDesk;249,00;1\r", "Prices\n\n" + table},
		{"a quotation mark that closes nothing", "Title,Copies\n\"Moby\" for kids,3\nEmma,5\n", "| \"Moby\" for kids | 3 |\n| Emma | 5 |"},
		{"one column", "Notes\nopen daily\nclosed in May\n", "| Notes |\n| --- |\n| open daily |\n| closed in May |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantText(t, knowledge.CSV, []byte(c.body), c.want)
		})
	}
}

func TestTSVTakesQuotesAsCharacters(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"at the start of a cell", "Title\tCopies\n\"Moby\" for kids\t3\nEmma\t5\nDune\t9\n", "| \"Moby\" for kids | 3 |\n| Emma | 5 |\n| Dune | 9 |"},
		{"that are never closed", "Title\tCopies\n\"Moby\t3\nEmma\t5\n", "| \"Moby | 3 |\n| Emma | 5 |"},
		{"as inches", "Part\tSize\nPipe\t5\"\n\"L\" profile\t3.5\"\nRod\t2\"\n", "| Pipe | 5\" |\n| \"L\" profile | 3.5\" |\n| Rod | 2\" |"},
		{"unless Excel wrote them around a line end", "Room\tNote\r\nA\t\"quiet\nwarm\"\r\nB\tloud\r\n", "| A | quiet warm |\n| B | loud |"},
		{"or a tab", "Room\tNote\nA\t\"quiet\twarm\"\nB\tloud\n", "| A | quiet warm |\n| B | loud |"},
		{"or around every cell", "\"Room\"\t\"Note\"\n\"A\"\t\"quiet\"\n", "| Room | Note |\n| --- | --- |\n| A | quiet |"},
		{"in rows that have more commas than tabs", "Note\tPrice\na, b, c, d\t3\ne, f, g, h\t4\n", "| a, b, c, d | 3 |\n| e, f, g, h | 4 |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := read(Input{Kind: knowledge.CSV, Name: "a.tsv", Body: []byte(c.body)}, Limits{}.OrDefault())
			if err != nil || !strings.Contains(result.Markdown, c.want) {
				t.Errorf("got %q and %v, want it to hold %q", result.Markdown, err, c.want)
			}
		})
	}
}

func TestTextsSayNothingOfTheirEncoding(t *testing.T) {
	units := utf16.Encode([]rune("产品;价格\r\n红茶;三十八元\r\n"))
	wide := make([]byte, 0, 2*len(units))
	for _, u := range units {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for _, c := range []struct {
		name, file, body, want string
	}{
		{"a table in GBK", "menu.csv", "\xb2\xfa\xc6\xb7,\xbc\xdb\xb8\xf1\n\xba\xec\xb2\xe8,\xc8\xfd\xca\xae\xb0\xcb\xd4\xaa\n\xbf\xa7\xb7\xc8,\xcb\xc4\xca\xae\xb6\xfe\xd4\xaa\n", "| 红茶 | 三十八元 |"},
		{"a table in UTF-16 without a mark", "menu.csv", string(wide), "| 红茶 | 三十八元 |"},
		{"a text in KOI8-R", "a.txt", "\xed\xc1\xc7\xc1\xda\xc9\xce \xcf\xd4\xcb\xd2\xd9\xd4 \xd3 \xc4\xc5\xd7\xd1\xd4\xc9 \xd5\xd4\xd2\xc1.", "Магазин открыт с девяти утра."},
		{"Markdown in windows-1251", "a.md", "# \xd6\xe5\xed\xfb\n\n\xcc\xe0\xe3\xe0\xe7\xe8\xed \xee\xf2\xea\xf0\xfb\xf2 \xf1 \xe4\xe5\xe2\xff\xf2\xe8 \xf3\xf2\xf0\xe0.", "# Цены\n\nМагазин открыт с девяти утра."},
		{"a page in Shift_JIS", "a.html", "<html><body><p>\x95\xd4\x95i\x82\xcd\x8e\xb5\x93\xfa\x88\xc8\x93\xe0\x82\xc9\x82\xa8\x8a\xe8\x82\xa2\x82\xb5\x82\xdc\x82\xb7\x81B</p></body></html>", "返品は七日以内にお願いします。"},
		{"a page whose head names its encoding late", "a.html", "<html><head><script>" + strings.Repeat("let a = 1;\n", 5_000) + "</script><meta charset=koi8-r></head><body><p>\xed\xc1\xc7</p></body></html>", "Маг"},
		{"a page whose head names it in the old form", "a.html", "<html><head><style>" + strings.Repeat("a{}\n", 5_000) + "</style><META content='text/html;CHARSET=Windows-1251' HTTP-EQUIV=Content-Type></head><body><p>\xcc\xe0\xe3</p></body></html>", "Маг"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := Input{Name: c.file, Body: []byte(c.body)}
			kind, err := Detect(in)
			if err != nil {
				t.Fatal(err)
			}
			wantText(t, kind, in.Body, c.want)
		})
	}
	t.Run("one that is in doubt is refused with what to do", func(t *testing.T) {
		for _, kind := range []knowledge.Kind{knowledge.Text, knowledge.Markdown, knowledge.CSV, knowledge.Pairs, knowledge.HTML} {
			_, err := read(Input{Kind: kind, Body: []byte("a;\xe0\n")}, Limits{}.OrDefault())
			if err == nil || !strings.Contains(err.Error(), "Save it as UTF-8") {
				t.Errorf("%s: got %v", kind, err)
			}
		}
	})
}
