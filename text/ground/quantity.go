package ground

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/language"
	"parley/text/lexical"
)

// quantity is a number with its unit.
type quantity struct {
	// raw is the number as it is written, and value as it is read in its language, in one
	// notation.
	raw, value string
	// keys are the number in its unit's smallest one, empty without a unit: half an hour
	// and 30 minutes have the same. A number of bytes has two.
	keys []string
	// counts says that a word stands behind it which is no unit: "10 users".
	counts bool
	// spelled says that it is written as a word.
	spelled bool
}

// measure says how a unit is reduced.
type measure struct {
	base   string
	factor float64
	// factor2 is another one in use: a kilobyte has 1000 bytes, or 1024.
	factor2 float64
}

// measures are the units that the catalog of languages names.
var measures = map[string]measure{
	"second": {base: "s", factor: 1}, "minute": {base: "s", factor: 60}, "hour": {base: "s", factor: 3600}, "day": {base: "s", factor: 86400},
	"week": {base: "s", factor: 604800}, "half_hour": {base: "s", factor: 1800}, "month": {base: "month", factor: 1}, "year": {base: "month", factor: 12},
	"byte": {base: "B", factor: 1, factor2: 1}, "kilobyte": {base: "B", factor: 1e3, factor2: 1 << 10}, "megabyte": {base: "B", factor: 1e6, factor2: 1 << 20},
	"gigabyte": {base: "B", factor: 1e9, factor2: 1 << 30}, "terabyte": {base: "B", factor: 1e12, factor2: 1 << 40},
	"meter": {base: "m", factor: 1}, "kilometer": {base: "m", factor: 1000}, "mile": {base: "m", factor: 1609.344}, "gram": {base: "g", factor: 1},
	"kilogram": {base: "g", factor: 1000}, "liter": {base: "l", factor: 1}, "degree": {base: "°", factor: 1}, "percent": {base: "%", factor: 1},
	"clock": {base: "clock", factor: 1},
}

// factors multiply the number before them.
var factors = map[string]float64{"thousand": 1e3, "tenthousand": 1e4, "million": 1e6, "hundredmillion": 1e8, "billion": 1e9}

// symbols are units in all languages. Those of one or two letters stand as they are
// written.
var symbols = map[string]measure{
	"%": {base: "%", factor: 1}, "‰": {base: "‰", factor: 1}, "°": {base: "°", factor: 1},
	"€": {base: "EUR", factor: 1}, "$": {base: "USD", factor: 1}, "£": {base: "GBP", factor: 1}, "¥": {base: "¥", factor: 1}, "￥": {base: "¥", factor: 1}, "₹": {base: "INR", factor: 1},
	"₽": {base: "RUB", factor: 1}, "₺": {base: "TRY", factor: 1}, "₩": {base: "KRW", factor: 1}, "฿": {base: "THB", factor: 1}, "₪": {base: "ILS", factor: 1},
	"ms": {base: "s", factor: .001}, "s": {base: "s", factor: 1}, "h": {base: "s", factor: 3600}, "min": {base: "s", factor: 60},
	"kB": {base: "B", factor: 1e3, factor2: 1 << 10}, "KB": {base: "B", factor: 1e3, factor2: 1 << 10}, "MB": {base: "B", factor: 1e6, factor2: 1 << 20},
	"GB": {base: "B", factor: 1e9, factor2: 1 << 30}, "TB": {base: "B", factor: 1e12, factor2: 1 << 40},
	"KiB": {base: "B", factor: 1 << 10, factor2: 1 << 10}, "MiB": {base: "B", factor: 1 << 20, factor2: 1 << 20}, "GiB": {base: "B", factor: 1 << 30, factor2: 1 << 30},
	"mm": {base: "m", factor: .001}, "cm": {base: "m", factor: .01}, "m": {base: "m", factor: 1}, "km": {base: "m", factor: 1000},
	"mg": {base: "g", factor: .001}, "g": {base: "g", factor: 1}, "kg": {base: "g", factor: 1000}, "ml": {base: "l", factor: .001}, "cl": {base: "l", factor: .01}, "l": {base: "l", factor: 1},
	"W": {base: "W", factor: 1}, "kW": {base: "W", factor: 1000}, "kWh": {base: "kWh", factor: 1}, "V": {base: "V", factor: 1}, "Hz": {base: "Hz", factor: 1}, "kHz": {base: "Hz", factor: 1e3},
	"MHz": {base: "Hz", factor: 1e6}, "GHz": {base: "Hz", factor: 1e9}, "px": {base: "px", factor: 1},
}

// measureNamed is the measure of a name of the catalog. Names in capitals are currencies.
func measureNamed(name string) measure {
	if m, ok := measures[name]; ok {
		return m
	}
	return measure{base: name, factor: 1}
}

