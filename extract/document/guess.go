package document

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// A text is read in each encoding, and each reading has a price: how improbable it is, in
// nats, as text of a language that people write in this encoding. The libraries that were
// measured got every third short text wrong, with scores that did not say so.

// candidate is an encoding with the languages that people write in it. Its price is that of
// being rarer than others.
type candidate struct {
	label     string
	encoding  encoding.Encoding
	price     float64
	languages string
}

const western = "en de fr es pt it nl sv da is ca sq"

var candidates = []candidate{
	{label: "windows-1252", languages: western},
	{label: "utf-8", price: .5, languages: western + " pl cs hu ro tr ru uk el he ar zh-hans zh-hant ja ko"}, // with broken characters
	{label: "gb18030", price: .5, languages: "zh-hans zh-hant"},
	{label: "big5", price: .7, languages: "zh-hant"},
	{label: "shift_jis", price: .5, languages: "ja ja-half"},
	{label: "euc-jp", price: 1, languages: "ja"},
	{label: "euc-kr", price: .7, languages: "ko"},
	{label: "windows-1251", price: .5, languages: "ru uk bg sr be"},
	{label: "koi8-r", price: 1.5, languages: "ru"},
	{label: "koi8-u", price: 1.7, languages: "ru uk"},
	{label: "iso-8859-5", price: 2.5, languages: "ru uk bg sr be"},
	{label: "x-mac-cyrillic", price: 4, languages: "ru uk bg"},
	{label: "ibm866", price: 3, languages: "ru bg"},
	{label: "windows-1250", price: 1.7, languages: "pl cs sk hu ro sh de"},
	{label: "iso-8859-2", price: 2.5, languages: "pl cs sk hu ro sh de"},
	{label: "windows-1253", price: 1, languages: "el"},
	{label: "iso-8859-7", price: 1.2, languages: "el"},
	{label: "windows-1254", price: 2, languages: "tr"},
	{label: "windows-1255", price: 1, languages: "he"},
	{label: "iso-8859-8", price: 1.5, languages: "he"},
	{label: "windows-1256", price: 1, languages: "ar fa"},
	{label: "iso-8859-6", price: 1.5, languages: "ar"},
	{label: "windows-1257", price: 2.2, languages: "lt lv et"},
	{label: "windows-1258", price: 6, languages: "vi"},
	{label: "windows-874", price: 1, languages: "th"},
	{label: "iso-8859-15", price: 2.5, languages: western},
	{label: "iso-8859-3", price: 4, languages: "eo mt"},
	{label: "iso-8859-4", price: 4, languages: "lt lv et"},
	{label: "iso-8859-10", price: 4, languages: "is lt lv et"},
	{label: "iso-8859-13", price: 3.5, languages: "lt lv et pl"},
	{label: "iso-8859-14", price: 4, languages: "cy"},
	{label: "iso-8859-16", price: 4, languages: "ro"},
	{label: "macintosh", price: 3, languages: western},
	{encoding: charmap.CodePage850, price: 3, languages: western},
	{encoding: charmap.CodePage852, price: 4, languages: "pl cs sk hu ro sh"},
}

const (
	// sampled is how much of a text is read in every encoding.
	sampled = 8 << 10
	// doubt is the price by which the best reading must beat every other: it is four times as
	// probable.
	doubt = 1.4
	// dearest is what a byte beyond ASCII may cost at most on average, and rare what some of
	// them may cost more. What costs more is in no encoding that is known here, or no text.
	dearest = 7
	rare    = 12
)

// guess returns the encoding of a text that is not UTF-8 and declares none, or nil if that is
// in doubt.
func guess(body []byte) encoding.Encoding {
	body = sampleOf(body)
	beyond := 0
	for _, c := range body {
		if c >= utf8.RuneSelf {
			beyond++
		}
	}
	languages := languagePrices(body)
	var best encoding.Encoding
	var reading string
	least, second := math.Inf(1), math.Inf(1)
	for _, c := range candidates {
		from := c.encoding
		if from == nil {
			from, _ = charset.Lookup(c.label)
		}
		text, err := from.NewDecoder().Bytes(body)
		if err != nil {
			continue
		}
		read := string(text)
		if strings.Count(read, "\ufffd") > 1+len(read)/200 {
			continue
		}
		price := math.Inf(1)
		for language := range strings.FieldsSeq(c.languages) {
			price = min(price, models()[language].price(read)+languages[language])
		}
		switch price += c.price; {
		case read == reading:
			least = min(least, price)
		case price < least:
			best, reading, least, second = from, read, price, least
		default:
			second = min(second, price)
		}
	}
	if second-least < doubt || least > rare+dearest*float64(beyond)+asciiPrice*float64(len(body)-beyond) {
		return nil
	}
	return best
}

