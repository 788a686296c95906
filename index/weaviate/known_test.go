package weaviate

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

func TestKnownHeads(t *testing.T) {
	read := time.Now()
	here := place{"Document_1", "a"}
	one := known{head: head{revision: "first", at: read}, stamp: "s", read: read}
	for sentence, c := range map[string]struct {
		document, stamp string
		started         time.Duration // after the heads were read
		believed        bool
	}{
		"a head is believed under its stamp":                        {"a", "s", time.Second, true},
		"a head is not believed under another stamp":                {"a", "t", time.Second, false},
		"a head that was read after a search began is not believed": {"a", "s", -time.Nanosecond, false},
		"a head that was read a minute ago is not believed":         {"a", "s", believedFor, false},
		"a head that was never read is not believed":                {"b", "s", time.Second, false},
	} {
		t.Run(sentence, func(t *testing.T) {
			k := newKnownHeads()
			k.add(heads{here: one})
			into := heads{}
			unknown := k.trusted(into, here.collection, []string{c.document}, c.stamp, read.Add(c.started))
			if _, ok := into[here]; ok != c.believed || slices.Contains(unknown, c.document) == c.believed {
				t.Errorf("believed are %v, and unknown %v", into, unknown)
			}
		})
	}
	t.Run("the heads of one collection are not those of another", func(t *testing.T) {
		k := newKnownHeads()
		k.add(heads{here: one})
		if unknown := k.trusted(heads{}, "Document_2", []string{"a"}, "s", read.Add(time.Second)); len(unknown) != 1 {
			t.Error("a head of another collection is believed")
		}
	})
	t.Run("memory is bounded, and the heads used last are kept", func(t *testing.T) {
		k := newKnownHeads()
		k.add(heads{here: one})
		for i := range 2 * believedHeads {
			k.add(heads{place{"Document_1", strconv.Itoa(i)}: one})
			if i%(believedHeads/2) == 0 {
				k.trusted(heads{}, here.collection, []string{"a"}, "s", read.Add(time.Second))
			}
		}
		if _, ok := k.heads.Peek(here); k.heads.Len() != believedHeads || !ok {
			t.Errorf("%d heads are kept, the one that was used: %v", k.heads.Len(), ok)
		}
	})
}
