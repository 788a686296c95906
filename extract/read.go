package extract

import (
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract/document"
	"parley/extract/html"
	"parley/extract/office"
	"parley/extract/pdf"
)

// reader reads one kind of document.
type reader struct {
	// isolated says that it runs in a child process however small the document is.
	isolated bool
	read     func(*document.Document, Input) error
}

// readers maps each kind to its reader.
var readers = map[knowledge.Kind]reader{
	knowledge.Text:     {false, readText},
	knowledge.Markdown: {false, readMarkdown},
	knowledge.CSV:      {false, readCSV},
	knowledge.Pairs:    {false, readPairs},
	knowledge.HTML:     {true, html.Read},
	knowledge.PDF:      {true, pdf.Read},
	knowledge.DOCX:     {true, office.ReadDOCX},
	knowledge.PPTX:     {true, office.ReadPPTX},
	knowledge.XLSX:     {true, office.ReadXLSX},
	knowledge.EPUB:     {true, office.ReadEPUB},
}

// read reads a document of a known kind in this process.
func read(in Input, limits Limits) (Result, error) {
	doc := &document.Document{Limits: limits}
	if err := readers[in.Kind].read(doc, in); err != nil {
		return Result{}, err
	}
	if doc.Err != nil {
		return Result{}, doc.Err
	}
	if doc.Text.Len() == 0 {
		return Result{}, fault.New(fault.Invalid, "This file holds no text.")
	}
	result := doc.Result()
	result.Kind = in.Kind
	if result.Title == "" {
		result.Title = nameOf(in.Name)
	}
	return result, nil
}
