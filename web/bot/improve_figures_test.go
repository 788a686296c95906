package bot

import (
	"slices"
	"testing"

	"parley/core/chatbot"
	"parley/core/insight/testrun"
)

func TestWhatIsOtherThanInTheRunBefore(t *testing.T) {
	run := func(change func(*testrun.Run)) testrun.Run {
		r := testrun.Run{Knowledge: "1.2", KnownDocuments: 2, Program: "v1", Figures: testrun.Figures{Models: []string{"extractive"}}}
		change(&r)
		return r
	}
	const same, untouched = "The knowledge is the same: 2 documents.", "The settings are the same."
	for name, c := range map[string]struct {
		change func(*testrun.Run)
		says   []string
	}{
		"nothing": {func(*testrun.Run) {}, []string{same, untouched}},
		"the server's default model": {
			func(r *testrun.Run) { r.Models = []string{"gpt-4o", "gpt-4o-mini"} },
			[]string{same, "Model: extractive → gpt-4o, gpt-4o-mini", untouched},
		},
		"the program": {func(r *testrun.Run) { r.Program = "v2" }, []string{same, "Parley itself was updated.", untouched}},
		"the chatbot's settings and documents": {
			func(r *testrun.Run) {
				r.Knowledge, r.KnownDocuments, r.Settings = "1.3", 3, chatbot.Settings{Instructions: "Be brief."}
			},
			[]string{"The knowledge changed: 2 documents before, 3 after.", "Setting “instructions”: none → Be brief."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := run(func(*testrun.Run) {})
			if got := differencesOf(testrun.Comparison{Before: &before, After: run(c.change)}); !slices.Equal(got, c.says) {
				t.Errorf("it says %q", got)
			}
		})
	}
}
