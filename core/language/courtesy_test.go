package language

import (
	"strings"
	"testing"
)

func TestCourtesyOf(t *testing.T) {
	for message, want := range map[string]struct {
		likely Code
		kind   Courtesy
		in     Code
	}{
		"hello":                        {"", Greeting, English},
		"Hi there!":                    {"", Greeting, English},
		"  Good morning 👋 ":            {"", Greeting, English},
		"Hey, how are you?":            {"", Greeting, English},
		"What\u2019s up?":              {"", Greeting, English},
		"Ok, thanks!":                  {"", Thanks, English},
		"Hello. Thanks. Bye!":          {"", Farewell, English},
		"Hallo":                        {"", Greeting, German},
		"hallo!":                       {Dutch, Greeting, Dutch},
		"Hei":                          {Finnish, Greeting, Finnish},
		"Grüß Gott":                    {"", Greeting, German},
		"¡Buenos días!":                {"", Greeting, Spanish},
		"buenos dias":                  {"", Greeting, Spanish},
		"S'il vous plaît":              {"", NoCourtesy, ""},
		"你好！":                          {"", Greeting, Chinese},
		"ありがとうございます。":                  {"", Thanks, Japanese},
		"شكرًا جزيلًا":                 {"", Thanks, Arabic},
		"ขอบคุณครับ":                   {"", Thanks, Thai},
		"":                             {"", NoCourtesy, ""},
		"👋":                            {"", NoCourtesy, ""},
		"Hello, when are you open?":    {"", NoCourtesy, ""},
		"Thanks for nothing":           {"", NoCourtesy, ""},
		"How are you different?":       {"", NoCourtesy, ""},
		"Hello 24":                     {"", NoCourtesy, ""},
		"ok":                           {"", NoCourtesy, ""},
		strings.Repeat("hello ", 10e3): {"", NoCourtesy, ""},
	} {
		if kind, in := CourtesyOf(message, want.likely); kind != want.kind || in != want.in {
			t.Errorf("%.30q is %d in %q, want %d in %q", message, kind, in, want.kind, want.in)
		}
	}
}

func TestEveryLanguageHasCourtesies(t *testing.T) {
	for code, p := range phrases() {
		for kind, list := range map[Courtesy]string{Greeting: p.Greetings, Thanks: p.Thanks, Farewell: p.Farewells} {
			said := strings.Split(list, ",")
			if len(said) < 4 {
				t.Errorf("%s has %q", code, list)
			}
			for _, message := range said {
				if got, in := CourtesyOf(message, code); got != kind || in != code {
					t.Errorf("%q is %d in %q, want %d in %q", message, got, in, kind, code)
				}
			}
		}
	}
}
