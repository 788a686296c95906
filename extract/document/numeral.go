package document

import (
	"strconv"
	"strings"
)

// letterings are the letters with which formats count. After the last they double: aa, bb.
var letterings = map[string]string{
	"lowerGreek": "αβγδεζηθικλμνξοπρστυφχψω", "lowerLetter": "abcdefghijklmnopqrstuvwxyz", "upperLetter": "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
	"russianLower": "абвгдежзиклмнопрстуфхцчшщыэюя", "russianUpper": "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЫЭЮЯ",
	"chicago": "*†‡§", "ganada": "가나다라마바사아자차카타파하", "chosung": "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ",
	"aiueoFullWidth":       "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン",
	"ideographTraditional": "甲乙丙丁戊己庚辛壬癸", "ideographZodiac": "子丑寅卯辰巳午未申酉戌亥",
	"arabicAlpha": "أبتثجحخدذرزسشصضطظعغفقكلمنهوي", "arabicAbjad": "أبجدهوزحطيكلمنسعفصقرشتثخذضظغ",
	"hebrew2": "אבגדהוזחטיכלמנסעפצקרשת", "thaiLetters": "กขคงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮ",
}

// series are the characters of formats that count up to their last.
var series = map[string]string{
	"decimalEnclosedCircle": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳", "decimalEnclosedCircleChinese": "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳",
	"decimalEnclosedParen": "⑴⑵⑶⑷⑸⑹⑺⑻⑼⑽⑾⑿⒀⒁⒂⒃⒄⒅⒆⒇", "decimalEnclosedFullstop": "⒈⒉⒊⒋⒌⒍⒎⒏⒐⒑⒒⒓⒔⒕⒖⒗⒘⒙⒚⒛",
	"ideographEnclosedCircle": "㊀㊁㊂㊃㊄㊅㊆㊇㊈㊉",
}

var (
	cardinals = strings.Fields("One Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen Sixteen Seventeen Eighteen Nineteen Twenty")
	ordinals  = strings.Fields("First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth Thirteenth Fourteenth Fifteenth Sixteenth Seventeenth Eighteenth Nineteenth Twentieth")
)

// Numeral writes a number in a numbering format (ECMA-376, part 1, section 17.18.59). Formats
// without a case here are plain numbers.
func Numeral(n int, format string) string {
	plain := strconv.Itoa(n)
	if n < 1 {
		if format == "none" {
			return ""
		}
		return plain
	}
	if letters := []rune(letterings[format]); len(letters) > 0 && n <= 30*len(letters) {
		return strings.Repeat(string(letters[(n-1)%len(letters)]), (n-1)/len(letters)+1)
	}
	if signs := []rune(series[format]); n <= len(signs) {
		return string(signs[n-1])
	}
	switch format {
	case "none":
		return ""
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "decimalZero":
		return padded(plain, 2)
	case "ordinal":
		return plain + ordinalSuffix(n)
	case "cardinalText":
		if n <= len(cardinals) {
			return cardinals[n-1]
		}
	case "ordinalText":
		if n <= len(ordinals) {
			return ordinals[n-1]
		}
	case "numberInDash":
		return "- " + plain + " -"
	case "hex":
		return strings.ToUpper(strconv.FormatInt(int64(n), 16))
	case "chineseCounting", "chineseCountingThousand", "japaneseCounting", "koreanCounting", "taiwaneseCounting", "taiwaneseCountingThousand":
		if n < 100 {
			return inIdeographs(n)
		}
	}
	if zeros, custom := strings.CutPrefix(format, "custom:"); custom {
		return padded(plain, len(zeros))
	}
	return plain
}

func padded(digits string, width int) string {
	return strings.Repeat("0", max(0, width-len(digits))) + digits
}

func ordinalSuffix(n int) string {
	if n%100 >= 11 && n%100 <= 13 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}

// inIdeographs writes a number below 100: 三, 十二, 二十.
func inIdeographs(n int) string {
	digits := []rune("〇一二三四五六七八九")
	text := ""
	if n >= 20 {
		text = string(digits[n/10])
	}
	if n >= 10 {
		text += "十"
	}
	if n%10 > 0 {
		text += string(digits[n%10])
	}
	return text
}

func roman(n int) string {
	if n > 3999 {
		return strconv.Itoa(n)
	}
	var b strings.Builder
	for _, digit := range []struct {
		value int
		text  string
	}{
		{1000, "M"},
		{900, "CM"},
		{500, "D"},
		{400, "CD"},
		{100, "C"},
		{90, "XC"},
		{50, "L"},
		{40, "XL"},
		{10, "X"},
		{9, "IX"},
		{5, "V"},
		{4, "IV"},
		{1, "I"},
	} {
		for ; n >= digit.value; n -= digit.value {
			b.WriteString(digit.text)
		}
	}
	return b.String()
}
