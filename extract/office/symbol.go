package office

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// symbolFonts maps the codes from 0x20 of fonts whose letters are symbols to Unicode (proposal
// L2/11-344, Adobe's table for Symbol). Arrows, boxes and check marks are the common ones,
// which people search for.
var symbolFonts = map[string][]rune{
	"symbol": []rune(
		" !∀#∃%&∍()*+,−./0123456789:;<=>?" +
			"≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_" +
			"‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}~\x00" +
			"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
			"€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵" +
			"ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓" +
			"◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\x00〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭\x00"),
	"webdings": []rune(
		" 🕷🕸🕲🕶🏆🎖🖇🗨🗩🗰🗱🌶🎗🙾🙼🗕🗖🗗⏴⏵⏶⏷⏪⏩⏮⏭⏸⏹⏺🗚🗳" +
			"🛠🏗🏘🏙🏚🏜🏭🏛🏠🏖🏝🛣🔍🏔👁👂🏞🏕🛤🏟🛳🕬🕫🕨🔈🎔🎕🗬🙽🗭🗪🗫" +
			"⮔✔🚲⬜🛡📦🛱⬛🚑🛈🛩🛰🟈🕴⬤🛥🚔🗘🗙❓🛲🚇🚍⛳⦸⊖🚭🗮⏐🗯🗲\x00" +
			"🚹🚺🛉🛊🚼👽🏋⛷🏂🏌🏊🏄🏍🏎🚘🗠🛢💰🏷💳👪🗡🗢🗣✯🖄🖅🖃🖆🖹🖺🖻" +
			"🕵🕰🖽🖾📋🗒🗓🕮📚🗞🗟🗃🗂🖼🎭🎜🎘🎙🎧💿🎞📷🎟🎬📽📹📾📻🎚🎛📺💻" +
			"🖥🖦🖧🕹🎮🕻🕼📟🖁🖀🖨🖩🖿🖪🗜🔒🔓🗝📥📤🕳🌣🌤🌥🌦☁🌨🌧🌩🌪🌬🌫" +
			"🌜🌡🛋🛏🍽🍸🛎🛍Ⓟ♿🛆🖈🎓🗤🗥🗦🗧🛪🐿🐦🐟🐕🐈🙬🙮🙭🙯🗺🌍🌏🌎🕊"),
	"wingdings": []rune(
		" 🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭🗀🗁🗎🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍" +
			"🖎✌🖏👍👎☜☞☝☟🖐☺😐☹💣🕱🏳🏱✈☼🌢❄🕆✞🕈✠✡☪☯🕉☸♈♉" +
			"♊♋♌♍♎♏♐♑♒♓🙰🙵⚫🔾◼☐🞐❑❒🞟⧫◆❖⬩⌧⮹⌘🏵🏶🙶🙷▯" +
			"🄋➀➁➂➃➄➅➆➇➈➉🄌➊➋➌➍➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟∙•" +
			"⬝⭘🞆🞈🞊🞋🔿▪☐🟁🟅★🟋🟏🟓🟑⯐⌖⯎⯏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘" +
			"🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗🙖🙐🙑🙒🙓⌫⌦⮘⮚⮙⮛⮈⮊⮉⮋←" +
			"→↑↓↖↗↙↘←→↑↓🡼🡽🡿🡾⇦⇨⇧⇩⬄⇳⬁⬀⬃⬂🢬🢭✗✓☒☑\x00"),
	"wingdings 2": []rune(
		" 🖊🖋🖌🖍✄✀🕾🕽🗅🗆🗇🗈🗉🗊🗋🗌🗍📋🗑🗔🖵🖶🖷🖸🖭🖯🖱🖒🖓🖘🖙" +
			"🖚🖛👈👉🖜🖝🖞🖟🖠🖡👆👇🖢🖣🖑✗✓☒☑⮽☒⮾⮿🛇⦸🙱🙴🙲🙳‽🙹🙺" +
			"🙻🙦🙤🙥🙧🙚🙘🙙🙛⓪①②③④⑤⑥⑦⑧⑨⑩⓿❶❷❸❹❺❻❼❽❾❿\x00" +
			"☉🌕☽☾⸿✝🕇🕜🕝🕞🕟🕠🕡🕢🕣🕤🕥🕦🕧🙨🙩⋅🞄⦁●○🞅🞇🞉⊙⦿🞌" +
			"🞍◾■□🞑🞒🞓🞔▣🞕🞖🞗🞘⬩⬥◇🞚◈🞛🞜🞝🞞⬪⬧◊🞠◖◗⯊⯋⯀⯁" +
			"⬟⯂⬣⬢⯃⯄🞡🞢🞣🞤🞥🞦🞧🞨🞩🞪🞫🞬🞭🞮🞯🞰🞱🞲🞳🞴🞵🞶🞷🞸🞹🞺" +
			"🞻🞼🞽🞾🞿🟀🟂🟄🟆🟉🟊✶🟌🟎🟐🟒✹🟃🟇✯🟍🟔⯌⯍※⁂\x00\x00\x00\x00\x00\x00"),
	"wingdings 3": []rune(
		" ⭠⭢⭡⭣⭦⭧⭩⭨⭰⭲⭱⭳⭶⭸⭻⭽⭤⭥⭪⭬⭫⭭⭍⮠⮡⮢⮣⮤⮥⮦⮧" +
			"⮐⮑⮒⮓⮀⮃⭾⭿⮄⮆⮅⮇⮏⮍⮎⮌⭮⭯⎋⌤⌃⌥␣⍽⇪⮸🢠🢡🢢🢣🢤🢥" +
			"🢦🢧🢨🢩🢪🢫🡐🡒🡑🡓🡔🡕🡗🡖🡘🡙▲▼△▽◀▶◁▷◣◢◤◥🞀🞂🞁\x00" +
			"🞃⯅⯆⯇⯈⮜⮞⮝⮟🠐🠒🠑🠓🠔🠖🠕🠗🠘🠚🠙🠛🠜🠞🠝🠟🠀🠂🠁🠃🠄🠆🠅" +
			"🠇🠈🠊🠉🠋🠠🠢🠤🠦🠨🠪🠬🢜🢝🢞🢟🠮🠰🠲🠴🠶🠸🠺🠹🠻🢘🢚🢙🢛🠼🠾🠽" +
			"🠿🡀🡂🡁🡃🡄🡆🡅🡇⮨⮩⮪⮫⮬⮭⮮⮯🡠🡢🡡🡣🡤🡥🡧🡦🡰🡲🡱🡳🡴🡵🡷" +
			"🡶🢀🢂🢁🢃🢄🢅🢇🢆🢐🢒🢑🢓🢔🢖🢕🢗\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"),
}

