package archive

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"parley/core/fault"
)

const passphrase = "correct horse battery staple"

var (
	madeAt  = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	columns = []Column{
		{"id", Integer}, {"text", Text}, {"real", Real}, {"yes", Boolean}, {"at", Time}, {"bytes", Bytes}, {"json", JSON},
	}
	rows = [][]any{
		{int64(math.MaxInt64), "it's \"quoted\" \x00 é 😀\n", 0.1, true, madeAt.Add(123456 * time.Microsecond), []byte{0, 255, '\n'}, `{"a":[1,2.50],"b":null}`},
		{int64(math.MinInt64), "", math.Inf(-1), false, time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), []byte{}, `null`},
		{nil, nil, nil, nil, nil, nil, nil},
		{int64(1<<53 + 1), "no UTF-8: \xff\xfe", math.Copysign(0, -1), true, madeAt, []byte("x"), `12345678901234567890123`},
	}
	keyColumns = []Column{{"id", Text}, {"key", Bytes}}
)

// header returns the header of a file with three tables: one is sealed and one is empty.
func header() Header {
	return Header{
		Program: "1.0", MadeAt: madeAt, Database: SQLite, Migrations: []string{"1_initial.sql"},
		Tables: []Table{{Name: "keys", Columns: keyColumns, Rows: 1, Sealed: true}, {Name: "rows", Columns: columns, Rows: int64(len(rows)), Numbered: 9}, {Name: "none", Columns: columns}},
	}
}

// file is a backup.
func file(t testing.TB) []byte {
	t.Helper()
	key, err := NewKey(passphrase)
	must(t, err)
	sealed, err := AppendRow(nil, keyColumns, []any{"public_ids", []byte("secret")})
	must(t, err)
	var out bytes.Buffer
	w, err := NewWriter(&out, header(), key, Secrets{ServerKeys: []string{"server key"}, Rows: map[string][]string{"keys": {string(sealed)}}})
	must(t, err)
	for _, row := range rows {
		must(t, w.Row(row))
	}
	must(t, w.EndTable())
	must(t, w.EndTable())
	must(t, w.Close())
	return out.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// readAll reads a file to its end.
func readAll(from io.Reader, passphrase string) (all map[string][][]any, header Header, err error) {
	r, err := NewReader(from, passphrase)
	if err != nil {
		return nil, header, err
	}
	defer r.Close()
	return readTables(r, passphrase)
}

func readTables(r *Reader, passphrase string) (all map[string][][]any, header Header, err error) {
	all = map[string][][]any{}
	for _, table := range r.Header.Tables {
		if table.Sealed && passphrase == "" {
			continue
		}
		next, err := r.Table(table)
		if err != nil {
			return nil, header, err
		}
		for {
			row, err := next()
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, header, err
			}
			all[table.Name] = append(all[table.Name], row)
		}
	}
	return all, r.Header, r.End()
}

