package lexical

import "testing"

func BenchmarkQuestion(b *testing.B) {
	for name, question := range map[string]string{
		"english":  "How long does it take until my refund arrives after I return the bike?",
		"german":   "Wie lange dauert es, bis ich nach der Rückgabe meine Kaution wiederbekomme?",
		"japanese": "当日キャンセルするとお金がかかりますか?",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Question(question, nil)
			}
		})
	}
}