// quantitiesOf returns the numbers of a text, in figures and words.
func quantitiesOf(tokens []token, in language.Code) []quantity {
	s := scale{tokens: tokens, in: in, cues: language.CuesIn(in)}
	var list []quantity
	var ends []int
	for at := range tokens {
		if q, end, ok := s.quantity(at); ok {
			list, ends = append(list, q), append(ends, end)
			if n := len(list) - 1; n > 0 && len(q.keys) > 0 {
				s.range_(&list[n-1], q, ends[n-1], at)
			}
		}
	}
	return list
}

// scale reads the numbers of tokens.
type scale struct {
	tokens []token
	in     language.Code
	cues   *language.Cues
	// used is the measure that was read last.
	used  measure
	times float64
}

// quantity returns the number that begins with a token, and where it ends.
func (s *scale) quantity(at int) (q quantity, end int, ok bool) {
	t := s.tokens[at]
	s.used, s.times = measure{}, 1
	end = at + 1
	switch t.kind {
	case numberToken:
		q.raw, q.value = t.text, valueOf(t.text, s.cues.Comma)
	case wordToken:
		if name, n := s.cues.Measure(wordsFrom(s.tokens, at)); name == "half_hour" {
			q.raw, q.value, q.spelled = "1", "1", true
			s.used = measures[name]
			q.keys = s.keys(q.value)
			return q, at + n, true
		}
		if q.value, ok = s.cues.Number(t.word); !ok {
			return q, 0, false
		}
		q.raw, q.spelled = q.value, true
	case runToken:
		return s.inRun(at)
	default:
		return q, 0, false
	}
	end = s.unit(at, end)
	if s.used.base == "" && s.times == 1 {
		q.counts = s.isCounted(end)
	}
	q.value = times(q.value, s.times)
	q.keys = s.keys(q.value)
	return q, end, true
}

// inRun reads a number that is written in letters, with its unit: "三天". Without a unit
// such letters are parts of words.
func (s *scale) inRun(at int) (q quantity, end int, ok bool) {
	text := s.tokens[at].text
	for from := range text {
		digits, n := s.cues.NumberWithin(text[from:])
		name, length := "", 0
		if n > 0 {
			name, length = s.cues.MeasureWithin(text[from+n:])
		} else if name, length = s.cues.MeasureWithin(text[from:]); name == "half_hour" {
			digits = "1"
		} else {
			length = 0
		}
		if length > 0 && factors[name] == 0 {
			s.used = measureNamed(name)
			return quantity{raw: digits, value: digits, spelled: true, keys: s.keys(digits)}, at + 1, true
		}
	}
	return q, 0, false
}

// unit reads the unit of a number that ends before a token, and returns where it ends.
func (s *scale) unit(start, at int) int {
	if at < len(s.tokens) && s.tokens[at].text == "-" && s.tokens[at].glued { // "10-day"
		at++
	}
	if at >= len(s.tokens) {
		s.prefix(start)
		return at
	}
	if half := s.halfOfDay(at); half > 0 {
		return at + half
	}
	name, n := s.named(at)
	if factor := factors[name]; factor > 0 && n > 0 {
		s.times = factor
		at += n
		name, n = s.named(at)
	}
	if n > 0 && factors[name] == 0 {
		s.used = measureNamed(name)
		return at + n
	}
	if at < len(s.tokens) {
		if m, ok := symbols[s.tokens[at].text]; ok {
			s.used = m
			return at + 1
		}
	}
	s.prefix(start)
	if s.used.base == "" && s.times == 1 && strings.Contains(s.tokens[start].text, ":") {
		s.used = measures["clock"]
	}
	return at
}

// named is the name of the unit that stands at a token, and how many tokens it takes. A word
// may stand before a unit of time: "10 business days".
func (s *scale) named(at int) (name string, length int) {
	if at >= len(s.tokens) {
		return "", 0
	}
	if s.tokens[at].kind == runToken {
		text := s.tokens[at].text
		name, n := s.cues.MeasureWithin(text)
		if factors[name] > 0 { // "3万円"
			if second, _ := s.cues.MeasureWithin(text[n:]); second != "" {
				s.times = factors[name]
				return second, 1
			}
		}
		return name, min(n, 1)
	}
	words := wordsFrom(s.tokens, at)
	if name, n := s.cues.Measure(words); n > 0 {
		return name, n
	}
	if len(words) > 1 {
		if name, n := s.cues.Measure(words[1:]); n > 0 && (measures[name].base == "s" || measures[name].base == "month") {
			if _, isNumber := s.cues.Number(words[0]); !isNumber {
				return name, n + 1
			}
		}
	}
	return "", 0
}

// halfOfDay reads "am" and "p.m.", and returns how many tokens they take.
func (s *scale) halfOfDay(at int) int {
	t := s.tokens[at]
	if t.kind != wordToken {
		return 0
	}
	length, half := 1, t.word
	if (half == "a" || half == "p") && at+2 < len(s.tokens) && s.tokens[at+1].text == "." && s.tokens[at+2].word == "m" && s.tokens[at+2].glued {
		length, half = 3, half+"m"
	}
	if half != "am" && half != "pm" {
		return 0
	}
	s.used = measure{base: half, factor: 1}
	return length
}

