package lexical

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"parley/text/language"
)

func TestPassage(t *testing.T) {
	for sentence, c := range map[string]struct {
		text string
		want string
	}{
		"words are small, without stop words, and stems":         {"The Refunds of expressed orders", "refund express order"},
		"a possessive is its word":                               {"the customer's SLA, the customer’s SLA", "custom sla custom sla"},
		"an apostrophe within a word joins":                      {"don't o'clock rock'n'roll", "oclock rocknrol"},
		"hyphens, dots and underscores part words":               {"page_not_found e-mail v2.1", "page found e mail v2 1"},
		"the target of a link is no word":                        {"see [the docs](https://x.example/path) now", "see doc now"},
		"an address is no word":                                  {"at https://x.example/path?a=b here apples", "appl"},
		"a bracket that is no link is no harm":                   {"f](x y) apples", "f x y appl"},
		"accents of Latin letters do not count":                  {"Café naïve", "cafe naiv"},
		"letters of other scripts keep their marks":              {"हिन्दी", "हिन्दी"},
		"without spaces, each letter and each pair is one":       {"返金ポリ abc 주문", "返 金 返金 ポ 金ポ リ ポリ abc 주 문 주문"},
		"a mark belongs to the letter before":                    {"ที่", "ที่"},
		"German words lose their endings and umlauts":            {"Wir haben für Sie die Gebühren und die Gebuehren der Kurse", "gebuhr gebuhr kurs"},
		"a German compound is found with and without its hyphen": {"Wir haben für Sie Aqua-Fitness", "aqua aquafitness fitness"},
		"French words lose their articles":                       {"Quelle est la durée de l'abonnement et des prêts ?", "dur abon pret"},
		"Spanish accents do not count":                           {"¿Cuál es la cancelación de la cancelacion?", "cancel cancel"},
		"Russian words lose their endings":                       {"Как я могу вернуть купленные книги", "мог вернут куплен книг"},
		"a name in a Russian text keeps its letters":             {"Как мне оплатить заказ с iPhone", "оплат заказ iphon"},
		"a combined and a single letter are the same":            {"cafe\u0301 caf\u00e9", "cafe cafe"},
		"digits are words":                                       {"error 404", "error 404"},
		"a word longer than anybody asks for is left out":        {strings.Repeat("a", 200) + " apples", "appl"},
		"a text of nothing but stop words has no terms":          {"to be or not to be", ""},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := strings.Join(Passage("", nil, c.text), " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("headings come first, the nearest one before the others, and then the title", func(t *testing.T) {
		for _, headings := range [][]string{{"Prices", "Refunds"}, {"Guide", "Prices", "Refunds"}} {
			got := Passage("Guide", headings, "Ten days.")
			if want := []string{"refund", "price", "guid", "ten", "day"}; !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	})
	t.Run("any text gives terms that an index takes", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "text")
			terms := Passage(text, []string{text}, text)
			terms = append(terms, Terms(text, rapid.SampledFrom(language.Latin).Draw(t, "language"))...)
			for _, term := range terms {
				if term == "" || len(term) > MaxTerm || strings.ContainsFunc(term, unicode.IsSpace) {
					t.Fatalf("%q of %q", term, text)
				}
			}
		})
	})
}

