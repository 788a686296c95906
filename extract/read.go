package extract

import (
	"parley/core/fault"
	"parley/core/knowledge"
)

// The kinds as they are named here.
const (
	html = knowledge.HTML
	pdf  = knowledge.PDF
	docx = knowledge.DOCX
	pptx = knowledge.PPTX
	xlsx = knowledge.XLSX
	csv  = knowledge.CSV
	epub = knowledge.EPUB
	// pairs are questions with their answers.
	pairs = knowledge.Pairs
)

// reader reads one kind.
type reader struct {
	// apart says that it runs in a child process.
	apart bool
	read  func(*document, Input) error
}

var readers map[knowledge.Kind]reader

func init() { // because readers refer to one another
	readers = map[knowledge.Kind]reader{
		knowledge.Text:     {false, readText},
		knowledge.Markdown: {false, readMarkdown},
		csv:                {false, readCSV},
		pairs:              {false, readPairs},
		html:               {true, readHTML},
		pdf:                {true, readPDF},
		docx:               {true, readDOCX},
		pptx:               {true, readPPTX},
		xlsx:               {true, readXLSX},
		epub:               {true, readEPUB},
	}
}

// read reads a document of a known kind in this process.
func read(in Input, limits Limits) (Result, error) {
	doc := &document{limits: limits}
	if err := readers[in.Kind].read(doc, in); err != nil {
		return Result{}, err
	}
	if doc.err != nil {
		return Result{}, doc.err
	}
	if doc.text.Len() == 0 {
		return Result{}, fault.New(fault.Invalid, "This file holds no text.")
	}
	result := doc.result()
	result.Kind = in.Kind
	if result.Title == "" {
		result.Title = nameOf(in.Name)
	}
	return result, nil
}
