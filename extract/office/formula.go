package office

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/text/raised"
)

// linear writes a formula on one line (ECMA-376, part 1, section 22.1): 1/2, x², √(a+b),
// ∑_(i=1)ⁿ i.
type linear struct {
	b strings.Builder
	// before is the text before the formula.
	before string
	// apart says that a fraction ends here, which no letter or digit may lengthen.
	apart bool
}

func (l *linear) String() string { return l.b.String() }

func (l *linear) tail() string {
	text := l.b.String()
	if text == "" {
		text = l.before
	}
	return text[max(0, len(text)-utf8.UTFMax):]
}

func (l *linear) text(s string) {
	if s == "" {
		return
	}
	if first, _ := utf8.DecodeRuneInString(s); l.apart && wordy(first) {
		l.b.WriteByte(' ')
	}
	l.apart = false
	l.b.WriteString(s)
}

// argument returns an element of a formula on its own.
func argument(n *xmlNode) string {
	if n == nil {
		return ""
	}
	inside := &linear{}
	inside.kids(n)
	return strings.TrimSpace(inside.String())
}

func (l *linear) kids(n *xmlNode) {
	for _, k := range n.kids {
		l.write(k)
	}
}

func (l *linear) write(n *xmlNode) {
	switch n.name {
	case "t":
		l.text(n.text)
	case "sym":
		l.text(symbol(n.attr("font"), n.attr("char")))
	case "r":
		if !n.on("rPr", "vanish") {
			l.kids(n)
		}
	case "f":
		l.fraction(n)
	case "sSup", "sSub", "sSubSup":
		l.text(grouped(argument(n.kid("e"))))
		l.scripts(n)
	case "sPre":
		l.scripts(n)
		l.text(argument(n.kid("e")))
	case "rad":
		l.root(n)
	case "nary":
		l.text(charOf(n.kid("naryPr"), "chr", "∫"))
		l.scripts(n)
		l.text(" " + argument(n.kid("e")))
	case "func":
		l.text(argument(n.kid("fName")))
		if e := argument(n.kid("e")); strings.HasPrefix(e, "(") {
			l.text(e)
		} else {
			l.text(" " + grouped(e))
		}
	case "limLow":
		l.text(argument(n.kid("e")))
		l.text(raised.Sub(argument(n.kid("lim"))))
	case "limUpp":
		l.text(argument(n.kid("e")))
		l.text(raised.Super(l.tail(), argument(n.kid("lim"))))
	case "d":
		l.delimited(n)
	case "m":
		l.text(strings.Join(listed(n, "mr", func(row *xmlNode) string { return strings.Join(listed(row, "e", argument), ", ") }), "; "))
	case "eqArr":
		l.text(strings.Join(listed(n, "e", argument), "; "))
	case "acc":
		l.over(argument(n.kid("e")), charOf(n.kid("accPr"), "chr", "\u0302"))
	case "bar":
		if n.val("barPr", "pos") == "top" {
			l.over(argument(n.kid("e")), "\u0305")
		} else {
			l.over(argument(n.kid("e")), "\u0332")
		}
	case "phant":
		if n.kid("phantPr", "show") == nil || n.on("phantPr", "show") {
			l.kids(n)
		}
	case "del", "moveFrom", "Fallback", "delText", "rPr", "instrText":
	default:
		if !strings.HasSuffix(n.name, "Pr") {
			l.kids(n)
		}
	}
}

// fraction writes a/b with parentheses where the line would change the meaning.
func (l *linear) fraction(n *xmlNode) {
	numerator, denominator := argument(n.kid("num")), argument(n.kid("den"))
	if n.val("fPr", "type") == "noBar" {
		l.text(numerator + " over " + denominator)
		return
	}
	text := raised.Fraction(l.tail(), grouped(numerator), factor(denominator))
	if last, _ := utf8.DecodeLastRuneInString(l.tail()); unicode.IsLetter(last) {
		text = " " + text
	}
	l.text(text)
	l.apart = true
}

// scripts writes the limits, exponents and indexes of an element.
func (l *linear) scripts(n *xmlNode) {
	if sub := argument(n.kid("sub")); sub != "" && !n.on("naryPr", "subHide") {
		l.text(raised.Sub(sub))
	}
	if sup := argument(n.kid("sup")); sup != "" && !n.on("naryPr", "supHide") {
		l.text(raised.Super(l.tail(), sup))
	}
}

func (l *linear) root(n *xmlNode) {
	degree := argument(n.kid("deg"))
	if n.on("radPr", "degHide") {
		degree = ""
	}
	sign := "√"
	switch degree {
	case "", "2":
	case "3":
		sign = "∛"
	case "4":
		sign = "∜"
	default:
		if last, _ := utf8.DecodeLastRuneInString(l.tail()); wordy(last) {
			sign = " "
		} else {
			sign = ""
		}
		sign += raised.Super("", degree) + "√"
	}
	l.text(sign + factor(argument(n.kid("e"))))
}

func (l *linear) delimited(n *xmlNode) {
	inside := strings.Join(listed(n, "e", argument), charOf(n.kid("dPr"), "sepChr", "|"))
	l.text(charOf(n.kid("dPr"), "begChr", "(") + inside + charOf(n.kid("dPr"), "endChr", ")"))
}

