package office

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// expression is a formula with the cell that it is written for.
type expression struct {
	text, sheet string
	column, row int
}

// formulaReader reads an expression for a cell (ECMA-376, part 1, section 18.17.2).
type formulaReader struct {
	*calculator
	rest  string
	sheet string
	// right and down are how far the cell is from the one that the formula is written for.
	right, down int
	depth       int
	failed      bool
}

// operand is a value or an area of cells.
type operand struct {
	value
	sheet       string
	first, last place
	isArea      bool
}

// maxFormulaDepth is how deep the parts of a formula nest, as in Excel.
const maxFormulaDepth = 64

func (c *calculator) evaluate(e expression, column, row int) (value, bool) {
	r := &formulaReader{calculator: c, rest: strings.TrimPrefix(strings.TrimSpace(e.text), "="), sheet: e.sheet, right: column - e.column, down: row - e.row}
	v := r.single(r.compared())
	return v, !r.failed && r.next() == 0
}

var relative = regexp.MustCompile(`^(\$?)([A-Za-z]{1,3})(\$?)([0-9]{1,7})`)

// movedText returns the formula as it reads in another cell of those that share it.
func (e expression) movedText(column, row int) string {
	e.text = strings.TrimPrefix(strings.TrimSpace(e.text), "=")
	if column == e.column && row == e.row {
		return e.text
	}
	var b strings.Builder
	quoted := byte(0)
	for i := 0; i < len(e.text); {
		c := e.text[i]
		match := relative.FindString(e.text[i:])
		switch {
		case quoted != 0 || c == '"' || c == '\'':
			if quoted == 0 {
				quoted = c
			} else if c == quoted {
				quoted = 0
			}
		case match != "" && (i == 0 || !wordByte(e.text[i-1])) && (i+len(match) == len(e.text) || !wordByte(e.text[i+len(match)]) && e.text[i+len(match)] != '('):
			if at, ok := placeOf(match, column-e.column, row-e.row); ok {
				parts := relative.FindStringSubmatch(match)
				name, _ := excelize.ColumnNumberToName(at.column)
				b.WriteString(parts[1] + name + parts[3] + strconv.Itoa(at.row))
				i += len(match)
				continue
			}
		}
		b.WriteByte(c)
		i++
	}
	return b.String()
}

