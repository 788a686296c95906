package ground

import (
	"os"
	"strings"
	"testing"

	"parley/text/answertest"
	"parley/text/language"
	"parley/text/passage"
)

// pairs are the passages of a language, with sentences that they support and contradict.
type pairs struct {
	passages         []passage.Passage
	right, wrong     []string
	accepted, denied int
}

func pairsIn(t *testing.T, code language.Code) *pairs {
	t.Helper()
	text, err := os.ReadFile("testdata/contradictions/" + string(code) + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	var p pairs
	for line := range strings.Lines(string(text)) {
		kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch kind {
		case "=":
			p.passages = append(p.passages, answertest.Texts(text)...)
			last := &p.passages[len(p.passages)-1]
			last.Ordinal = 3 * len(p.passages)
		case "+":
			p.right = append(p.right, text)
		case "-":
			p.wrong = append(p.wrong, text)
		}
	}
	return &p
}

// missed are the sentences that the check is known to get wrong. What it cannot see stands in
// docs/answers.md.
var missed = map[string]bool{
	"섬에는 배송합니다.":                                     true,
	"การจัดส่งใช้เวลา 3 วัน":                         true,
	"Teslimat 50 TL tutar.":                          true, // a name in capitals that no passage has
	"Açılmamış şişeler 14 gün içinde iade edilemez.": true,
}

func TestContradictions(t *testing.T) {
	all := [2]int{}
	for _, code := range append([]language.Code{language.Russian, language.Arabic, language.Hebrew, language.Chinese, language.Japanese, language.Korean, language.Thai}, language.Latin...) {
		t.Run(code.Name(), func(t *testing.T) {
			p := pairsIn(t, code)
			passes := func(sentence string) bool {
				return Measure("", sentence, p.passages, "No answer.", 0).Text == sentence
			}
			for _, sentence := range p.right {
				ok := passes(sentence)
				if ok {
					p.accepted++
				}
				if ok == missed[sentence] {
					t.Errorf("it is supported, and passes: %t: %s", ok, sentence)
				}
			}
			for _, sentence := range p.wrong {
				ok := !passes(sentence)
				if ok {
					p.denied++
				}
				if ok == missed[sentence] {
					t.Errorf("it is contradicted, and is dropped: %t: %s", ok, sentence)
				}
			}
			t.Logf("%d of %d pass, %d of %d are dropped", p.accepted, len(p.right), p.denied, len(p.wrong))
			all[0] += p.accepted
			all[1] += p.denied
		})
	}
	t.Logf("in all %d pass, %d are dropped", all[0], all[1])
}