func TestAFileHoldsWhatWasWritten(t *testing.T) {
	content := file(t)
	got, read, err := readAll(bytes.NewReader(content), passphrase)
	must(t, err)
	if !reflect.DeepEqual(got["rows"], rows) {
		t.Errorf("the rows are\n%#v\nwant\n%#v", got["rows"], rows)
	}
	if !reflect.DeepEqual(got["keys"], [][]any{{"public_ids", []byte("secret")}}) || len(got["none"]) != 0 {
		t.Errorf("the other tables are %v", got)
	}
	want := header()
	want.Format, want.Keys = Format, read.Keys
	if !reflect.DeepEqual(read, want) {
		t.Errorf("the header is\n%+v\nwant\n%+v", read, want)
	}
	t.Run("without a passphrase all is read but the keys", func(t *testing.T) {
		got, _, err := readAll(bytes.NewReader(content), "")
		if err != nil || len(got["rows"]) != len(rows) || got["keys"] != nil {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("no secret stands in it", func(t *testing.T) {
		plain := unpacked(t, content)
		for _, secret := range []string{"server key", "c2VjcmV0", passphrase} {
			if bytes.Contains(plain, []byte(secret)) {
				t.Errorf("it has %q", secret)
			}
		}
	})
	t.Run("another passphrase opens nothing", func(t *testing.T) {
		_, _, err := readAll(bytes.NewReader(content), "incorrect horse battery")
		refused(t, err, "The passphrase is not the one")
	})
	t.Run("a short passphrase is refused", func(t *testing.T) {
		_, err := NewKey("éléphant123")
		refused(t, err, "at least 12 characters")
	})
}

func TestValuesThatNoBackupHas(t *testing.T) {
	for sentence, c := range map[string]struct {
		kind  Type
		value any
	}{
		"a text in a column of integers":  {Integer, "1"},
		"an integer in a column of times": {Time, int64(1)},
		"a time that RFC 3339 cannot say": {Time, time.Date(12345, 1, 1, 0, 0, 0, 0, time.UTC)},
		"a value of an unknown type":      {Text, 'x'},
	} {
		t.Run(sentence+" is not written", func(t *testing.T) {
			if line, err := AppendRow(nil, []Column{{"c", c.kind}}, []any{c.value}); err == nil {
				t.Errorf("it is %s", line)
			}
		})
	}
	for _, line := range []string{"", "{}", "[1", "[1]x", "[1,2]", "[]", "[\"a\"]", "[1.5]", "[9223372036854775808]", "[true]", "[[1]]", `[{"base64":"eA=="}]`} {
		t.Run("the line "+line+" is not read", func(t *testing.T) {
			if values, err := parseRow([]byte(line), []Column{{"c", Integer}}); err == nil {
				t.Errorf("it is %v", values)
			}
		})
	}
}

func TestJSONHasOneForm(t *testing.T) {
	for text, want := range map[string]string{
		`{"b": 1, "a": [ 1, 2 ]}`: `{"a":[1,2],"b":1}`,
		`9007199254740993`:        `9007199254740993`,
		`{"a":1.10}`:              `{"a":1.10}`,
		`no JSON`:                 `no JSON`,
	} {
		if got := sorted(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

// refused checks that an error is a sentence for whoever has the file.
func refused(t *testing.T, err error, part string) {
	t.Helper()
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind != fault.Invalid || !strings.Contains(known.Message, part) {
		t.Errorf("the error is %v, want %q", err, part)
	}
}

func unpacked(t testing.TB, content []byte) []byte {
	t.Helper()
	d, err := zstd.NewReader(nil)
	must(t, err)
	defer d.Close()
	plain, err := d.DecodeAll(content, nil)
	must(t, err)
	return plain
}

func packed(t testing.TB, plain []byte) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil)
	must(t, err)
	defer e.Close()
	return e.EncodeAll(plain, nil)
}

func TestEveryCutIsNoticed(t *testing.T) {
	content := file(t)
	for n := range len(content) {
		_, _, err := readAll(bytes.NewReader(content[:n]), "")
		var known *fault.Error
		if !errors.As(err, &known) || known.Kind != fault.Invalid {
			t.Fatalf("of %d bytes the first %d are read with %v", len(content), n, err)
		}
	}
	plain := unpacked(t, content)
	end := bytes.Index(plain, []byte(endName))
	for n := 512; n <= end; n += 512 {
		_, _, err := readAll(bytes.NewReader(packed(t, plain[:n])), passphrase)
		refused(t, err, "ends too early")
	}
}

func TestEveryChangedByteIsNoticed(t *testing.T) {
	content := file(t)
	plain := unpacked(t, content)
	for n := range content {
		changed := bytes.Clone(content)
		changed[n] ^= 0x40
		if _, _, err := readAll(bytes.NewReader(changed), ""); err == nil && !bytes.Equal(unpacked(t, changed), plain) {
			t.Fatalf("byte %d of %d was changed, and nobody noticed", n, len(content))
		}
	}
}

// part is an entry of a file that a test makes.
type part struct {
	name, content string
	kind          byte
}

func parts(t testing.TB, content []byte) (all []part) {
	t.Helper()
	from := tar.NewReader(bytes.NewReader(unpacked(t, content)))
	for {
		head, err := from.Next()
		if err == io.EOF {
			return all
		}
		must(t, err)
		text, err := io.ReadAll(from)
		must(t, err)
		all = append(all, part{head.Name, string(text), head.Typeflag})
	}
}

func joined(t testing.TB, all []part) []byte {
	t.Helper()
	var plain bytes.Buffer
	to := tar.NewWriter(&plain)
	for _, p := range all {
		must(t, to.WriteHeader(&tar.Header{Name: p.name, Size: int64(len(p.content)), Typeflag: p.kind, Mode: 0o600}))
		_, err := io.WriteString(to, p.content)
		must(t, err)
	}
	must(t, to.Close())
	return packed(t, plain.Bytes())
}

func TestHostileFiles(t *testing.T) {
	honest := parts(t, file(t))
	const head, first, last = 0, 1, 2
	change := func(at int, from, to string) func([]part) []part {
		return func(all []part) []part {
			if !strings.Contains(all[at].content, from) {
				t.Fatalf("the entry %s has no %s", all[at].name, from)
			}
			all[at].content = strings.Replace(all[at].content, from, to, 1)
			return all
		}
	}
	rename := func(at int, name string) func([]part) []part {
		return func(all []part) []part { all[at].name = name; return all }
	}
	for sentence, c := range map[string]struct {
		change func([]part) []part
		says   string
	}{
		"another tar":                                {rename(head, "readme.txt"), "not a backup"},
		"a header that is no JSON":                   {change(head, "{", "x"), "not a backup"},
		"a newer format":                             {change(head, `"format": 1`, `"format": 2`), "newer version"},
		"an absurd number of rows":                   {change(head, `"rows": 4`, `"rows": 9000000000000000000`), "of the 9000000000000000000"},
		"a negative number of rows":                  {change(head, `"rows": 4`, `"rows": -4`), "cannot be one of Parley's"},
		"fewer rows than there are":                  {change(head, `"rows": 4`, `"rows": 3`), "more rows than the 3"},
		"a table whose name is a path":               {change(head, `"name": "rows"`, `"name": "../rows"`), "cannot be one of Parley's"},
		"a column whose name is a statement":         {change(head, `"name": "at"`, `"name": "a\"; DROP"`), "cannot be one of Parley's"},
		"an unknown type":                            {change(head, `"type": "real"`, `"type": "code"`), "cannot be one of Parley's"},
		"a hash that takes all memory":               {change(head, `"argon2id_kib": 65536`, `"argon2id_kib": 4294967295`), "costs of its passphrase"},
		"a hash that takes for ever":                 {change(head, `"argon2id_time": 3`, `"argon2id_time": 4294967295`), "costs of its passphrase"},
		"a header that is too long":                  {change(head, "{", "{"+strings.Repeat(" ", maxHeader)), "larger than any"},
		"rows under a path":                          {rename(first, "../../etc/passwd"), "rows of the 4"},
		"rows of another table":                      {rename(first, "rows/none/000001.jsonl"), "rows of the 4"},
		"a row that is changed":                      {change(first, "0.1", "0.2"), "not those that were written"},
		"a row without its end":                      {change(first, "]\n", "]"), "cannot be read"},
		"a last row without its end":                 {func(all []part) []part { all[first].content = strings.TrimSuffix(all[first].content, "\n"); return all }, "no end"},
		"a link":                                     {func(all []part) []part { all[first].kind, all[first].content = tar.TypeSymlink, ""; return all }, "no file"},
		"an empty entry":                             {func(all []part) []part { all[first].content = ""; return all }, "larger than any"},
		"an entry that does not belong there":        {func(all []part) []part { return append(all[:last:last], part{"x", "", tar.TypeReg}) }, "does not belong there"},
		"no end":                                     {func(all []part) []part { return all[:last] }, "ends too early"},
		"something behind the end":                   {func(all []part) []part { return append(all, part{"x", "", tar.TypeReg}) }, "behind its end"},
		"an end that is no JSON":                     {change(last, "{", "x"), "end cannot be read"},
		"another sum of the whole":                   {change(last, `"sha256": "`, `"sha256": "0`), "not those that were written"},
		"another program's name, and the right rest": {change(head, `"program": "1.0"`, `"program": "6.6"`), "not what was written"},
	} {
		t.Run(sentence, func(t *testing.T) {
			passphrase := ""
			if strings.Contains(c.says, "costs") {
				passphrase = "correct horse battery staple"
			}
			_, _, err := readAll(bytes.NewReader(joined(t, c.change(append([]part(nil), honest...)))), passphrase)
			refused(t, err, c.says)
		})
	}
	t.Run("sums that somebody made anew need the passphrase", func(t *testing.T) {
		all := append([]part(nil), honest...)
		all[first].content = strings.Replace(all[first].content, "0.1", "0.2", 1)
		whole, table := newDigest(), newDigest()
		for _, p := range all[:last] {
			whole.begin(p.name, int64(len(p.content)))
			_, _ = whole.Write([]byte(p.content))
		}
		_, _ = table.Write([]byte(all[first].content))
		end := End{Tables: []Sum{{"rows", 4, table.text()}, {"none", 0, newDigest().text()}}, SHA256: whole.text()}
		all[last].content = fmt.Sprintf(`{"tables":[{"name":"rows","rows":4,"sha256":%q},{"name":"none","rows":0,"sha256":%q}],"sha256":%q,"seal":"00"}`, end.Tables[0].SHA256, end.Tables[1].SHA256, end.SHA256)
		if _, _, err := readAll(bytes.NewReader(joined(t, all)), ""); err != nil {
			t.Errorf("without the passphrase it is refused: %v", err)
		}
		_, _, err := readAll(bytes.NewReader(joined(t, all)), passphrase)
		refused(t, err, "does not know the passphrase")
	})
	t.Run("a row that never ends is refused before it takes all memory", func(t *testing.T) {
		all := append([]part(nil), honest...)
		all[first].content = "[1," + strings.Repeat("\"", maxRow) + "\n"
		_, _, err := readAll(bytes.NewReader(joined(t, all)), "")
		refused(t, err, "larger than any")
	})
}

func FuzzReader(f *testing.F) {
	content := file(f)
	plain := unpacked(f, content)
	f.Add(plain)
	f.Add(plain[:len(plain)/2])
	f.Fuzz(func(t *testing.T, plain []byte) { // without the sums of zstd, which would notice every change
		r, err := newReader(bytes.NewReader(plain), "")
		if err == nil {
			_, _, err = readTables(r, "")
		}
		var known *fault.Error
		if err != nil && !errors.As(err, &known) {
			t.Errorf("the error is no sentence: %v", err)
		}
	})
}
