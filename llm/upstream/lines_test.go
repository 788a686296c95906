package upstream

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// dataOf returns the data lines of a stream and the error that ended it.
func dataOf(source io.Reader) ([]string, error) {
	lines := NewLines(source)
	defer lines.Free()
	var all []string
	for {
		data, err := lines.NextData()
		if err != nil {
			return all, err
		}
		all = append(all, string(data))
	}
}

func TestLines(t *testing.T) {
	for name, c := range map[string]struct {
		stream string
		want   []string
	}{
		"data lines are read, other fields and comments skipped": {": hi\nevent: x\nid: 7\ndata: a\n\ndatabase: b\ndata:c\n", []string{"a", "c"}},
		"a line may end with a carriage return":                  {"data: a\r\n\r\ndata: b\r\n", []string{"a", "b"}},
		"blank data is skipped":                                  {"data:\ndata:  \t\ndata: a\n", []string{"a"}},
		"the end of the stream ends its last line":               {"data: a\ndata: b", []string{"a", "b"}},
		"a stream without a line has none":                       {"", nil},
		"a long line between short ones is read": {
			"data: a\ndata: " + strings.Repeat("x", 100_000) + "\ndata: b\n", []string{"a", strings.Repeat("x", 100_000), "b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for how, source := range map[string]io.Reader{
				"at once":      strings.NewReader(c.stream),
				"byte by byte": iotest.OneByteReader(strings.NewReader(c.stream)),
				"with the end": iotest.DataErrReader(strings.NewReader(c.stream)),
			} {
				if got, err := dataOf(source); err != io.EOF || !slices.Equal(got, c.want) {
					t.Errorf("%s: got %d lines and %v", how, len(got), err)
				}
			}
		})
	}
	t.Run("an endless line is a failure after little more than 1 MiB", func(t *testing.T) {
		source := &counted{Reader: endless('x')}
		if _, err := dataOf(source); err != errLongLine || source.bytes > maxLine {
			t.Errorf("got %v after %d bytes", err, source.bytes)
		}
	})
	t.Run("a stream without end is a failure, whatever its lines are", func(t *testing.T) {
		for what, line := range map[string]string{"comments": ": " + strings.Repeat("x", 1000) + "\n", "other fields": "event: " + strings.Repeat("x", 1000) + "\n"} {
			source := &counted{Reader: strings.NewReader(strings.Repeat(line, maxStream/len(line)+2000))}
			if _, err := dataOf(source); err != errLongStream || source.bytes > maxStream+maxLine {
				t.Errorf("%s: got %v after %d bytes", what, err, source.bytes)
			}
		}
	})
	t.Run("everything before a break of the connection is read", func(t *testing.T) {
		broken := errors.New("broken")
		got, err := dataOf(io.MultiReader(strings.NewReader("data: a\ndata: b"), iotest.ErrReader(broken)))
		if err != broken || !slices.Equal(got, []string{"a"}) {
			t.Errorf("got %q and %v", got, err)
		}
	})
	t.Run("lines arrive intact, however the network splits them", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			want := rapid.SliceOf(rapid.StringMatching(`[a-z]([^\r\n]{0,300}[a-z])?`)).Draw(t, "data")
			var stream strings.Builder
			for _, data := range want {
				stream.WriteString("data: " + data + rapid.SampledFrom([]string{"\n", "\r\n", "\r", "\n\n", "\r\r", "\n: ping\n"}).Draw(t, "end"))
			}
			sizes := rapid.SliceOfN(rapid.IntRange(1, 2000), 1, 20).Draw(t, "sizes")
			got, err := dataOf(&split{rest: stream.String(), sizes: sizes})
			if err != io.EOF || !slices.Equal(got, want) {
				t.Fatalf("got %q and %v, want %q", got, err, want)
			}
		})
	})
}

// endless repeats one byte forever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// counted counts the bytes that are read.
type counted struct {
	io.Reader
	bytes int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += n
	return n, err
}

// split yields its text in pieces of the given sizes, repeatedly.
type split struct {
	rest  string
	sizes []int
	next  int
}

func (s *split) Read(p []byte) (int, error) {
	if s.rest == "" {
		return 0, io.EOF
	}
	n := copy(p, s.rest[:min(len(s.rest), s.sizes[s.next%len(s.sizes)])])
	s.rest = s.rest[n:]
	s.next++
	return n, nil
}
