package bot

import (
	"testing"

	"parley/core/knowledge"
	"parley/core/knowledge/browse"
)

func TestAddressesSayWhichPagesFailed(t *testing.T) {
	for name, c := range map[string]struct {
		state         knowledge.SourceState
		pages, failed int
		want, says    string
	}{
		"all pages were read":                            {knowledge.SourceReady, 3, 0, "ready", ""},
		"the site is ready, and two of its pages aren't": {knowledge.SourceReady, 9, 2, "ready", "2 pages failed"},
		"nothing is answered from it":                    {knowledge.SourceReady, 1, 1, "failed", "1 page failed"},
		"its pages are being looked for again":           {knowledge.SourceSyncing, 1, 1, "syncing", "1 page failed"},
	} {
		t.Run(name, func(t *testing.T) {
			got := sourceToView(browse.Source{Source: knowledge.Source{State: c.state}, Pages: c.pages, Failed: c.failed})
			if got.State != c.want || got.Failed != c.says {
				t.Errorf("it is %q, %q", got.State, got.Failed)
			}
		})
	}
}