// languagePrices returns how much less probable than in the likeliest language the letters
// of ASCII are in each, which are the same in nearly every encoding.
func languagePrices(body []byte) map[string]float64 {
	var counts [26]float64
	letters := 0.0
	for _, c := range body {
		if letter(c) {
			counts[c|0x20-'a']++
			letters++
		}
	}
	prices, least := map[string]float64{}, math.Inf(1)
	for language, m := range models() {
		if alphabets[language].ascii == "" {
			continue
		}
		for i, n := range counts {
			prices[language] += n * m.ascii[i]
		}
		least = min(least, prices[language])
	}
	for language := range models() {
		price, latin := prices[language]
		if prices[language] = price - least; !latin {
			prices[language] = letters * .15
		}
		prices[language] = min(prices[language], mostASCII)
	}
	return prices
}

// sampleOf returns the first lines that are not ASCII. No encoding here has bytes of line
// ends in other characters.
func sampleOf(body []byte) []byte {
	var sample []byte
	for rest := body; len(rest) > 0 && len(sample) < sampled; {
		line := rest[:min(len(rest), sampled)]
		if end := bytes.IndexAny(line, "\r\n"); end >= 0 {
			line = line[:end+1]
		}
		rest = rest[len(line):]
		if !isASCII(line) {
			sample = append(sample, line...)
		}
	}
	return sample
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// model holds what the letters of a language cost.
type model struct {
	prices map[rune]float64
	// ascii is what each letter of ASCII costs.
	ascii [26]float64
	// ideographs says that words have no spaces and no cases.
	ideographs bool
}

const (
	asciiPrice    = 3
	mostASCII     = 5   // of all letters of ASCII beyond the price: texts have parts in other languages
	asciiFall     = 7   // by which fewer letters of ASCII have a lower rank
	foreignPrice  = 11  // of a letter of another language
	measurePrice  = 4   // of a unit behind a number, and of an apostrophe
	spacedPrice   = 5   // of a dash or a mark where it usually stands
	symbolPrice   = 6.5 // of a symbol that texts often have
	oddPrice      = 11  // of any other
	mixedPrice    = 8   // of a second script in a word
	brokenPrice   = 30  // of what no text has
	casePrice     = 6   // of a capital within a word
	surroundPrice = 5   // of a symbol within a word
)

// symbols are the characters beyond ASCII, besides letters, that texts often have.
const symbols = "«»„“”‘’‚–—…•·€£§°©®™½¼¾²³µ×¿¡№\u00a0、。，：；！？（）「」『』【】《》・ー￥～＝％、"

var models = sync.OnceValue(func() map[string]*model {
	made := make(map[string]*model)
	for language, a := range alphabets {
		m := &model{prices: make(map[rune]float64)}
		for rank, r := range a.ascii {
			m.ascii[r-'a'] = float64(rank)/asciiFall + math.Log(asciiFall/(1-a.share))
		}
		m.add(a.letters, a.share, float64(utf8.RuneCountInString(a.letters))/2.5)
		made[language] = m
	}
	made["zh-hans"] = ideographs(tier{simplified, .77}, tierOf("gb18030", 0xb0, 0xd7, .22))
	made["zh-hant"] = ideographs(tier{traditional, .77}, tierOf("big5", 0xa4, 0xc6, .22))
	made["ko"] = ideographs(tier{hangul, .85}, tierOf("euc-kr", 0xb0, 0xc8, .14))
	made["ja"] = ideographs(tier{kana(0x3041, 0x3093), .42}, tier{kana(0x30a1, 0x30fe), .22}, tier{kanji, .25}, tierOf("euc-jp", 0xb0, 0xcf, .1), tier{kana(0xff66, 0xff9f), .01})
	made["ja-half"] = ideographs(tier{kana(0xff66, 0xff9f), .8}, tier{kanji, .05}, tier{kana(0x3041, 0x3093), .1}, tier{kana(0x30a1, 0x30fe), .04})
	return made
})

// add gives letters their prices by their order: how often a letter comes falls
// exponentially with its rank.
func (m *model) add(letters string, share, fall float64) {
	sum := 0.0
	for rank := range utf8.RuneCountInString(letters) {
		sum += math.Exp(-float64(rank) / fall)
	}
	rank := 0
	for _, r := range letters {
		if _, known := m.prices[r]; !known {
			m.prices[r] = float64(rank)/fall - math.Log(share/sum)
		}
		rank++
	}
}

// tier is a group of characters with its share of a text.
type tier struct {
	characters string
	share      float64
}

func ideographs(tiers ...tier) *model {
	m := &model{prices: make(map[rune]float64), ideographs: true}
	for _, t := range tiers {
		m.add(t.characters, t.share, math.Inf(1))
	}
	return m
}

// tierOf is the level of frequent characters in a national standard, whose encoding begins
// them with these bytes.
func tierOf(label string, first, last byte, share float64) tier {
	var codes []byte
	for lead := first; lead <= last; lead++ {
		for trail := 0x40; trail <= 0xfe; trail++ {
			if trail >= 0xa1 || label == "big5" && trail <= 0x7e {
				codes = append(codes, lead, byte(trail))
			}
		}
	}
	from, _ := charset.Lookup(label)
	text, err := from.NewDecoder().Bytes(codes)
	if err != nil {
		return tier{"", share}
	}
	return tier{strings.ReplaceAll(string(text), "\ufffd", ""), share}
}

func kana(first, last rune) string {
	var b strings.Builder
	for r := first; r <= last; r++ {
		b.WriteRune(r)
	}
	return b.String()
}

// price returns how improbable a text is in the model's language.
func (m *model) price(text string) float64 {
	sum := 0.0
	before, earlier := ' ', ' '
	for _, r := range text {
		if r < utf8.RuneSelf {
			sum += asciiPrice
			if letter(byte(r)) && before >= utf8.RuneSelf && unicode.IsLetter(before) {
				sum += m.join(before, r)
			}
			if digit(r) && (before == '€' || before == '£') {
				sum -= symbolPrice - measurePrice
			}
		} else {
			sum += m.character(earlier, before, r)
		}
		if symbol(before) && before != '’' && before != '·' && unicode.IsLetter(earlier) && unicode.IsLetter(r) && !m.ideographs {
			sum += surroundPrice
		}
		earlier, before = before, r
	}
	return sum
}

func digit(r rune) bool { return r >= '0' && r <= '9' }

func symbol(r rune) bool {
	return r >= utf8.RuneSelf && !unicode.IsLetter(r) && !unicode.IsMark(r) && r != '\u00a0'
}

// character returns the price of a character beyond ASCII behind two others.
func (m *model) character(earlier, before, r rune) float64 {
	price, known := m.prices[r]
	switch {
	case known:
	case m.prices[unicode.ToLower(r)] > 0:
		price = m.prices[unicode.ToLower(r)]
	case strings.ContainsRune("€£°½¼¾²³µ×", r) && (digit(before) || digit(earlier) && (before == ' ' || before == '\u00a0')),
		r == '’' && unicode.IsLetter(before):
		return measurePrice
	case strings.ContainsRune("©®™•–—…", r) && (before <= ' ' || digit(before)):
		return spacedPrice
	case strings.ContainsRune(symbols, r):
		if price = symbolPrice; strings.ContainsRune("¿¡£€№", r) && unicode.IsLetter(before) {
			price += surroundPrice
		}
		return price
	case unicode.IsLetter(r) || unicode.IsMark(r):
		price = foreignPrice
		if wide := r >= 0xff01 && r <= 0xff5e; !wide && (m.ideographs || unicode.Is(unicode.Han, r)) {
			price = 13
		}
	case r >= 0x2500 && r < 0x25a0: // lines of boxes
		return oddPrice + casePrice
	case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Co, r), !unicode.IsGraphic(r) && r != '\u200e' && r != '\u200f' && r != '\u200c' && r != '\u200d':
		return brokenPrice
	default:
		return oddPrice
	}
	switch {
	case unicode.IsLetter(before):
		price += m.join(before, r)
	case unicode.IsMark(r) && !unicode.IsMark(before):
		price += casePrice
	case digit(before) && !m.ideographs:
		price++
	}
	if unicode.IsUpper(r) {
		switch {
		case !unicode.IsLetter(before):
			price += 1.5
		case unicode.IsUpper(before):
			price += .2
		default:
			price += casePrice
		}
	} else if unicode.IsUpper(before) && unicode.IsUpper(earlier) && unicode.IsLower(r) {
		price += casePrice / 2
	}
	return price
}

// join returns what two letters side by side cost beyond themselves.
func (m *model) join(before, r rune) float64 {
	switch {
	case m.ideographs:
		switch {
		case (before < utf8.RuneSelf) == (r < utf8.RuneSelf):
			return 0
		case before >= 0xff61 && before <= 0xff9f || r >= 0xff61 && r <= 0xff9f:
			return mixedPrice
		case unicode.IsLower(before) || unicode.IsLower(r):
			return 2.5
		}
		return 1
	case unicode.IsLower(before) && unicode.IsUpper(r) && r < utf8.RuneSelf:
		return casePrice
	case scriptOf(before) != scriptOf(r):
		return mixedPrice
	}
	return 0
}

// scriptOf numbers the scripts of the alphabets; others share a number.
func scriptOf(r rune) int {
	switch {
	case r < 0x250 || r >= 0x1e00 && r < 0x1f00 || r >= 0x300 && r < 0x370:
		return 1
	case r < 0x400 || r >= 0x1f00 && r < 0x2000:
		return 2
	case r < 0x530:
		return 3
	case r >= 0x590 && r < 0x600:
		return 4
	case r < 0x780:
		return 5
	}
	return 6
}
