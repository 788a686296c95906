package office

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"parley/extract/document"
	"parley/text/raised"
)

// The library gives the texts of cells without how they are written. What changes their
// meaning goes into the texts, in characters that no text has: see [formulaMark].
const (
	strikeMark, strikeEnd = "\ue001", "\ue002"
	// linkMark stands between the text of a cell and where it leads.
	linkMark = "\ue003"
)

// mostMarked is how many struck-out cells and links of a sheet count.
const mostMarked = 100_000

var (
	cellTag  = regexp.MustCompile(`<(?:[a-z0-9]+:)?c\s[^<>]{0,300}>`)
	linkTag  = regexp.MustCompile(`<(?:[a-z0-9]+:)?hyperlink\s[^<>]{0,1000}>`)
	cellRef  = regexp.MustCompile(`\sr="([A-Z]{1,3}[0-9]{1,7})"`)
	styleRef = regexp.MustCompile(`\ss="([0-9]{1,6})"`)
	linkRef  = regexp.MustCompile(`\sref="([A-Z]{1,3}[0-9]{1,7})`)
	linkID   = regexp.MustCompile(`\s[a-z0-9]+:id="([^"]{1,200})"`)
)

// marks are how the cells of a sheet are written.
type marks struct {
	struck map[place]bool
	links  map[place]relation
}

// struckStyles returns the styles, by their numbers as text, that strike a cell out.
func struckStyles(book *excelize.File) map[string]bool {
	struck := map[string]bool{}
	if book.Styles == nil || book.Styles.CellXfs == nil || book.Styles.Fonts == nil {
		return struck
	}
	for number, style := range book.Styles.CellXfs.Xf {
		if style.FontID == nil || *style.FontID < 0 || *style.FontID >= len(book.Styles.Fonts.Font) {
			continue
		}
		if font := book.Styles.Fonts.Font[*style.FontID]; font != nil && font.Strike != nil && (font.Strike.Val == nil || *font.Strike.Val) {
			struck[strconv.Itoa(number)] = true
		}
	}
	return struck
}

// marksOf reads how the cells of a sheet are written. Only a book that strikes something out
// has its cells looked at one by one.
func marksOf(a *archive, part string, struck map[string]bool) (*marks, error) {
	body, err := a.read(part)
	if err != nil {
		return nil, err
	}
	m := &marks{struck: map[place]bool{}, links: map[place]relation{}}
	if len(struck) > 0 {
		for _, tag := range cellTag.FindAll(body, sheetRows) {
			style, ref := styleRef.FindSubmatch(tag), cellRef.FindSubmatch(tag)
			if style != nil && ref != nil && struck[string(style[1])] && len(m.struck) < mostMarked {
				m.struck[cellPlace(string(ref[1]))] = true
			}
		}
	}
	tags := linkTag.FindAll(body, mostMarked)
	if len(tags) == 0 {
		return m, nil
	}
	relations, err := a.relations(part)
	if err != nil {
		return nil, err
	}
	for _, tag := range tags {
		ref, id := linkRef.FindSubmatch(tag), linkID.FindSubmatch(tag)
		if ref != nil && id != nil {
			m.links[cellPlace(string(ref[1]))] = relations[string(id[1])]
		}
	}
	return m, nil
}

// cellPlace returns the place of a cell, from 0.
func cellPlace(name string) place {
	column, row, err := excelize.CellNameToCoordinates(name)
	if err != nil {
		return place{-1, -1}
	}
	return place{column - 1, row - 1}
}

// apply marks the cells of a row.
func (m *marks) apply(row int, cells []string) {
	for i, text := range cells {
		if strings.TrimSpace(text) == "" || len(m.struck)+len(m.links) == 0 {
			continue
		}
		if m.struck[place{i, row}] {
			text = strikeMark + strings.NewReplacer(strikeMark, "", strikeEnd, "").Replace(text) + strikeEnd
		}
		if to, linked := m.links[place{i, row}]; linked && to.external {
			text += linkMark + to.target
		}
		cells[i] = text
	}
}

// markRuns marks what parts of the book's shared texts are: struck out, raised or lowered.
func markRuns(book *excelize.File, sheet string) {
	rows, err := book.Rows(sheet) // which reads the texts
	if err != nil {
		return // as reading the sheet will say
	}
	defer rows.Close()
	if !rows.Next() {
		return
	}
	if _, err := rows.Columns(); err != nil || book.SharedStrings == nil {
		return
	}
	for i := range book.SharedStrings.SI {
		before := ""
		for _, run := range book.SharedStrings.SI[i].R {
			if run.T == nil {
				continue
			}
			text := run.T.Val
			if look := run.RPr; look != nil && strings.TrimSpace(text) != "" {
				switch {
				case look.VertAlign != nil && look.VertAlign.Val != nil && *look.VertAlign.Val == "superscript":
					run.T.Val = raised.Super(before, text)
				case look.VertAlign != nil && look.VertAlign.Val != nil && *look.VertAlign.Val == "subscript":
					run.T.Val = raised.Sub(text)
				}
				if look.Strike != nil && (look.Strike.Val == nil || *look.Strike.Val) {
					run.T.Val = strikeMark + run.T.Val + strikeEnd
				}
			}
			before = text
		}
	}
}

// written returns the text of a cell as Markdown, with its marks.
func written(text string) string {
	text, target, linked := strings.Cut(text, linkMark)
	var out strings.Builder
	for rest := text; rest != ""; {
		plain, struck, found := strings.Cut(rest, strikeMark)
		out.WriteString(document.Escape(plain))
		if !found {
			break
		}
		struck, rest, _ = strings.Cut(struck, strikeEnd)
		inner := strings.TrimSpace(struck)
		lead, trail, _ := strings.Cut(struck, inner)
		if inner != "" {
			lead, trail = lead+"~~", "~~"+trail
		}
		out.WriteString(lead + document.Escape(inner) + trail)
	}
	if shown := strings.TrimSpace(out.String()); linked {
		return link(shown, relation{target: target, external: true})
	}
	return strings.TrimSpace(out.String())
}
