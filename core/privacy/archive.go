package privacy

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"io"
	"iter"
	"path"
	"strconv"
	"strings"
	"time"
)

// archive is a ZIP that is being written. Nothing of it is held.
type archive struct {
	exports  *Exports
	zip      *zip.Writer
	manifest manifest
}

// manifest lists the files of an archive. It comes last, since only then the sums are known.
type manifest struct {
	Version   int        `json:"version"`
	Of        string     `json:"of"`
	CreatedAt string     `json:"created_at"`
	Files     []fileInfo `json:"files"`
}

type fileInfo struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func (e *Exports) begin(into io.Writer, of string) *archive {
	at := e.now().UTC()
	return &archive{exports: e, zip: zip.NewWriter(into), manifest: manifest{ExportVersion, of, at.Format(time.RFC3339Nano), []fileInfo{}}}
}

// file is one file of an archive that is being written.
type file struct {
	info fileInfo
	into io.Writer
	sum  hash.Hash
}

// field is a name and its value in a line.
type field struct {
	name  string
	value any
}

func (a *archive) begin(name string) (*file, error) {
	into, err := a.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: a.exports.now().UTC()})
	if err != nil {
		return nil, err
	}
	return &file{info: fileInfo{Name: name}, into: into, sum: sha256.New()}, nil
}

func (f *file) write(content []byte) error {
	f.info.Bytes += int64(len(content))
	_, _ = f.sum.Write(content)
	_, err := f.into.Write(content)
	return err
}

// line writes a JSON object, in the order of its fields.
func (f *file) line(fields []field) error {
	var line bytes.Buffer
	before := "{"
	for _, one := range fields {
		line.WriteString(before + strconv.Quote(one.name) + ":")
		before = ","
		value, err := json.Marshal(one.value)
		if err != nil {
			return err
		}
		line.Write(value)
	}
	line.WriteString("}\n")
	f.info.Rows++
	return f.write(line.Bytes())
}

// finish adds a file to the manifest.
func (a *archive) finish(f *file) {
	f.info.SHA256 = hex.EncodeToString(f.sum.Sum(nil))
	a.manifest.Files = append(a.manifest.Files, f.info)
}

// end writes the manifest and closes the archive.
func (a *archive) end() error {
	written, err := json.MarshalIndent(a.manifest, "", "  ")
	if err != nil {
		return err
	}
	into, err := a.zip.Create("manifest.json")
	if err != nil {
		return err
	}
	if _, err := into.Write(append(written, '\n')); err != nil {
		return err
	}
	return a.zip.Close()
}

// table writes the rows of a table as a file of JSON Lines. Files that were uploaded
// follow, each as it is.
func (a *archive) table(t Table, rows iter.Seq2[Row, error]) error {
	if t.Name == "uploads" || t.Name == "originals" {
		return a.uploads(t, rows)
	}
	f, err := a.begin(t.File + ".jsonl")
	if err != nil {
		return err
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		if err := f.line(a.fields(t, row)); err != nil {
			return err
		}
	}
	a.finish(f)
	return nil
}

// uploads writes each file that was uploaded, and then a list of them. A file may come in parts, one
// row after the other.
func (a *archive) uploads(t Table, rows iter.Seq2[Row, error]) error {
	var listed [][]field
	var open *file
	of := ""
	for row, err := range rows {
		if err != nil {
			return err
		}
		kept, body, documentID, name := a.upload(t, row)
		if open == nil || documentID != of {
			if open != nil {
				a.finish(open)
			}
			if open, err = a.begin(t.File + "/" + documentID + "/" + fileName(name)); err != nil {
				return err
			}
			of, listed = documentID, append(listed, append(kept, field{"file", open.info.Name}))
		} else {
			addBytes(listed[len(listed)-1], len(body))
		}
		if err := open.write(body); err != nil {
			return err
		}
	}
	if open != nil {
		a.finish(open)
	}
	f, err := a.begin(t.File + ".jsonl")
	if err != nil {
		return err
	}
	for _, fields := range listed {
		if err := f.line(fields); err != nil {
			return err
		}
	}
	a.finish(f)
	return nil
}

// upload returns a row of a file: its fields, and apart its bytes, its document and its name.
func (a *archive) upload(t Table, row Row) (kept []field, body []byte, documentID, name string) {
	for _, one := range a.fields(t, row) {
		switch text, _ := one.value.(string); one.name {
		case "body":
			body, _ = one.value.([]byte)
			continue
		case "document_id":
			documentID = text
		case "name":
			name = text
		}
		kept = append(kept, one)
	}
	return kept, body, documentID, name
}

// addBytes adds a part of a file to its size.
func addBytes(fields []field, n int) {
	for i := range fields {
		if size, is := fields[i].value.(int64); is && fields[i].name == "bytes" {
			fields[i].value = size + int64(n)
		}
	}
}

// fileName is the last part of a name, so that unpacking writes into no other folder.
func fileName(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`<>:"|?*`, r) {
			return '_'
		}
		return r
	}, name)
	if name == "." || name == ".." || name == "/" || name == "" {
		return "file"
	}
	return name
}

// fields are a row's values as people see them: conversations and messages by their public
// identifiers, and no number that only counts the rows of all workspaces.
func (a *archive) fields(t Table, row Row) []field {
	var fields []field
	for i, name := range t.Exported() {
		value := row[i]
		number, isNumber := value.(int64)
		switch {
		case name == "id" && isNumber && t.Name == "conversations", name == "conversation_id" && isNumber:
			value = a.public(number, a.exports.ports.IDs.Conversation)
		case name == "id" && isNumber && t.Name == "messages", name == "message_id" && isNumber:
			value = a.public(number, a.exports.ports.IDs.Message)
		case name == "id" && isNumber:
			continue
		case name == "message_ids":
			value = a.publicList(value)
		}
		if at, is := value.(time.Time); is {
			value = at.UTC().Format(time.RFC3339Nano)
		}
		if text, is := value.(string); is && t.IsJSON(name) && json.Valid([]byte(text)) {
			value = json.RawMessage(text)
		}
		fields = append(fields, field{name, value})
	}
	return fields
}

func (a *archive) public(number int64, identify func(int64) int64) any {
	if number <= 0 {
		return nil
	}
	return identify(number)
}

// publicList identifies the messages of a list.
func (a *archive) publicList(value any) any {
	var numbers []int64
	raw, _ := value.(json.RawMessage)
	if json.Unmarshal(raw, &numbers) != nil {
		return nil
	}
	for i, number := range numbers {
		numbers[i] = a.exports.ports.IDs.Message(number)
	}
	return numbers
}
