package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// example is a report in which Parley is at half the speed of the relay on
// SQLite, and meets the other aims.
func example() Report {
	cell := func(system, endpoint string, clients int, rate float64) Cell {
		return Cell{System: system, Endpoint: endpoint, Clients: clients, Rate: rate, First: 3 * time.Millisecond, Added: time.Millisecond}
	}
	return Report{
		Settings: Settings{Rounds: 3, Clients: []int{1, 64}, Streams: 1000, Command: "make bench"},
		Cells: []Cell{
			cell(ParleySQLite, Stream, 1, 900), cell(DurableSQLite, Stream, 1, 1000), cell(Upstream, Stream, 1, 4000),
			cell(ParleySQLite, Chat, 64, 1000), cell(DurableSQLite, Chat, 64, 2000), cell(GroupedSQLite, Chat, 64, 4000),
		},
		Steady: []Steady{
			{System: BareRelay, First: time.Millisecond, Slow: 9 * time.Millisecond, CPU: 2},
			{System: ParleyPostgres, First: 2500 * time.Microsecond, Slow: 19500 * time.Microsecond, CPU: 4, Database: 1.5},
		},
		Memory: []Memory{{System: ParleySQLite, Streams: 1000, Before: 10 << 20, Open: 50 << 20}},
	}
}

func TestAims(t *testing.T) {
	t.Run("each aim that was measured is judged", func(t *testing.T) {
		var got []string
		for _, aim := range example().Aims() {
			got = append(got, aim.Read+" "+verdict(aim.IsMet))
		}
		want := "0.25 **missed**, 0.50 **missed**, 1.00 ms met, 1.50 ms met, 10.50 ms **missed**, 4.00 s met, 41.0 KiB met"
		if strings.Join(got, ", ") != want {
			t.Fatalf("got %v", got)
		}
	})
	t.Run("a ratio is of the same endpoint and number of clients", func(t *testing.T) {
		for _, ratio := range example().Ratios() {
			want := map[string]float64{DurableSQLite + Chat: 0.5, GroupedSQLite + Chat: 0.25, DurableSQLite + Stream: 0.9}[ratio.Relay+ratio.Endpoint]
			if ratio.Value != want {
				t.Errorf("%+v is not %v", ratio, want)
			}
		}
	})
	t.Run("an aim with a failure is missed", func(t *testing.T) {
		if (Memory{Failure: "no"}).aim().IsMet || (Cell{Failures: 1}).aim().IsMet {
			t.Fatal("it is met")
		}
	})
}

func TestMedians(t *testing.T) {
	t.Run("a cell has the medians of its rounds, and all failures", func(t *testing.T) {
		rounds := []Cell{
			{System: "a", Clients: 1, Rate: 30, CPU: 1, Added: 3},
			{System: "b", Clients: 1, Rate: 7},
			{System: "a", Clients: 1, Rate: 10, CPU: 3, Added: 1, Failures: 2, Failure: "no"},
			{System: "a", Clients: 1, Rate: 20, CPU: 2, Added: 2, Failures: 1},
		}
		got := medians(rounds)
		want := Cell{System: "a", Clients: 1, Rate: 20, CPU: 2, Added: 2, Failures: 3, Failure: "no"}
		if len(got) != 2 || got[0] != want || got[1] != rounds[1] {
			t.Fatalf("got %+v", got)
		}
	})
	t.Run("memory is that of the median round, unless one failed", func(t *testing.T) {
		rounds := []Memory{{Streams: 1, Open: 30}, {Streams: 1, Open: 10}, {Streams: 1, Open: 20}}
		if got := medianMemory(rounds); got.Open != 20 {
			t.Fatalf("got %+v", got)
		}
		if got := medianMemory(append(rounds, Memory{Failure: "no"})); got.Failure != "no" {
			t.Fatalf("got %+v", got)
		}
	})
}

func TestMarkdown(t *testing.T) {
	t.Run("a failure in a table cannot break it", func(t *testing.T) {
		if got := cellText("a | b\n<!-- /figures -->`"); strings.ContainsAny(got, "|\n<>`") {
			t.Fatalf("got %q", got)
		}
	})
	t.Run("figures replace those that the page has, and nothing else", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "page.md")
		if err := os.WriteFile(path, []byte("before\n<!-- figures -->\nold\n<!-- /figures -->\nafter\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := WriteFigures(path, ChatPlace, example().Markdown()); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want := "before\n<!-- figures -->\n\n" + example().Markdown() + "\n<!-- /figures -->\nafter\n"
		if string(got) != want {
			t.Fatalf("got %s", got)
		}
	})
	t.Run("a part's results replace its own rows, and those of other parts stay in their order", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "page.md")
		if err := os.WriteFile(path, []byte("before\n<!-- results -->\n<!-- /results -->\nafter\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		write := func(part Place, read string) {
			if err := WriteResults(path, part, day, []Aim{{Text: "an aim", Read: read, IsMet: true}}); err != nil {
				t.Fatal(err)
			}
		}
		write(RetrievalPlace, "1 ms")
		write(ChatPlace, "2 ms")
		write(ChatPlace, "3 ms")
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		rows := results(string(got))
		if len(rows) != 2 || strings.Join(rows[0], " ") != "conversations an aim 3 ms met 2026-01-02" || strings.Join(rows[1], " ") != "retrieval an aim 1 ms met 2026-01-02" {
			t.Fatalf("got %s", got)
		}
		if !strings.HasPrefix(string(got), "before\n") || !strings.HasSuffix(string(got), "\nafter\n") {
			t.Fatalf("got %s", got)
		}
	})
	t.Run("a page without marks is left alone", func(t *testing.T) {
		for _, page := range []string{"", ChatPlace.start(), ChatPlace.end() + ChatPlace.start(), RetrievalPlace.start() + RetrievalPlace.end()} {
			if _, err := replaceFigures(page, ChatPlace, "x"); err == nil {
				t.Errorf("%q was written", page)
			}
		}
	})
}
