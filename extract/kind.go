package extract

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
	"text/html": html, "application/xhtml+xml": html, "application/pdf": pdf,
	"text/csv": csv, "text/tab-separated-values": csv, "application/epub+zip": epub,
	"application/json": pairs, "application/jsonl": pairs, "application/x-ndjson": pairs,
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   docx,
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": pptx,
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         xlsx,
}

func kindOfType(contentType string) knowledge.Kind {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media, _, _ = strings.Cut(strings.ToLower(contentType), ";")
	}
	return types[strings.TrimSpace(media)]
}

var extensions = map[string]knowledge.Kind{
	".txt": knowledge.Text, ".text": knowledge.Text, ".log": knowledge.Text,
	".md": knowledge.Markdown, ".markdown": knowledge.Markdown, ".mdx": knowledge.Markdown,
	".html": html, ".htm": html, ".xhtml": html, ".pdf": pdf,
	".docx": docx, ".docm": docx, ".dotx": docx, ".pptx": pptx, ".pptm": pptx, ".ppsx": pptx,
	".xlsx": xlsx, ".xlsm": xlsx, ".xltx": xlsx,
	".csv": csv, ".tsv": csv, ".tab": csv, ".epub": epub, ".json": pairs, ".jsonl": pairs, ".ndjson": pairs,
}

func kindOfName(name string) knowledge.Kind {
	return extensions[strings.ToLower(path.Ext(name))]
}
