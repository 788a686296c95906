package upstream

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// begin starts a call with the usual limits.
func begin(t interface {
	Context() context.Context
	Cleanup(func())
},
) *Call {
	call := Begin(t.Context(), Limits{}.Complete())
	t.Cleanup(call.End)
	return call
}

// emitted returns what the pieces of an answer become.
func emitted(call *Call, pieces ...string) ([]string, error) {
	var got []string
	text := Text{Call: call, Emit: func(piece string) error {
		got = append(got, piece)
		return nil
	}}
	for _, piece := range pieces {
		if err := text.Add(piece); err != nil {
			return got, err
		}
	}
	err := text.End(false)
	if text.String() != strings.Join(got, "") || text.Len() != len(text.String()) {
		return got, errors.New("the text is not what was emitted")
	}
	return got, err
}

func TestText(t *testing.T) {
	for name, c := range map[string]struct{ pieces, want []string }{
		"a character split over pieces is emitted whole":                 {[]string{"a\xf0\x9f", "\x91", "\x8d", "b"}, []string{"a", "👍", "b"}},
		"bytes that are not characters become the replacement character": {[]string{"a\xffb", "\xe4\xbd"}, []string{"a\ufffdb", "\ufffd"}},
		"so does a character that never ends":                            {[]string{"\xf0\x9f", "a"}, []string{"\ufffda"}},
		"an empty piece is not emitted":                                  {[]string{"", "a", ""}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := emitted(begin(t), c.pieces...); err != nil || !slices.Equal(got, c.want) {
				t.Errorf("got %q and %v", got, err)
			}
		})
	}
	t.Run("a text split anywhere is reassembled", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			whole := rapid.StringN(1, 50, -1).Draw(rt, "text")
			var pieces []string
			for rest := whole; rest != ""; {
				n := rapid.IntRange(1, len(rest)).Draw(rt, "bytes")
				pieces, rest = append(pieces, rest[:n]), rest[n:]
			}
			got, err := emitted(begin(t), pieces...)
			if want := strings.TrimLeftFunc(whole, unicode.IsSpace); want != "" && (err != nil || strings.Join(got, "") != want) {
				rt.Fatalf("got %q and %v, want %q", got, err, whole)
			}
		})
	})
	t.Run("whatever arrives, the emitted text is UTF-8 and never empty", func(t *testing.T) {
		rapid.Check(t, func(rt *rapid.T) {
			got, _ := emitted(begin(t), asStrings(rapid.SliceOf(rapid.SliceOf(rapid.Byte())).Draw(rt, "pieces"))...)
			for _, piece := range got {
				if piece == "" || !utf8.ValidString(piece) {
					rt.Fatalf("emitted %q", piece)
				}
			}
		})
	})
	t.Run("a text of 1 MiB is emitted, but not one byte more", func(t *testing.T) {
		most := strings.Repeat("a", maxAnswerBytes)
		if _, err := emitted(begin(t), most); err != nil {
			t.Errorf("err = %v", err)
		}
		if got, err := emitted(begin(t), most, "b"); err != errTooLong || len(got) != 1 {
			t.Errorf("err = %v after %d pieces", err, len(got))
		}
	})
	t.Run("an answer without text is a failure, unless it has called tools", func(t *testing.T) {
		text := Text{Call: begin(t)}
		if err := text.End(false); err != errEmpty {
			t.Errorf("err = %v", err)
		}
		if err := text.End(true); err != nil {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("nothing is emitted to a caller who has gone", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		call := Begin(ctx, Limits{}.Complete())
		defer call.End()
		cancel()
		if got, err := emitted(call, "a"); err != context.Canceled || got != nil {
			t.Errorf("got %q and %v", got, err)
		}
	})
	t.Run("an error of emit is returned to the caller", func(t *testing.T) {
		stop := errors.New("stop")
		call := begin(t)
		text := Text{Call: call, Emit: func(string) error { return stop }}
		if err := call.Failure(text.Add("a"), true); err != stop {
			t.Errorf("err = %v", err)
		}
	})
}

func asStrings(all [][]byte) []string {
	texts := make([]string, len(all))
	for i, bytes := range all {
		texts[i] = string(bytes)
	}
	return texts
}
