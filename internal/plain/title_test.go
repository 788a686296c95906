package plain

import "testing"

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"When do you open?":                       "When do you open?",
		"  two\r\nlines\tand\u2028a third ":       "two lines and a third",
		"a\x00b\x1b[31mc\u0085d\x7f":              "ab[31mc d",
		"safe\u202egpj.exe\u202c":                 "safegpj.exe",
		"\u2066isolated\u2069 \u200fmark\u061c":   "isolated mark",
		"zero\u200bwidth\u200c\u200d\u2060\ufeff": "zerowidth",
		"\u3164\u115f\u034f\u00ad\u180e":          "",
		"tag\U000e0041\U000e007f":                 "tag",
		"bad\xff\xfebytes":                        "badbytes",
		"\u200b \u202e\t":                         "",
		"日本語 und Äpfel 🍎❤️":                       "日本語 und Äpfel 🍎❤️",
	} {
		if got := Title(text); got != want {
			t.Errorf("the title of %+q is %+q, want %+q", text, got, want)
		}
		if got := Title(Title(text)); got != want {
			t.Errorf("the title of the title of %+q is %+q", text, got)
		}
	}
}
