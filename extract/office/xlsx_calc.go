package office

import (
	"math"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

const (
	// maxCells is how many cells of a workbook are held to calculate others, maxSteps how many are
	// looked at, and maxCalls how deep formulas refer to one another.
	maxCells = 500_000
	maxSteps = 5_000_000
	maxCalls = 200
)

// kindOfValue is what a value is.
type kindOfValue int

const (
	blankValue kindOfValue = iota
	numberValue
	textValue
	truthValue
	failureValue
)

// value is what a cell or a part of a formula has. A truth has the number 0 or 1, a failure a
// text such as #DIV/0!.
type value struct {
	kind   kindOfValue
	number float64
	text   string
}

// place is a cell of a sheet.
type place struct{ column, row int }

// grid holds the cells of a sheet.
type grid struct {
	values   map[place]value
	formulas map[place]expression
	columns  int
	rows     int
}

// calculator calculates formulas of a workbook. What it does not know, it does not calculate.
type calculator struct {
	book    *workbook
	part    func(string) []byte
	grids   map[string]*grid
	strings []string
	loaded  bool
	cells   int
	steps   int
	// open are the cells whose formulas are being calculated.
	open map[string]map[place]bool
}

func newCalculator(book *workbook, part func(string) []byte) *calculator {
	return &calculator{book: book, part: part, grids: map[string]*grid{}, open: map[string]map[place]bool{}}
}

// grid returns the cells of a sheet, or nil.
func (c *calculator) grid(sheet string) *grid {
	key := strings.ToLower(sheet)
	if g, known := c.grids[key]; known {
		return g
	}
	c.grids[key] = nil
	for _, s := range c.book.sheets {
		if strings.EqualFold(s.name, sheet) {
			c.grids[key] = c.load(s)
		}
	}
	return c.grids[key]
}

func (c *calculator) load(s sheet) *grid {
	g := &grid{values: map[place]value{}, formulas: map[place]expression{}}
	shared := map[string]expression{}
	err := scanXML(c.part(s.part), func(name string) verdict {
		if name == "c" {
			return take
		}
		return enter
	}, func(n *xmlNode) error {
		column, row, err := excelize.CellNameToCoordinates(n.attr("r"))
		if err != nil {
			return err // where the cells are is not known
		}
		if c.cells++; c.cells > maxCells {
			return errXML
		}
		at := place{column, row}
		g.columns, g.rows = max(g.columns, column), max(g.rows, row)
		v := n.kid("v")
		if f := n.kid("f"); f != nil {
			formula := expression{text: f.text, sheet: s.name, column: column, row: row}
			if f.attr("t") == "shared" {
				if f.text != "" {
					shared[f.attr("si")] = formula
				} else {
					formula = shared[f.attr("si")]
				}
			}
			cached := ""
			if v != nil {
				cached = v.text
			}
			if c.book.uncalculated(n.attr("t"), []byte(cached), v != nil) {
				g.formulas[at] = formula
				return nil
			}
		}
		g.values[at] = c.valueOf(n, v)
		return nil
	})
	if err != nil {
		return nil
	}
	return g
}

// valueOf returns the value that a cell has.
func (c *calculator) valueOf(n, v *xmlNode) value {
	written := ""
	if v != nil {
		written = v.text
	}
	switch n.attr("t") {
	case "s":
		if i, err := strconv.Atoi(written); err == nil && i >= 0 && i < len(c.sharedStrings()) {
			return value{kind: textValue, text: c.strings[i]}
		}
		return value{}
	case "str":
		return value{kind: textValue, text: written}
	case "inlineStr":
		return value{kind: textValue, text: richText(n.kid("is"))}
	case "b":
		return value{kind: truthValue, number: float(written)}
	case "e":
		return value{kind: failureValue, text: written}
	}
	if written == "" {
		return value{}
	}
	return value{kind: numberValue, number: float(written)}
}

func float(written string) float64 {
	n, err := strconv.ParseFloat(strings.TrimSpace(written), 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

func (c *calculator) sharedStrings() []string {
	if !c.loaded {
		c.loaded = true
		_ = scanXML(c.part("xl/sharedStrings.xml"), func(name string) verdict {
			if name == "si" {
				return take
			}
			return enter
		}, func(n *xmlNode) error {
			c.strings = append(c.strings, richText(n))
			return nil
		})
	}
	return c.strings
}

// richText returns a text in runs without its pronunciation.
func richText(n *xmlNode) string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for _, k := range n.kids {
		switch k.name {
		case "t":
			b.WriteString(k.text)
		case "r":
			b.WriteString(richText(k))
		}
	}
	return b.String()
}

// cell returns what a cell has. The formula is its own, if the caller has it.
func (c *calculator) cell(sheet string, column, row int, formula *expression) (value, bool) {
	g := c.grid(sheet)
	if g == nil || c.steps > maxSteps {
		return value{}, false
	}
	c.steps++
	at := place{column, row}
	if v, known := g.values[at]; known {
		return v, v.kind != numberValue || !math.IsNaN(v.number)
	}
	own, has := g.formulas[at]
	if formula == nil && has {
		formula = &own
	}
	if formula == nil {
		return value{}, true
	}
	key := strings.ToLower(sheet)
	if c.open[key] == nil {
		c.open[key] = map[place]bool{}
	}
	if c.open[key][at] || len(c.open[key]) > maxCalls {
		return value{}, false
	}
	c.open[key][at] = true
	v, ok := c.evaluate(*formula, column, row)
	delete(c.open[key], at)
	if v.kind == blankValue {
		v = value{kind: numberValue}
	}
	if ok && v.kind == numberValue && (math.IsNaN(v.number) || math.IsInf(v.number, 0)) {
		v = value{kind: failureValue, text: "#NUM!"}
	}
	if !ok {
		v = value{kind: numberValue, number: math.NaN()} // is not calculated again
	}
	g.values[at] = v
	return v, ok
}
