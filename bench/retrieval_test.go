package bench

import (
	"strings"
	"testing"
	"time"

	"parley/bench/retrieval"
)

// exampleRetrieval is a report in which the embedded index is slow for one of
// a hundred questions, and quick for the others.
func exampleRetrieval() RetrievalReport {
	cell := func(system string, busy bool) retrieval.Cell {
		return retrieval.Cell{
			System: system, Chatbots: 1, Each: 100_000, Choice: retrieval.One, Busy: busy,
			P50: 9 * time.Millisecond, P99: 51 * time.Millisecond, CPU: 8 * time.Millisecond, Beside: 1234,
		}
	}
	load := func(system string, prepared bool, rate float64) retrieval.Load {
		return retrieval.Load{System: system, Passages: 1_000_000, Chatbots: 1, Writers: 4, Prepared: prepared, Rate: rate}
	}
	return RetrievalReport{
		Settings: RetrievalSettings{Command: "make bench"},
		Results: retrieval.Results{
			Cells: []retrieval.Cell{
				cell(retrieval.Embedded, false), cell(retrieval.Embedded, true), cell(retrieval.FTS5, true), cell(retrieval.Weaviate, true),
			},
			Loads: []retrieval.Load{
				load(retrieval.Embedded, false, 2000), load(retrieval.Embedded, true, 1), load(retrieval.Weaviate, false, 1),
			},
			Indexes: []retrieval.Index{{System: retrieval.Embedded, Chatbots: 1000, Each: 1000, Bytes: 3 << 20}},
		},
	}
}

func TestRetrievalAims(t *testing.T) {
	t.Run("the embedded index is judged beside indexing, and by what goes in from the text", func(t *testing.T) {
		var got []string
		for _, aim := range exampleRetrieval().Aims() {
			got = append(got, aim.Text+": "+aim.Read+" "+verdict(aim.IsMet))
		}
		want := []string{
			"p50 under 10 ms, embedded, 100,000 passages in one chatbot, while another is indexed: 9.00 ms met",
			"p99 under 50 ms, embedded, 100,000 passages in one chatbot, while another is indexed: 51.00 ms **missed**",
			"at least 2,000 passages/s in, embedded, 4 writers: 2000 met",
		}
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Fatalf("got\n%s", strings.Join(got, "\n"))
		}
	})
}

func TestRetrievalMarkdown(t *testing.T) {
	figures := exampleRetrieval().Markdown()
	t.Run("there are figures of the processor's time without indexing, and of passages beside it", func(t *testing.T) {
		for _, want := range []string{
			"| Parley, embedded | 100,000 passages in one chatbot | 9.00    | 51.00   | 0           | 8.00           |",
			"| plain FTS5       | 100,000 passages in one chatbot | 9.00    | 51.00   | 0           | 1234                 |",
		} {
			if !strings.Contains(figures, want) {
				t.Errorf("no line %s in\n%s", want, figures)
			}
		}
	})
	t.Run("what is not known is a dash", func(t *testing.T) {
		if want := "| Parley, embedded | 1,000 chatbots × 1,000 | 3.0        | 0.0         | –                        |"; !strings.Contains(figures, want) {
			t.Errorf("no line %s in\n%s", want, figures)
		}
	})
}

func TestThousands(t *testing.T) {
	t.Run("numbers have a comma every three digits", func(t *testing.T) {
		for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 20_005: "20,005", 1_000_040: "1,000,040"} {
			if got := thousands(n); got != want {
				t.Errorf("%d is %s", n, got)
			}
		}
	})
}