func TestQuestion(t *testing.T) {
	for sentence, c := range map[string]struct {
		text    string
		earlier []string
		want    []Term
	}{
		"each term once":                                                   {"the refund of an order", nil, []Term{{"refund", 20}, {"order", 20}}},
		"a repeated term counts twice at most":                             {"the order, order, order", nil, []Term{{"order", 40}}},
		"words that ask count little":                                      {"explain the refunds", nil, []Term{{"explain", 5}, {"refund", 20}}},
		"a question in German also asks for what English would make of it": {"Wie hoch sind für uns Hecken?", nil, []Term{{"hoch", 20}, {"heck", 20}, {"hecken", 20}}},
		"words that mean the same count less":                              {"Gibt es für uns Garantie?", nil, []Term{{"garanti", 20}, {"gewahrleist", 8}}},
		"so do those of a language without spaces":                         {"返品", nil, []Term{{"返", 20}, {"品", 20}, {"返品", 20}}},
		"what may be a part of a German compound counts less":              {"Wo ist für uns ein Kursplan?", nil, []Term{{"kursplan", 20}, {"plan", 6}, {"kurs", 6}}},
		"an English verb counts less than with its particle":               {"Do you do tuneups?", nil, []Term{{"tuneup", 20}, {"tune", 6}}},
		"a verb with a particle is also asked for as one word":             {"How much is a tune-up?", nil, []Term{{"tune", 20}, {"tuneup", 6}}},
		"earlier questions lend less, the further back": {
			"price?",
			[]string{"the premium plan", "and the basic plan"},
			[]Term{{"price", 20}, {"basic", 6}, {"plan", 6}, {"premium", 3}},
		},
		"a term of the question is not raised":           {"plan", []string{"plan"}, []Term{{"plan", 20}}},
		"a question without terms has the lent":          {"why?", []string{"premium"}, []Term{{"premium", 6}}},
		"a word alone is asked for in every language":    {"Parkgebuehren", nil, []Term{{"parkgebuehren", 20}, {"parkgebuhr", 20}, {"parkgebuehr", 20}, {"parkgebuehre", 20}}},
		"a number stays as it is, whatever the language": {"A11 1100", nil, []Term{{"a11", 20}, {"1100", 20}}},
		"nothing is nothing":                             {"?", nil, nil},
	} {
		t.Run(sentence, func(t *testing.T) {
			if got := Question(c.text, c.earlier); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	t.Run("replies", func(t *testing.T) {
		for sentence, c := range map[string]struct {
			text             string
			earlier, replies []string
			want             []Term
		}{
			"a short reply names what the next question is about": {
				"does it deliver?",
				[]string{"where can I eat?"},
				[]string{"Try Cinderella Bakery."},
				[]Term{{"deliv", 20}, {"eat", 6}, {"tri", 20}, {"cinderella", 20}, {"bakeri", 20}},
			},
			"an earlier reply lends as much": {
				"what is the price of it?",
				[]string{"", "basic"},
				[]string{"premium"},
				[]Term{{"price", 20}, {"basic", 6}, {"premium", 20}},
			},
			"a term of a question and its reply has the higher weight": {
				"what is the price of it?",
				[]string{"premium"},
				[]string{"premium"},
				[]Term{{"price", 20}, {"premium", 20}},
			},
			"the terms of a long reply share what ten have": {
				"what is the price of it?",
				[]string{""},
				[]string{strings.Repeat("w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 ", 3) + "w11 w12 w13 w14 w15 w16 w17 w18 w19 w20"},
				append([]Term{{"price", 20}}, numbered(20, 10)...),
			},
			"a reply does not raise the question's own": {"premium", []string{""}, []string{"premium"}, []Term{{"premium", 20}}},
		} {
			t.Run(sentence, func(t *testing.T) {
				if got := FollowUp(c.text, c.earlier, c.replies); !slices.Equal(got, c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
			})
		}
	})
	t.Run("of a pasted log the first and the last words are asked", func(t *testing.T) {
		var log strings.Builder
		for i := range 1000 {
			log.WriteString(" x" + strings.Repeat("y", i%50) + string(rune('a'+i%26)))
		}
		got := Question("begins "+log.String()+" ends", nil)
		if len(got) != MaxTerms || got[0].Text != "begin" || got[len(got)-1].Text != "end" {
			t.Errorf("%d terms from %v to %v", len(got), got[0], got[len(got)-1])
		}
	})
}

func numbered(n, weight int) []Term {
	terms := make([]Term, n)
	for i := range terms {
		terms[i] = Term{fmt.Sprint("w", i+1), weight}
	}
	return terms
}

func BenchmarkPassage(b *testing.B) {
	text := strings.Repeat("The quick brown foxes jumped over lazy dogs while configuring [databases](http://x.y/z) and migrations. ", 15)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Passage("Title of it", []string{"Heading"}, text)
	}
}