// over writes a mark over each letter.
func (l *linear) over(text, mark string) {
	first, _ := utf8.DecodeRuneInString(mark)
	if !unicode.Is(unicode.Mn, first) {
		l.text(text + mark)
		return
	}
	var b strings.Builder
	for _, r := range text {
		b.WriteRune(r)
		if wordy(r) {
			b.WriteString(mark)
		}
	}
	l.text(b.String())
}

func listed(n *xmlNode, name string, write func(*xmlNode) string) []string {
	var parts []string
	for _, k := range n.kids {
		if k.name == name {
			parts = append(parts, write(k))
		}
	}
	return parts
}

// charOf returns a character among an element's properties. One without a value is none.
func charOf(properties *xmlNode, name, usual string) string {
	if k := properties.kid(name); k != nil {
		return k.attr("val")
	}
	return usual
}

// grouped returns text in parentheses unless it is one operand.
func grouped(text string) string {
	if text == "" || !strings.ContainsFunc(text, operator) || enclosed(text) {
		return text
	}
	return "(" + text + ")"
}

// factor is [grouped] for what must not be read as several factors: 1/(2x).
func factor(text string) string {
	digits, letters := 0, 0
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		} else if unicode.IsLetter(r) {
			letters++
		}
	}
	if digits > 0 && letters > 0 && !enclosed(text) {
		return "(" + text + ")"
	}
	return grouped(text)
}

func operator(r rune) bool {
	return r == ' ' || r == '/' || r == '-' || unicode.Is(unicode.Sm, r) && (r < '⁺' || r > '₌')
}

// enclosed reports whether one pair of brackets holds a whole text.
func enclosed(text string) bool {
	if text == "" || !strings.ContainsRune("([{", rune(text[0])) {
		return false
	}
	depth := 0
	for i, r := range text {
		switch r {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i == len(text)-1
			}
		}
	}
	return false
}

// equation writes what an EQ field shows of its fractions, roots, raised characters and lists
// (ECMA-376, part 1, section 17.16.5.17). It reads each character once.
func equation(code string) string {
	at := 0
	var sequence func(depth int, within bool) string
	argumentsAt := func(depth int) []string {
		for at < len(code) && code[at] == ' ' {
			at++
		}
		if at >= len(code) || code[at] != '(' {
			return nil
		}
		var all []string
		for at < len(code) && code[at] != ')' {
			at++
			all = append(all, sequence(depth+1, true))
		}
		at = min(at+1, len(code))
		return all
	}
	sequence = func(depth int, within bool) string {
		var b strings.Builder
		for at < len(code) {
			c := code[at]
			switch {
			case within && (c == ',' || c == ';' || c == ')'):
				return b.String()
			case c == '\\' && at+1 < len(code) && unicode.IsLetter(rune(code[at+1])) && depth < 30:
				name, options := code[at+1]|0x20, ""
				for at++; at < len(code) && code[at] != '(' && code[at] != ')'; at++ {
					options += string(code[at])
					if len(options) > 60 {
						break
					}
				}
				b.WriteString(equationPart(b.String(), name, strings.ToLower(options), argumentsAt(depth)))
			case c == '\\' && at+1 < len(code):
				b.WriteByte(code[at+1])
				at += 2
			case c == '(' && depth < 30:
				b.WriteString("(" + strings.Join(argumentsAt(depth), ", ") + ")")
			default:
				b.WriteByte(c)
				at++
			}
		}
		return b.String()
	}
	return strings.TrimSpace(sequence(0, false))
}

func equationPart(before string, name byte, options string, of []string) string {
	switch {
	case name == 'f' && len(of) == 2:
		return raised.Fraction(before[max(0, len(before)-utf8.UTFMax):], grouped(strings.TrimSpace(of[0])), factor(strings.TrimSpace(of[1])))
	case name == 'r' && len(of) == 1:
		return "√" + factor(strings.TrimSpace(of[0]))
	case name == 'r' && len(of) == 2:
		return raised.Super("", of[0]) + "√" + factor(strings.TrimSpace(of[1]))
	case name == 's' && len(of) == 1 && strings.Contains(options, `\do`):
		return raised.Sub(of[0])
	case name == 's' && len(of) == 1 && strings.Contains(options, `\up`):
		return raised.Super(before[max(0, len(before)-utf8.UTFMax):], of[0])
	case name == 'b' && len(of) == 1:
		return "(" + of[0] + ")"
	case name == 'd':
		return ""
	}
	return strings.Join(of, ", ")
}

// symbolField returns the character of a SYMBOL field: SYMBOL 109 \f "Symbol".
func symbolField(words []string) string {
	if len(words) < 2 {
		return ""
	}
	font := ""
	for i, word := range words {
		if strings.EqualFold(word, `\f`) && i+1 < len(words) {
			font = words[i+1]
		}
	}
	code, err := strconv.ParseInt(words[1], 0, 32)
	if err != nil {
		return words[1]
	}
	return symbolAt(font, rune(code))
}
