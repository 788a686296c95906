package document

import (
	"mime"
	"path"
	"strings"

	"parley/core/knowledge"
)

// labels are what people call the kinds.
var labels = map[knowledge.Kind]string{
	knowledge.Text: "text", knowledge.Markdown: "Markdown", knowledge.CSV: "CSV", knowledge.Pairs: "question-and-answer", knowledge.HTML: "HTML",
	knowledge.PDF: "PDF", knowledge.DOCX: "DOCX", knowledge.PPTX: "PPTX", knowledge.XLSX: "XLSX", knowledge.EPUB: "EPUB",
}

var types = map[string]knowledge.Kind{
	"text/plain": knowledge.Text, "text/markdown": knowledge.Markdown, "text/x-markdown": knowledge.Markdown,
	"text/html": knowledge.HTML, "application/xhtml+xml": knowledge.HTML, "application/pdf": knowledge.PDF,
	"text/csv": knowledge.CSV, "text/tab-separated-values": knowledge.CSV, "application/epub+zip": knowledge.EPUB,
	"application/json": knowledge.Pairs, "application/jsonl": knowledge.Pairs, "application/x-ndjson": knowledge.Pairs,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   knowledge.DOCX,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": knowledge.PPTX,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         knowledge.XLSX,
}

// KindOfType returns the kind that a media type names, if any.
func KindOfType(contentType string) knowledge.Kind {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	return types[strings.TrimSpace(media)]
}

var extensions = map[string]knowledge.Kind{
	".txt": knowledge.Text, ".text": knowledge.Text, ".log": knowledge.Text,
	".md": knowledge.Markdown, ".markdown": knowledge.Markdown, ".mdx": knowledge.Markdown,
	".html": knowledge.HTML, ".htm": knowledge.HTML, ".xhtml": knowledge.HTML, ".pdf": knowledge.PDF,
	".docx": knowledge.DOCX, ".docm": knowledge.DOCX, ".dotx": knowledge.DOCX, ".pptx": knowledge.PPTX, ".pptm": knowledge.PPTX, ".ppsx": knowledge.PPTX,
	".xlsx": knowledge.XLSX, ".xlsm": knowledge.XLSX, ".xltx": knowledge.XLSX,
	".csv": knowledge.CSV, ".tsv": knowledge.CSV, ".tab": knowledge.CSV, ".epub": knowledge.EPUB, ".json": knowledge.Pairs, ".jsonl": knowledge.Pairs, ".ndjson": knowledge.Pairs,
}

// KindOfName returns the kind that the extension of a file's name stands for,
// if any.
func KindOfName(name string) knowledge.Kind {
	return extensions[strings.ToLower(path.Ext(name))]
}