// prefix reads the unit before a number: "$5", "USD 5".
func (s *scale) prefix(start int) {
	if start == 0 {
		return
	}
	before := s.tokens[start-1]
	if m, ok := symbols[before.text]; ok && before.kind == signToken && s.tokens[start].glued || ok && before.text != "%" && before.kind == signToken {
		s.used = m
		return
	}
	name, n := "", 0
	if before.kind == wordToken {
		name, n = s.cues.Measure([]string{before.word})
	}
	switch {
	case n > 0 && (name == "percent" || strings.ToUpper(name) == name && measures[name].base == ""):
		s.used = measureNamed(name)
	case before.kind == wordToken && len(before.text) == 3 && currencies[before.text]:
		s.used = measure{base: before.text, factor: 1}
	}
}

// currencies are codes that may stand before or behind a number.
var currencies = setOf(strings.Fields("EUR USD GBP CHF JPY CNY INR RUB TRY KRW THB ILS SEK DKK NOK PLN CZK CAD AUD BRL MXN SAR AED EGP"))

// isCounted reports whether a word stands at a token that a number may count.
func (s *scale) isCounted(at int) bool {
	if at >= len(s.tokens) {
		return false
	}
	switch t := s.tokens[at]; t.kind {
	case runToken:
		return true
	case wordToken:
		if currencies[t.text] {
			s.used = measure{base: t.text, factor: 1}
			return false
		}
		kind, _ := s.cues.Of([]string{t.word})
		return kind == language.NoCue && lexical.TermOf(t.text, s.in) != ""
	}
	return false
}

// keys are a number in the measure that was read.
func (s *scale) keys(value string) []string {
	n, err := strconv.ParseFloat(value, 64)
	if s.used.base == "" || err != nil {
		return nil
	}
	switch s.used.base {
	case "am":
		return []string{inUnit(math.Mod(n, 12), "clock")}
	case "pm":
		return []string{inUnit(math.Mod(n, 12)+12, "clock")}
	case "CNY", "JPY":
		return []string{inUnit(n, s.used.base), inUnit(n, "¥")}
	case "¥":
		return []string{inUnit(n, "CNY"), inUnit(n, "JPY"), inUnit(n, "¥")}
	}
	keys := []string{inUnit(n*s.used.factor, s.used.base)}
	if s.used.factor2 != 0 {
		keys = append(keys, inUnit(n*s.used.factor2, "B2"))
	}
	return keys
}

func inUnit(n float64, base string) string {
	return strconv.FormatFloat(n, 'g', 12, 64) + " " + base
}

// times is a number in figures, multiplied.
func times(value string, factor float64) string {
	n, err := strconv.ParseFloat(value, 64)
	if factor == 1 || err != nil {
		return value
	}
	return strconv.FormatFloat(n*factor, 'f', -1, 64)
}

// range_ gives a number the unit of the one behind it, if both are the ends of a range or
// alternatives: "10–20 days", "2 or 3 GB".
func (s *scale) range_(first *quantity, second quantity, end, at int) {
	if len(first.keys) > 0 || first.spelled != second.spelled || at-end > 2 || at <= end {
		return
	}
	for _, t := range s.tokens[end:at] {
		if t.kind == numberToken || utf8.RuneCountInString(t.text) > maxJoin || t.text == "." || t.text == ";" || t.text == "|" {
			return
		}
	}
	first.keys, first.counts = s.keys(times(first.value, s.times)), false
}

// maxJoin is how long a word may be that stands between the ends of a range.
const maxJoin = 4

// valueOf reads a number in figures: without what parts thousands, with a point before
// decimals, without zeros that do not count. With one point or comma before three digits
// the language decides.
func valueOf(raw string, comma bool) string {
	text := strings.Map(func(r rune) rune {
		switch {
		case r == ':':
			return '.'
		case r < utf8.RuneSelf && r != ' ' && r != '\'':
			return r
		case unicode.IsSpace(r) || r == '\'' || r == '’':
			return -1
		}
		return r
	}, raw)
	points, commas := strings.Count(text, "."), strings.Count(text, ",")
	at := strings.LastIndexAny(text, ".,")
	switch {
	case at < 0:
	case points > 0 && commas > 0: // the last one stands before decimals
		text = strings.NewReplacer(".", "", ",", "").Replace(text[:at]) + "." + text[at+1:]
	case points+commas > 1:
		if thousands.MatchString(text) {
			text = strings.NewReplacer(".", "", ",", "").Replace(text)
		}
		text = strings.ReplaceAll(text, ",", ".")
	case len(text)-at == 4 && text[0] != '0' && !strings.Contains(raw, ":") && (text[at] == ',') != comma:
		text = text[:at] + text[at+1:]
	default:
		text = strings.ReplaceAll(text, ",", ".")
	}
	if strings.Count(text, ".") == 1 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if trimmed := strings.TrimLeft(text, "0"); trimmed != "" && trimmed[0] != '.' {
		return trimmed
	}
	return "0" + strings.TrimLeft(text, "0")
}
