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
		if len(phrases()) != len(codes) {
			t.Errorf("there are %d files for %d languages", len(phrases()), len(codes))
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
		if words := FunctionWords(code); len(words) < 80 {
			t.Errorf("%s has %d", code, len(words))
		}
	}
}
