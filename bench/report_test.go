package bench

import (
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
	t.Run("the table of aims says of each what was read, and whether it was met", func(t *testing.T) {
		got := Verdicts([]Aim{{Text: "fast", Read: "1 ms", IsMet: true}, {Text: "small", Read: "9 MiB"}})
		for _, row := range []string{"| fast  | 1 ms  | met ", "| small | 9 MiB | **missed** |"} {
			if !strings.Contains(got, row) {
				t.Errorf("no row %q in\n%s", row, got)
			}
		}
	})
}
