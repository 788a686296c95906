package publicid

import (
	"bytes"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

func codec(t testing.TB, seed byte) *Codec {
	t.Helper()
	c, err := New(bytes.Repeat([]byte{seed}, KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNew(t *testing.T) {
	for _, size := range []int{0, 16, KeySize - 1, KeySize + 1} {
		if _, err := New(make([]byte, size)); err == nil {
			t.Errorf("a key of %d bytes was accepted", size)
		}
	}
}

var sequences = rapid.OneOf(rapid.Int64Range(1, 1000), rapid.Int64Range(1, Max), rapid.SampledFrom([]int64{1, 2, Max - 1, Max}))

func TestInverse(t *testing.T) {
	c := codec(t, 1)
	rapid.Check(t, func(t *rapid.T) {
		n := sequences.Draw(t, "n")
		for name, way := range map[string]struct {
			there func(int64) int64
			back  func(int64) (int64, bool)
		}{
			"conversation": {c.Conversation, c.ConversationSequence},
			"message":      {c.Message, c.MessageSequence},
			"delivery":     {c.Delivery, c.DeliverySequence},
			"entry":        {c.Entry, c.EntrySequence},
		} {
			id := way.there(n)
			if id < 1 || id > Max {
				t.Fatalf("the %s %d has the identifier %d, which is out of range", name, n, id)
			}
			if float := float64(id); int64(float) != id {
				t.Fatalf("the %s's identifier %d becomes %d in a float64", name, id, int64(float))
			}
			if back, ok := way.back(id); !ok || back != n {
				t.Fatalf("the %s %d comes back as %d, %t", name, n, back, ok)
			}
			// Surjective: decoding and encoding returns the same number.
			if sequence, ok := way.back(n); !ok || way.there(sequence) != n {
				t.Fatalf("the %s's identifier %d comes back as another", name, n)
			}
		}
	})
}

func TestImpossibleIdentifiers(t *testing.T) {
	c := codec(t, 1)
	for _, id := range []int64{0, -1, math.MinInt64, Max + 1, math.MaxInt64} {
		if _, ok := c.ConversationSequence(id); ok {
			t.Errorf("%d is accepted as the identifier of a conversation", id)
		}
		if _, ok := c.MessageSequence(id); ok {
			t.Errorf("%d is accepted as the identifier of a message", id)
		}
		if _, ok := c.EntrySequence(id); ok {
			t.Errorf("%d is accepted as the identifier of an entry", id)
		}
	}
}

// TestWalk covers zero, which is not in the domain but in the network below it: the
// number that maps to it and the one it maps to belong together instead.
func TestWalk(t *testing.T) {
	c := codec(t, 1)
	for _, k := range []kind{conversation, message, delivery, entry} {
		toZero := int64(c.restore(k, 0))
		id := c.encode(k, toZero)
		if id == 0 || uint64(id) != c.permute(k, 0) {
			t.Errorf("the sequence number %d, which the network maps to 0, has the identifier %d", toZero, id)
		}
		if back, ok := c.decode(k, id); !ok || back != toZero {
			t.Errorf("%d comes back as %d, %t", toZero, back, ok)
		}
	}
}

func TestIdentifiersRevealNothing(t *testing.T) {
	const n = 20_000
	c, other := codec(t, 1), codec(t, 2)
	seen := map[int64]bool{}
	var small, rising, flipped int
	before := int64(0)
	for sequence := int64(1); sequence <= n; sequence++ {
		id := c.Conversation(sequence)
		if seen[id] {
			t.Fatalf("two conversations have the identifier %d", id)
		}
		seen[id] = true
		if id == c.Message(sequence) {
			t.Errorf("conversation and message %d have the same identifier", sequence)
		}
		if id == other.Conversation(sequence) {
			t.Errorf("the conversation %d has the same identifier under another key", sequence)
		}
		if id < 1<<40 {
			small++
		}
		if id > before {
			rising++
		}
		flipped += bits.OnesCount64(uint64(id ^ before))
		before = id
	}
	// Of random numbers 1 in 2^13 is below 2^40, half are larger than the one before,
	// and half of the bits differ. The bounds are more than five standard deviations
	// away.
	if small > 12 {
		t.Errorf("%d of %d identifiers are below 2^40", small, n)
	}
	if rising < n/2-360 || rising > n/2+360 {
		t.Errorf("%d of %d identifiers are larger than the one before", rising, n)
	}
	if mean := float64(flipped) / n; mean < 26.3 || mean > 26.7 {
		t.Errorf("an identifier differs from the one before in %.2f of 53 bits", mean)
	}
}

// TestKnownIdentifiers checks that later versions keep the identifiers that callers store.
func TestKnownIdentifiers(t *testing.T) {
	key := make([]byte, KeySize)
	for i := range key {
		key[i] = byte(i)
	}
	c, err := New(key)
	if err != nil {
		t.Fatal(err)
	}
	for sequence, want := range map[int64][2]int64{
		1:   {3504281851011644, 4488309032378843},
		Max: {1046428234147879, 7850078276133411},
	} {
		if got := [2]int64{c.Conversation(sequence), c.Message(sequence)}; got != want {
			t.Errorf("conversation and message %d have the identifiers %d, not %d", sequence, got, want)
		}
	}
}

func BenchmarkMessage(b *testing.B) {
	c := codec(b, 1)
	b.ReportAllocs()
	for n := int64(1); b.Loop(); n++ {
		if id := c.Message(n); id == 0 {
			b.Fatal("no identifier")
		}
	}
}

func BenchmarkMessageSequence(b *testing.B) {
	c := codec(b, 1)
	b.ReportAllocs()
	for n := int64(1); b.Loop(); n++ {
		if _, ok := c.MessageSequence(n); !ok {
			b.Fatal("no sequence number")
		}
	}
}
