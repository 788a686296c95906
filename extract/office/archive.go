package office

import (
	"archive/zip"
	"bytes"
	"io"
	"path"
	"strings"

	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
)

const (
	// maxEntries is how many files an archive may hold.
	maxEntries = 20_000
	// maxRatio is how many times its own size an archive may unpack to, once it
	// unpacks to more than suspectSize. Office files reach about 50; deflate
	// cannot exceed 1,032.
	maxRatio    = 300
	suspectSize = 20 << 20
)

// archive is a checked zip file. It unpacks only entries that a reader asks for,
// into memory, and counts their bytes, also of a document within.
type archive struct {
	kind    knowledge.Kind
	entries map[string]*zip.File
	// opened are the entries that were read, and related is what parts that were read lead to.
	opened  map[string]bool
	related []relation
	// odd says that a name has another form than the standard's.
	odd bool
	// left is how many bytes may still be unpacked.
	left, unpacked int64
}

// openArchive checks an archive before it unpacks anything.
func openArchive(in document.Input, limits document.Limits) (*archive, error) {
	files, err := listArchive(in)
	if err != nil {
		return nil, err
	}
	a := &archive{kind: in.Kind, entries: make(map[string]*zip.File), opened: make(map[string]bool), left: limits.Unpacked, unpacked: limits.Unpacked}
	sum := uint64(0)
	for _, file := range files.File {
		if sum += min(file.UncompressedSize64, 1<<50); sum > uint64(limits.Unpacked) {
			return nil, a.tooLarge()
		}
		if leadsOut(slashed(file.Name)) {
			return nil, fault.New(fault.Invalid, "A file in this archive has a name that leads out of it. No office program makes such an archive, so Parley does not read it.")
		}
		if file.Flags&1 != 0 {
			return nil, document.Protected(in.Kind)
		}
		name := entryName(file.Name)
		if a.entries[name] == nil {
			a.entries[name] = file
		}
		a.odd = a.odd || !strings.EqualFold(name, strings.TrimSuffix(file.Name, "/"))
	}
	if sum > suspectSize && sum/maxRatio > uint64(len(in.Body)) {
		return nil, fault.New(fault.TooLarge, "This archive unpacks to more than %d times its size. Save the document again in the program it comes from, and add it again.", maxRatio)
	}
	return a, nil
}

// listArchive reads the directory of an archive. It counts the entries first:
// the declared number may be a lie, and each entry takes some hundred bytes of
// memory.
func listArchive(in document.Input) (*zip.Reader, error) {
	if bytes.Count(in.Body, []byte("PK\x01\x02")) > maxEntries {
		return nil, fault.New(fault.TooLarge, "This archive holds more than %s. Split the document, and add its parts.", document.Count(maxEntries, "file"))
	}
	files, err := zip.NewReader(bytes.NewReader(in.Body), int64(len(in.Body)))
	if err != nil {
		return nil, document.NotOfKind(in, in.Kind, err)
	}
	return files, nil
}

// leadsOut reports whether a name means a file outside the archive. A slash before it is the
// archive's root: some programs write names of parts so.
func leadsOut(name string) bool {
	rooted := strings.TrimPrefix(name, "/")
	return strings.HasPrefix(rooted, "/") || len(rooted) > 1 && rooted[1] == ':' ||
		strings.HasPrefix(path.Clean(rooted), "..") || strings.ContainsRune(name, 0)
}

// slashed returns a name as the standard has it (APPNOTE, section 4.4.17.1): some programs on
// Windows write backslashes.
func slashed(name string) string { return strings.ReplaceAll(name, `\`, "/") }

// entryName normalizes a name for look-ups: the names of parts never differ in
// case alone (ECMA-376, part 2, section 6.2.2).
func entryName(name string) string {
	return strings.ToLower(strings.TrimPrefix(path.Clean("/"+slashed(name)), "/"))
}

func (a *archive) tooLarge() error {
	return fault.New(fault.TooLarge, "This archive unpacks to more than %s. Split the document, and add its parts.", document.Size(a.unpacked))
}

func (a *archive) has(name string) bool { return a.entries[entryName(name)] != nil }

// read unpacks an entry. It returns nothing for a missing one.
func (a *archive) read(name string) ([]byte, error) {
	file := a.entries[entryName(name)]
	if file == nil {
		return nil, nil
	}
	a.opened[entryName(name)] = true
	if int64(file.UncompressedSize64) > a.left {
		return nil, a.tooLarge()
	}
	unpacking, err := file.Open()
	if err != nil {
		return nil, document.Damaged(a.kind, err)
	}
	defer unpacking.Close()
	// The header may lie about the size, so count the bytes themselves.
	body, err := io.ReadAll(io.LimitReader(unpacking, a.left+1))
	if a.left -= int64(len(body)); a.left < 0 {
		return nil, a.tooLarge()
	}
	if err != nil {
		return nil, document.Damaged(a.kind, err)
	}
	return body, nil
}

// standard returns the archive with all names as the standard has them, for readers of its own.
func (a *archive) standard(body []byte) ([]byte, error) {
	if !a.odd {
		return body, nil
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range sorted(a.entries) {
		file := a.entries[name]
		header := file.FileHeader
		header.Name = strings.TrimPrefix(path.Clean("/"+slashed(file.Name)), "/")
		packed, err := file.OpenRaw()
		if err != nil {
			return nil, document.Damaged(a.kind, err)
		}
		to, err := w.CreateRaw(&header)
		if err != nil {
			return nil, document.Damaged(a.kind, err)
		}
		if _, err := io.Copy(to, packed); err != nil {
			return nil, document.Damaged(a.kind, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, document.Damaged(a.kind, err)
	}
	return b.Bytes(), nil
}

// parts lists entries that only archives of one kind have.
var parts = []struct {
	entry string
	kind  knowledge.Kind
}{
	{"word/document.xml", knowledge.DOCX},
	{"ppt/presentation.xml", knowledge.PPTX},
	{"xl/workbook.xml", knowledge.XLSX},
	{"meta-inf/container.xml", knowledge.EPUB},
}

// KindOfArchive looks only at the names in an archive.
func KindOfArchive(in document.Input) (knowledge.Kind, error) {
	named := document.KindOfName(in.Name)
	if named == "" {
		named = document.KindOfType(in.ContentType)
	}
	office := named == knowledge.DOCX || named == knowledge.PPTX || named == knowledge.XLSX || named == knowledge.EPUB
	in.Kind = named
	files, err := listArchive(in)
	if fault.Is(err, fault.TooLarge) || err != nil && office {
		return "", err
	}
	related := false
	if err == nil {
		for _, file := range files.File {
			name := entryName(file.Name)
			related = related || name == "_rels/.rels"
			for _, part := range parts {
				if name == part.entry {
					return part.kind, nil
				}
			}
		}
	}
	switch {
	case office && related:
		return named, nil // its main part has an unusual name
	case office:
		return "", document.NotOfKind(in, named, nil)
	}
	return "", fault.New(fault.Invalid, "This file is an archive. Unpack it, and add the files in it.")
}
