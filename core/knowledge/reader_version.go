package knowledge

// readerVersions are the versions of the readers in package extract, by the kind that they read. Raise
// one when what its reader makes of the same file changes: what an older one has read is then read
// again, and says so until it is. TestReaderVersions in package extract notices.
var readerVersions = map[Kind]int{
	Markdown: 1, Text: 1, HTML: 1, PDF: 1, DOCX: 1, PPTX: 1, XLSX: 1, CSV: 1, EPUB: 1, Pairs: 1,
}

// ReaderVersion is the version of the reader of a kind.
func ReaderVersion(kind Kind) int { return readerVersions[kind] }

// Outdated is a range of reader versions that are older than the one of today.
type Outdated struct {
	Kind Kind
	// From is the first of them, and Below is the one of today.
	From, Below int
}

// OutdatedReaders returns the versions that are outdated, by the kind. What was read before versions
// were recorded has version 0: Markdown and plain text have been taken as they stand since then.
func OutdatedReaders() []Outdated {
	all := make([]Outdated, len(fileKinds))
	for i, kind := range fileKinds {
		all[i] = Outdated{Kind: kind, Below: readerVersions[kind]}
		if kind == Markdown || kind == Text {
			all[i].From = 1
		}
	}
	return all
}

// ReaderOutdated reports whether answers are made from what an older reader made of the file or page.
func (d *Document) ReaderOutdated() bool { return d.Live > 0 && d.readByOlder() }

func (d *Document) readByOlder() bool {
	for _, o := range OutdatedReaders() {
		if d.Kind == o.Kind && d.ReaderVersion >= o.From && d.ReaderVersion < o.Below {
			return true
		}
	}
	return false
}
