package courtesy

import (
	"maps"
	"strings"
	"testing"

	"parley/text/language"
)

func TestOf(t *testing.T) {
	for message, want := range map[string]struct {
		likely language.Code
		kind   Kind
		in     language.Code
	}{
		"hello":                        {"", Greeting, language.English},
		"Hi there!":                    {"", Greeting, language.English},
		"  Good morning 👋 ":            {"", Greeting, language.English},
		"Hey, how are you?":            {"", Greeting, language.English},
		"What\u2019s up?":              {"", Greeting, language.English},
		"Ok, thanks!":                  {"", Thanks, language.English},
		"Hello. Thanks. Bye!":          {"", Farewell, language.English},
		"Hallo":                        {"", Greeting, language.German},
		"hallo!":                       {language.Dutch, Greeting, language.Dutch},
		"Hei":                          {language.Finnish, Greeting, language.Finnish},
		"Grüß Gott":                    {"", Greeting, language.German},
		"¡Buenos días!":                {"", Greeting, language.Spanish},
		"buenos dias":                  {"", Greeting, language.Spanish},
		"你好！":                          {"", Greeting, language.Chinese},
		"ありがとうございます。":                  {"", Thanks, language.Japanese},
		"شكرًا جزيلًا":                 {"", Thanks, language.Arabic},
		"ขอบคุณครับ":                   {"", Thanks, language.Thai},
		"":                             {"", None, ""},
		"👋":                            {"", None, ""},
		"Hello, when are you open?":    {"", None, ""},
		"Thanks for nothing":           {"", None, ""},
		"How are you different?":       {"", None, ""},
		"S'il vous plaît":              {"", None, ""},
		"Hello 24":                     {"", None, ""},
		"ok":                           {"", None, ""},
		strings.Repeat("hello ", 10e3): {"", None, ""},
	} {
		if got := Of(message, want.likely); got.Kind != want.kind || got.in != want.in || (got.Reply == "") != (want.kind == None) {
			t.Errorf("%.30q is %+v, want %d in %q", message, got, want.kind, want.in)
		}
	}
}

func TestEveryLanguageHasCourtesies(t *testing.T) {
	for _, in := range language.Codes() {
		lines := maps.Collect(in.Named("courtesy"))
		if !strings.Contains(lines["hello"], "{name}") || lines["you_are_welcome"] == "" || lines["goodbye"] == "" || len(lines) != 6 {
			t.Errorf("%s has %q", in, lines)
		}
		for kind, list := range map[Kind]string{Greeting: lines["greetings"], Thanks: lines["thanks"], Farewell: lines["farewells"]} {
			said := strings.Split(list, ",")
			if len(said) < 4 {
				t.Errorf("%s has %q", in, list)
			}
			for _, message := range said {
				if got := Of(message, in); got.Kind != kind || got.in != in {
					t.Errorf("%q is %d in %q, want %d in %q", message, got.Kind, got.in, kind, in)
				}
			}
		}
	}
}
