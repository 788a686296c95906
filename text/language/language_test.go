package language

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]Code{
		"What does it cost to rent a bike?":                                English,
		"Wann hat das Schwimmbad am Sonntag auf?":                          German,
		"Quelle est la capitale de l'Espagne ?":                            French,
		"¿Cuánto cuesta alquilar una bicicleta?":                           Spanish,
		"Quanto costa il biglietto per i bambini?":                         Italian,
		"Quais planos vocês aceitam?":                                      Portuguese,
		"Hoe laat gaat de winkel op zaterdag open?":                        Dutch,
		"Vad kostar det att hyra en cykel hos er?":                         Swedish,
		"Hvad koster det at leje en cykel hos jer?":                        Danish,
		"Hva koster det å leie en sykkel hos dere?":                        Norwegian,
		"Kuinka paljon polkupyörän vuokra on, ja milloin se pitää maksaa?": Finnish,
		"Bisiklet kiralamak ne kadar ve nasıl ödenir?":                     Turkish,
		"Сколько стоит доставка?":                                          Russian,
		"配送需要多少钱？":                                                         Chinese,
		"チェックインは何時からですか。":                                                  Japanese,
		"배송비는 얼마인가요?":                                                      Korean,
		"เปิดกี่โมง":                                                       Thai,
		"من هو مدير الشركة؟":                                               Arabic,
		"כמה זה עולה?":                                                     Hebrew,
		"don't o'clock rock'n'roll":                                        "",
		"Parkgebühren":                                                     "",
		"POST /api/v1/chat 200":                                            "",
		"":                                                                 "",
	} {
		if got := Of(text); got != want {
			t.Errorf("%q is in %q, want %q", text, got, want)
		}
	}
	t.Run("a long text is in the language that most of it is in, whatever stands between", func(t *testing.T) {
		text := strings.Repeat("Wir haben am Sonntag bis um sieben Uhr für Sie geöffnet. ", 40) + "We are closed on Monday."
		if got := Of("Check-in and check-out\n" + text); got != German {
			t.Errorf("it is in %q", got)
		}
	})
	t.Run("any text has a language or none", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			Of(rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text"))
		})
	})
}

func TestFold(t *testing.T) {
	for word, want := range map[string]string{"Café": "cafe", "Öffnungszeiten": "offnungszeiten", "हिन्दी": "हिन्दी", "ЁЖ": "ёж", "ﬁn": "fin", "a\xffb": "ab"} {
		if got := Fold(word); got != want {
			t.Errorf("%q becomes %q, want %q", word, got, want)
		}
	}
}

func TestPhrases(t *testing.T) {
	t.Run("every language has all of them, and its own", func(t *testing.T) {
		codes := append([]Code{Russian, Arabic, Hebrew, Chinese, Japanese, Korean, Thai}, Latin...)
		if len(Codes()) != len(codes) {
			t.Errorf("there are %d files for %d languages", len(Codes()), len(codes))
		}
		for _, code := range codes {
			p := PhrasesIn(code)
			if p.NoAnswer == "" || p.NextStep == "" || p.Source == "" || p.Untitled == "" || !strings.Contains(p.Welcome, "{name}") || !strings.Contains(p.About, "{subject}") ||
				!strings.Contains(p.WelcomeAbout, "{name}") || !strings.Contains(p.WelcomeAbout, "{subjects}") || !strings.Contains(p.Two, "{2}") || !strings.Contains(p.Three, "{3}") {
				t.Errorf("%s has %+v", code, p)
			}
			if got := Of(p.NoAnswer + " " + p.NextStep); got != code && got != "" { // Danish and Norwegian are near
				t.Errorf("the sentences of %s are in %q", code, got)
			}
		}
	})
	t.Run("where the language is not known they are English", func(t *testing.T) {
		if PhrasesIn("") != PhrasesIn(English) || PhrasesIn("xx") != PhrasesIn(English) {
			t.Error("they are others")
		}
	})
}

func TestEveryLanguageHasItsFunctionWords(t *testing.T) {
	if len(Latin) > maxLatin {
		t.Fatalf("%d languages do not fit", len(Latin))
	}
	for _, code := range Latin {
		if words := code.Words("words"); len(words) < 80 {
			t.Errorf("%s has %d", code, len(words))
		}
	}
	for _, code := range append([]Code{Russian, Hebrew}, Latin...) {
		if words := code.Words("asking"); len(words) < 50 && code != English {
			t.Errorf("%s has %d words that ask", code, len(words))
		}
	}
	if words := Arabic.Words("words"); len(words) < 80 {
		t.Errorf("Arabic has %d", len(words))
	}
}

func TestCues(t *testing.T) {
	for _, code := range append([]Code{Russian, Arabic, Hebrew, Chinese, Japanese, Korean, Thai}, Latin...) {
		c := CuesIn(code)
		kinds := map[Cue]int{}
		for _, cue := range c.cues.phrases {
			kinds[cue]++
		}
		for _, cue := range []Cue{Denies, Excepts, Restricts, Hints, Idle, Parts} {
			if kinds[cue] == 0 {
				t.Errorf("%s has no words of cue %d", code, cue)
			}
		}
		units := map[string]bool{}
		for _, unit := range c.measures.phrases {
			units[unit] = true
		}
		for _, unit := range []string{"second", "minute", "hour", "day", "week", "month", "year", "percent"} {
			if !units[unit] {
				t.Errorf("%s has no %s", code, unit)
			}
		}
		if len(c.numbers.phrases) < 20 || len(c.months) != 0 && len(c.months) < 12 {
			t.Errorf("%s has %d numbers and %d months", code, len(c.numbers.phrases), len(c.months))
		}
	}
	t.Run("the longest phrase counts", func(t *testing.T) {
		if cue, n := CuesIn(English).Of([]string{"not", "only", "that"}); cue != Idle || n != 2 {
			t.Errorf("cue %d of %d words", cue, n)
		}
		if cue, n := CuesIn(Chinese).Within("不同", true); cue != Idle || n != len("不同") {
			t.Errorf("cue %d of %d bytes", cue, n)
		}
	})
	t.Run("an unknown language has the English ones", func(t *testing.T) {
		if CuesIn("xx") != CuesIn(English) {
			t.Error("it has others")
		}
	})
}
