package bench

import (
	"fmt"
	"strings"

	"parley/bench/retrieval"
)

// Markdown returns the figures as a section in Markdown.
func (r RetrievalReport) Markdown() string {
	var b strings.Builder
	rows := r.Machine.rows(r.Date, r.Settings.Command)
	rows = append(rows, []string{"measured", fmt.Sprintf("%s of %v a cell, after %v of warm-up; quantiles of all rounds together",
		plural(r.Settings.Rounds, "round"), r.Settings.Duration, r.Settings.WarmUp)})
	heading(&b, "Retrieval: the machine")
	writeTable(&b, []string{"", ""}, rows)
	writeAims(&b, "Retrieval: aims", r.Aims())
	r.writeQuestions(&b, "Questions, nothing else going on", false)
	r.writeQuestions(&b, "Questions while another chatbot is indexed", true)
	r.writeLoads(&b)
	r.writeIndexes(&b)
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (r RetrievalReport) writeQuestions(b *strings.Builder, title string, busy bool) {
	var rows [][]string
	for _, c := range r.Cells {
		if c.Busy != busy {
			continue
		}
		last := fmt.Sprintf("%.2f", milliseconds(c.CPU))
		if busy {
			last = fmt.Sprintf("%.0f", c.Beside)
		}
		rows = append(rows, []string{
			c.System, asked(c), fmt.Sprintf("%.2f", milliseconds(c.P50)), fmt.Sprintf("%.2f", milliseconds(c.P99)),
			fmt.Sprintf("%.0f", c.Rate), last,
		})
	}
	if rows == nil {
		return
	}
	last := "CPU ms for one"
	if busy {
		last = "passages/s in beside"
	}
	heading(b, title)
	writeTable(b, []string{"", "asked", "p50, ms", "p99, ms", "questions/s", last}, rows)
}

// asked says which chatbots a cell asks.
func asked(c retrieval.Cell) string {
	if c.Choice == retrieval.One {
		return held(c.Chatbots, c.Each)
	}
	return fmt.Sprintf("%s, %s", held(c.Chatbots, c.Each), c.Choice)
}

// held says what an index holds.
func held(chatbots, each int) string {
	if chatbots == 1 {
		return thousands(each) + " passages in one chatbot"
	}
	return thousands(chatbots) + " chatbots × " + thousands(each)
}

func (r RetrievalReport) writeLoads(b *strings.Builder) {
	var rows [][]string
	for _, l := range r.Loads {
		kind := "from the text"
		if l.Prepared {
			kind = "terms and vectors made before"
		}
		rows = append(rows, []string{
			l.System, thousands(l.Passages), thousands(l.Chatbots), fmt.Sprint(l.Writers), kind, fmt.Sprintf("%.0f", l.Rate),
			fmt.Sprintf("%.2f", milliseconds(l.CPU)),
		})
	}
	heading(b, "Ingestion")
	writeTable(b, []string{"", "passages", "chatbots", "writers", "what", "passages/s", "CPU ms for one"}, rows)
}

func (r RetrievalReport) writeIndexes(b *strings.Builder) {
	var rows [][]string
	for _, x := range r.Indexes {
		rows = append(rows, []string{x.System, held(x.Chatbots, x.Each), mib(x.Bytes), fmt.Sprintf("%.1f", kib(x.Memory)/1024), mib(x.Server)})
	}
	heading(b, "Size")
	writeTable(b, []string{"", "holds", "files, MiB", "memory, MiB", "the server's memory, MiB"}, rows)
}

// mib is a size in MiB, or a dash if it is not known.
func mib(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f", kib(bytes)/1024)
}

// thousands writes a number below a billion with commas.
func thousands(n int) string {
	switch {
	case n >= 1_000_000:
		return fmt.Sprintf("%d,%03d,%03d", n/1_000_000, n/1000%1000, n%1000)
	case n >= 1000:
		return fmt.Sprintf("%d,%03d", n/1000, n%1000)
	default:
		return fmt.Sprint(n)
	}
}