func wordByte(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// placeOf returns the cell of a reference, moved where it is relative.
func placeOf(reference string, right, down int) (place, bool) {
	parts := relative.FindStringSubmatch(reference)
	column, err := excelize.ColumnNameToNumber(parts[2])
	row, wrong := strconv.Atoi(parts[4])
	if err != nil || wrong != nil {
		return place{}, false
	}
	if parts[1] == "" {
		column += right
	}
	if parts[3] == "" {
		row += down
	}
	return place{column, row}, column > 0 && row > 0 && row <= sheetRows && column <= 16_384
}

// next returns the next character that is no space, or 0 at the end.
func (r *formulaReader) next() byte {
	r.rest = strings.TrimLeft(r.rest, " \t\r\n")
	if r.rest == "" {
		return 0
	}
	return r.rest[0]
}

func (r *formulaReader) take(token string) bool {
	r.next()
	rest, found := strings.CutPrefix(r.rest, token)
	if found {
		r.rest = rest
	}
	return found
}

func (r *formulaReader) fail() operand {
	r.failed = true
	r.rest = ""
	return operand{}
}

func (r *formulaReader) compared() operand {
	if r.depth++; r.depth > maxFormulaDepth {
		return r.fail()
	}
	defer func() { r.depth-- }()
	left := r.joined()
	for !r.failed {
		var sign string
		for _, s := range []string{"<=", ">=", "<>", "<", ">", "="} {
			if r.take(s) {
				sign = s
				break
			}
		}
		if sign == "" {
			return left
		}
		left = r.compare(r.single(left), r.single(r.joined()), sign)
	}
	return left
}

func (r *formulaReader) compare(a, b value, sign string) operand {
	if a.kind == failureValue || b.kind == failureValue {
		return operand{value: firstFailure(a, b)}
	}
	if a.kind == blankValue {
		a = value{kind: b.kind}
	}
	if b.kind == blankValue {
		b = value{kind: a.kind}
	}
	order := 0
	switch {
	case a.kind != b.kind:
		order = int(a.kind) - int(b.kind) // numbers come before texts, texts before truths
	case a.kind == textValue:
		order = strings.Compare(strings.ToLower(a.text), strings.ToLower(b.text))
	case a.number < b.number:
		order = -1
	case a.number > b.number:
		order = 1
	}
	is := map[string]bool{"=": order == 0, "<>": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0, ">=": order >= 0}[sign]
	return operand{value: truthOf(is)}
}

func truthOf(is bool) value {
	if is {
		return value{kind: truthValue, number: 1}
	}
	return value{kind: truthValue}
}

func firstFailure(values ...value) value {
	for _, v := range values {
		if v.kind == failureValue {
			return v
		}
	}
	return value{}
}

func (r *formulaReader) joined() operand {
	left := r.sum()
	for !r.failed && r.take("&") {
		a, b := r.single(left), r.single(r.sum())
		if a.kind == failureValue || b.kind == failureValue {
			left = operand{value: firstFailure(a, b)}
			continue
		}
		left = operand{value: value{kind: textValue, text: a.shown() + b.shown()}}
		if len(left.text) > 32_767 {
			return r.fail()
		}
	}
	return left
}

func (r *formulaReader) sum() operand {
	left := r.product()
	for !r.failed {
		switch {
		case r.take("+"):
			left = r.arithmetic(left, r.product(), func(a, b float64) float64 { return a + b })
		case r.take("-"):
			left = r.arithmetic(left, r.product(), func(a, b float64) float64 { return a - b })
		default:
			return left
		}
	}
	return left
}

func (r *formulaReader) product() operand {
	left := r.power()
	for !r.failed {
		switch {
		case r.take("*"):
			left = r.arithmetic(left, r.power(), func(a, b float64) float64 { return a * b })
		case r.take("/"):
			left = r.arithmetic(left, r.power(), func(a, b float64) float64 { return a / b })
		default:
			return left
		}
	}
	return left
}

func (r *formulaReader) power() operand {
	left := r.signed()
	for !r.failed && r.take("^") {
		left = r.arithmetic(left, r.signed(), math.Pow)
	}
	return left
}

func (r *formulaReader) signed() operand {
	signs := 0
	for r.next() == '-' || r.next() == '+' {
		if r.rest[0] == '-' {
			signs++
		}
		r.rest = r.rest[1:]
	}
	o := r.atom()
	for r.take("%") {
		o = r.arithmetic(o, operand{value: value{kind: numberValue, number: 100}}, func(a, b float64) float64 { return a / b })
	}
	if signs > 0 {
		factor := 1 - 2*float64(signs%2)
		o = r.arithmetic(o, operand{value: value{kind: numberValue, number: factor}}, func(a, b float64) float64 { return a * b })
	}
	return o
}

func (r *formulaReader) arithmetic(left, right operand, of func(a, b float64) float64) operand {
	a, b := r.single(left), r.single(right)
	if a.kind == failureValue || b.kind == failureValue {
		return operand{value: firstFailure(a, b)}
	}
	x, ok := a.asNumber()
	y, too := b.asNumber()
	if !ok || !too {
		return operand{value: value{kind: failureValue, text: "#VALUE!"}}
	}
	result := of(x, y)
	if math.IsInf(result, 0) && y == 0 || math.IsNaN(result) && y == 0 {
		return operand{value: value{kind: failureValue, text: "#DIV/0!"}}
	}
	return operand{value: value{kind: numberValue, number: result}}
}

func (v value) asNumber() (float64, bool) {
	if v.kind == textValue {
		n, err := strconv.ParseFloat(strings.TrimSpace(v.text), 64)
		return n, err == nil && !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return v.number, v.kind != failureValue
}

// shown returns a value as a formula joins it with text.
func (v value) shown() string {
	switch v.kind {
	case numberValue:
		return strconv.FormatFloat(v.number, 'g', 15, 64)
	case truthValue:
		return map[bool]string{true: "TRUE", false: "FALSE"}[v.number != 0]
	}
	return v.text
}

// single returns the value of an operand that is no area of several cells.
func (r *formulaReader) single(o operand) value {
	if !o.isArea || r.failed {
		return o.value
	}
	if o.first != o.last {
		r.fail()
		return value{}
	}
	v, ok := r.cell(o.sheet, o.first.column, o.first.row, nil)
	if !ok {
		r.fail()
	}
	return v
}

var (
	counted = regexp.MustCompile(`^(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?`)
	inSheet = regexp.MustCompile(`^(?:'((?:[^']|'')*)'|([\pL_][\pL\pN_.]*))!`)
	columns = regexp.MustCompile(`^\$?([A-Za-z]{1,3}):\$?([A-Za-z]{1,3})`)
	called  = regexp.MustCompile(`^[\pL_\\][\pL\pN_.]*`)
)

func (r *formulaReader) atom() operand {
	switch c := r.next(); {
	case c == '(':
		r.rest = r.rest[1:]
		o := r.compared()
		if !r.take(")") {
			return r.fail()
		}
		return o
	case c == '"':
		return r.quoted()
	case c >= '0' && c <= '9' || c == '.':
		found := counted.FindString(r.rest)
		if r.rest = r.rest[len(found):]; found == "" || r.next() == ':' {
			return r.fail()
		}
		return operand{value: value{kind: numberValue, number: float(found)}}
	}
	sheet := r.sheet
	if match := inSheet.FindStringSubmatch(r.rest); match != nil {
		sheet = strings.ReplaceAll(match[1], "''", "'") + match[2]
		r.rest = r.rest[len(match[0]):]
	}
	if o, found := r.area(sheet); found {
		return o
	}
	name := called.FindString(r.rest)
	if name == "" || sheet != r.sheet {
		return r.fail()
	}
	r.rest = r.rest[len(name):]
	if r.take("(") {
		return r.call(strings.ToUpper(strings.TrimPrefix(strings.ToUpper(name), "_XLFN.")))
	}
	return r.named(name)
}

func (r *formulaReader) quoted() operand {
	var b strings.Builder
	for rest := r.rest[1:]; ; {
		part, after, found := strings.Cut(rest, `"`)
		if !found {
			return r.fail()
		}
		b.WriteString(part)
		if rest = after; !strings.HasPrefix(rest, `"`) {
			r.rest = rest
			return operand{value: value{kind: textValue, text: b.String()}}
		}
		b.WriteByte('"')
		rest = rest[1:]
	}
}

// area reads a reference to a cell, to an area or to columns.
func (r *formulaReader) area(sheet string) (operand, bool) {
	if match := columns.FindStringSubmatch(r.rest); match != nil {
		r.rest = r.rest[len(match[0]):]
		from, err := excelize.ColumnNameToNumber(match[1])
		to, wrong := excelize.ColumnNameToNumber(match[2])
		g := r.grid(sheet)
		if err != nil || wrong != nil || g == nil || r.right != 0 {
			return r.fail(), true
		}
		return operand{sheet: sheet, first: place{from, 1}, last: place{to, max(g.rows, 2)}, isArea: true}, true
	}
	reference := relative.FindString(r.rest)
	if reference == "" || len(reference) < len(r.rest) && (wordByte(r.rest[len(reference)]) || strings.IndexByte("(![", r.rest[len(reference)]) >= 0) {
		return operand{}, false
	}
	r.rest = r.rest[len(reference):]
	first, ok := placeOf(reference, r.right, r.down)
	last := first
	if ok && r.take(":") {
		if reference = relative.FindString(r.rest); reference == "" {
			return r.fail(), true
		}
		r.rest = r.rest[len(reference):]
		last, ok = placeOf(reference, r.right, r.down)
	}
	if !ok || r.take("#") || r.take(":") {
		return r.fail(), true
	}
	return operand{
		sheet: sheet, first: place{min(first.column, last.column), min(first.row, last.row)},
		last: place{max(first.column, last.column), max(first.row, last.row)}, isArea: true,
	}, true
}

// named reads a truth or a name that the workbook defines.
func (r *formulaReader) named(name string) operand {
	switch strings.ToUpper(name) {
	case "TRUE":
		return operand{value: truthOf(true)}
	case "FALSE":
		return operand{value: truthOf(false)}
	}
	defined := r.book.names[strings.ToLower(name)]
	if defined == "" || r.depth > maxFormulaDepth/2 {
		return r.fail()
	}
	inner := &formulaReader{calculator: r.calculator, rest: defined, sheet: r.sheet, depth: r.depth + maxFormulaDepth/4}
	o := inner.compared()
	if inner.failed || inner.next() != 0 {
		return r.fail()
	}
	return o
}

// arguments reads what stands between the parentheses of a function.
func (r *formulaReader) arguments() []operand {
	var all []operand
	if r.take(")") {
		return all
	}
	for !r.failed {
		if c := r.next(); c == ',' || c == ')' {
			all = append(all, operand{})
		} else {
			all = append(all, r.compared())
		}
		switch {
		case r.take(")"):
			return all
		case !r.take(",") || len(all) > 255:
			r.fail()
		}
	}
	return all
}
