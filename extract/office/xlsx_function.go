package office

import (
	"math"
	"strings"
)

// call calculates a function of its arguments.
func (r *formulaReader) call(name string) operand {
	args := r.arguments()
	if r.failed {
		return operand{}
	}
	switch name {
	case "IF", "IFERROR", "AND", "OR", "NOT":
		return r.logic(name, args)
	case "SUM", "AVERAGE", "MIN", "MAX", "COUNT", "COUNTA", "PRODUCT":
		return r.total(name, args)
	case "CONCATENATE", "CONCAT":
		return r.total(name, args)
	}
	var values []value
	for _, a := range args {
		v := r.single(a)
		if r.failed {
			return operand{}
		}
		if v.kind == failureValue {
			return operand{value: v}
		}
		values = append(values, v)
	}
	if v, ok := function(name, values); ok {
		return operand{value: v}
	}
	return r.fail()
}

func (r *formulaReader) logic(name string, args []operand) operand {
	switch {
	case name == "IF" && (len(args) == 2 || len(args) == 3):
		condition := r.single(args[0])
		is, ok := condition.asNumber()
		switch {
		case condition.kind == failureValue:
			return operand{value: condition}
		case !ok:
			return operand{value: value{kind: failureValue, text: "#VALUE!"}}
		case is != 0:
			return args[1]
		case len(args) == 3:
			return args[2]
		}
		return operand{value: truthOf(false)}
	case name == "IFERROR" && len(args) == 2:
		if v := r.single(args[0]); v.kind != failureValue {
			return operand{value: v}
		}
		return args[1]
	case name == "NOT" && len(args) == 1:
		v := r.single(args[0])
		is, ok := v.asNumber()
		if !ok {
			return r.fail()
		}
		return operand{value: truthOf(is == 0)}
	case (name == "AND" || name == "OR") && len(args) > 0:
		all, some := true, false
		for v := range r.each(args) {
			is, ok := v.asNumber()
			if !ok || v.kind == textValue {
				return r.fail()
			}
			if v.kind != blankValue {
				all, some = all && is != 0, some || is != 0
			}
		}
		return operand{value: truthOf(name == "AND" && all || name == "OR" && some)}
	}
	return r.fail()
}

// each yields the values of all arguments, cell by cell.
func (r *formulaReader) each(args []operand) func(func(value) bool) {
	return func(yield func(value) bool) {
		for _, a := range args {
			if !a.isArea {
				if !yield(a.value) {
					return
				}
				continue
			}
			g := r.grid(a.sheet)
			if g == nil {
				r.fail()
				return
			}
			for row := a.first.row; row <= min(a.last.row, g.rows); row++ {
				for column := a.first.column; column <= min(a.last.column, g.columns); column++ {
					v, ok := r.cell(a.sheet, column, row, nil)
					if !ok {
						r.fail()
						return
					}
					if !yield(v) {
						return
					}
				}
			}
		}
	}
}

// total calculates a function of any number of values.
func (r *formulaReader) total(name string, args []operand) operand {
	var joined strings.Builder
	sum, product, least, most, count, filled := 0.0, 1.0, math.Inf(1), math.Inf(-1), 0, 0
	for v := range r.each(args) {
		if v.kind == failureValue && name != "COUNT" && name != "COUNTA" {
			return operand{value: v}
		}
		if v.kind != blankValue {
			filled++
		}
		if joined.WriteString(v.shown()); joined.Len() > 32_767 && strings.HasPrefix(name, "CONCAT") {
			return r.fail()
		}
		if v.kind == numberValue {
			count++
			sum, product, least, most = sum+v.number, product*v.number, min(least, v.number), max(most, v.number)
		}
	}
	if count == 0 {
		product, least, most = 0, 0, 0
	}
	v := value{kind: numberValue}
	switch name {
	case "SUM":
		v.number = sum
	case "PRODUCT":
		v.number = product
	case "MIN":
		v.number = least
	case "MAX":
		v.number = most
	case "COUNT":
		v.number = float64(count)
	case "COUNTA":
		v.number = float64(filled)
	case "AVERAGE":
		if v.number = sum / float64(count); count == 0 {
			v = value{kind: failureValue, text: "#DIV/0!"}
		}
	default:
		v = value{kind: textValue, text: joined.String()}
	}
	return operand{value: v}
}

// function calculates a function of single values.
func function(name string, args []value) (value, bool) {
	var numbers []float64
	for _, a := range args {
		n, ok := a.asNumber()
		if !ok {
			n = math.NaN()
		}
		numbers = append(numbers, n)
	}
	result := math.NaN()
	switch {
	case name == "ROUND" && len(args) == 2:
		result = rounded(numbers[0], numbers[1], math.Round)
	case name == "ROUNDUP" && len(args) == 2:
		result = rounded(numbers[0], numbers[1], func(n float64) float64 { return math.Copysign(math.Ceil(math.Abs(n)), n) })
	case (name == "ROUNDDOWN" || name == "TRUNC") && len(args) == 2:
		result = rounded(numbers[0], numbers[1], math.Trunc)
	case name == "TRUNC" && len(args) == 1:
		result = math.Trunc(numbers[0])
	case name == "INT" && len(args) == 1:
		result = math.Floor(numbers[0])
	case name == "ABS" && len(args) == 1:
		result = math.Abs(numbers[0])
	case name == "SQRT" && len(args) == 1:
		result = math.Sqrt(numbers[0])
	case name == "POWER" && len(args) == 2:
		result = math.Pow(numbers[0], numbers[1])
	case name == "MOD" && len(args) == 2 && numbers[1] != 0:
		result = numbers[0] - numbers[1]*math.Floor(numbers[0]/numbers[1])
	case name == "UPPER" && len(args) == 1:
		return value{kind: textValue, text: strings.ToUpper(args[0].shown())}, true
	case name == "LOWER" && len(args) == 1:
		return value{kind: textValue, text: strings.ToLower(args[0].shown())}, true
	case name == "TRIM" && len(args) == 1:
		return value{kind: textValue, text: strings.Join(strings.Fields(args[0].shown()), " ")}, true
	}
	return value{kind: numberValue, number: result}, !math.IsNaN(result) && !math.IsInf(result, 0)
}

// rounded rounds to a number of decimals. The last of the 15 digits that Excel counts with are not
// looked at, as 1.005 is a little less in binary.
func rounded(n, decimals float64, by func(float64) float64) float64 {
	if math.IsNaN(n) || math.IsNaN(decimals) || math.Abs(decimals) > 15 {
		return math.NaN()
	}
	scale := math.Pow(10, math.Trunc(decimals))
	scaled := n * scale
	if near := math.Round(scaled*1e4) / 1e4; math.Abs(near-scaled) < math.Abs(scaled)*1e-14 {
		scaled = near
	}
	return by(scaled) / scale
}
