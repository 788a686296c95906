package id

import (
	"bytes"
	"crypto/rand"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNew(t *testing.T) {
	t.Run("an identifier is its prefix and 24 characters that cannot be confused", func(t *testing.T) {
		shape := regexp.MustCompile(`^cb_[0-9a-hjkmnp-tv-z]{24}$`)
		for range 1000 {
			if got := New(rand.Reader, "cb"); !shape.MatchString(got) {
				t.Fatalf("%s has another shape", got)
			}
		}
	})

	t.Run("an identifier holds all random bits", func(t *testing.T) {
		seen := map[string]bool{}
		for i := range 120 { // each bit alone
			bits := make([]byte, 15)
			bits[i/8] = 1 << (i % 8)
			seen[New(bytes.NewReader(bits), "x")] = true
		}
		if len(seen) != 120 {
			t.Errorf("120 different bits give %d identifiers", len(seen))
		}
	})

	t.Run("without randomness there is no identifier", func(t *testing.T) {
		defer func() {
			if recover() == nil {
				t.Error("New returned an identifier")
			}
		}()
		New(strings.NewReader("short"), "x")
	})
}

func TestBase62(t *testing.T) {
	t.Run("it is the number in base 62", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			b := rapid.SliceOfN(rapid.Byte(), 0, 32).Draw(t, "bytes")
			text := Base62(b, 43)
			if len(text) != 43 {
				t.Fatalf("%q is not 43 characters long", text)
			}
			n := new(big.Int)
			for _, digit := range text {
				n.Add(n.Mul(n, big.NewInt(62)), big.NewInt(int64(strings.IndexRune(base62, digit))))
			}
			if n.Cmp(new(big.Int).SetBytes(b)) != 0 {
				t.Fatalf("%q is %v", text, n)
			}
		})
	})

	t.Run("32 bytes never need more than 43 characters, nor 4 more than 6", func(t *testing.T) {
		for bytes, width := range map[int]int{32: 43, 4: 6} {
			if got := Base62([]byte(strings.Repeat("\xff", bytes)), 0); len(got) != width {
				t.Errorf("%d bytes need %d characters, want %d", bytes, len(got), width)
			}
		}
	})
}