// unreadable stands for a symbol of an unknown font.
const unreadable = "\ufffd"

// isSymbolFont reports whether a font has symbols in place of letters.
func isSymbolFont(font string) bool { return symbolFonts[strings.ToLower(font)] != nil }

// symbol returns the character with a hexadecimal code in a font, as w:sym has them.
func symbol(font, code string) string {
	n, err := strconv.ParseUint(code, 16, 32)
	if err != nil || n == 0 {
		return unreadable
	}
	return symbolAt(font, rune(n))
}

func symbolAt(font string, r rune) string {
	table, known := symbolFonts[strings.ToLower(strings.TrimSpace(font))]
	switch {
	case r >= 0xf000 && r <= 0xf0ff:
		r -= 0xf000
	case r >= 0xe000 && r <= 0xf8ff || !utf8.ValidRune(r):
		return unreadable
	case !known || r > 0xff:
		return string(r)
	}
	if !known && (font == "" || strings.HasPrefix(strings.ToLower(font), "symbol")) {
		table = symbolFonts["symbol"]
	}
	if at := int(r) - 0x20; at >= 0 && at < len(table) && table[at] != 0 {
		return string(table[at])
	}
	return unreadable
}

// symbols returns a text as its font shows it, and characters of private use as another font
// does if that is none of symbols.
func symbols(font, other, text string) string {
	known := isSymbolFont(font)
	if !known && !strings.ContainsFunc(text, private) {
		return text
	}
	if !known && isSymbolFont(other) {
		font = other
	}
	var b strings.Builder
	for _, r := range text {
		if private(r) || known && r > ' ' && r <= 0xff && r != 0xa0 {
			b.WriteString(symbolAt(font, r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func private(r rune) bool { return r >= 0xe000 && r <= 0xf8ff }
