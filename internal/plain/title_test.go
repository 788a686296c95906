package plain

import "testing"

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"When do you open?":                                   "When do you open?",
		"  two\r\nlines\tand\u2028a third ":                   "two lines and a third",
		"a\x00b\x1b[31mc\u0085d\x7f":                          "ab[31mc d",
		"safe\u202egpj.exe\u202c":                             "safegpj.exe",
		"\u2066isolated\u2069 \u200fmark\u061c":               "isolated mark",
		"zero\u200bwidth\u200c\u200d\u2060\ufeff":             "zerowidth",
		"\u3164\u115f\u034f\u00ad\u180e":                      "",
		"tag\U000e0041\U000e007f":                             "tag",
		"bad\xff\xfebytes":                                    "badbytes",
		"\u200b \u202e\t":                                     "",
		"می\u200cخواهم علی\u200cرضا":                          "می\u200cخواهم علی\u200cرضا",
		"ශ්\u200dරී ලංකා ക്\u200d":                            "ශ්\u200dරී ලංකා ക്",
		"र\u094d\u200dक क\u094d\u200cष":                       "र\u094d\u200dक क\u094d\u200cष",
		"مَ\u200cه می\u200d\u200c\u200cخواهم \u200cعلی\u200c": "مَ\u200cه می\u200cخواهم علی",
		"👩\u200d🔬 👨🏽\u200d💻 ❤\ufe0f\u200d🔥 👩\u200d":           "👩\u200d🔬 👨🏽\u200d💻 ❤\ufe0f\u200d🔥 👩",
		"pay\u200cpal Ada\u200d 1\u200d2 山\u200c田":            "paypal Ada 12 山田",
		"日本語 und Äpfel 🍎❤️":                                   "日本語 und Äpfel 🍎❤️",
	} {
		if got := Title(text); got != want {
			t.Errorf("the title of %+q is %+q, want %+q", text, got, want)
		}
		if got := Title(Title(text)); got != want {
			t.Errorf("the title of the title of %+q is %+q", text, got)
		}
	}
}
