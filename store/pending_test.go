package store

import "testing"

func TestPendingMigrations(t *testing.T) {
	a, b := migration{"1_a.sql", "hash a", ""}, migration{"2_b.sql", "hash b", ""}
	for sentence, c := range map[string]struct {
		applied []migration
		want    int
	}{
		"an empty database misses all":   {nil, 2},
		"the newer ones are missing":     {[]migration{a}, 1},
		"a current database misses none": {[]migration{a, b}, 0},
	} {
		t.Run(sentence, func(t *testing.T) {
			got, err := pending([]migration{a, b}, c.applied)
			if err != nil || len(got) != c.want {
				t.Errorf("got %v, %v, want %d", got, err, c.want)
			}
		})
	}
}
