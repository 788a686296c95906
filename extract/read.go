package extract

import (
	"errors"

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
	// label is what people call the kind.
	label string
	// apart says that it runs in a child process.
	apart bool
	read  func(*document, Input) error
}

var readers map[knowledge.Kind]reader

func init() { // because readers refer to one another
	readers = map[knowledge.Kind]reader{
		knowledge.Text:     {"text", false, readText},
		knowledge.Markdown: {"Markdown", false, readMarkdown},
		csv:                {"CSV", false, readCSV},
		pairs:              {"question-and-answer", false, readPairs},
		html:               {"HTML", true, readHTML},
		pdf:                {"PDF", true, readPDF},
		docx:               {"DOCX", true, readDOCX},
		pptx:               {"PPTX", true, readPPTX},
		xlsx:               {"XLSX", true, readXLSX},
		epub:               {"EPUB", true, readEPUB},
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

// errStopped is a reader that ended without an answer.
func errStopped(cause error) error {
	return fault.Wrap(fault.Invalid, cause, "This file could not be read: its reader stopped. It may be damaged. Save it anew with the program that it comes from, and add it again.")
}

func errMemory(cause error) error {
	return fault.Wrap(fault.TooLarge, cause, "Reading it needed more memory than allowed. Split the file, and add its parts.")
}

// errNot is a file that is not of the kind that it was taken for.
func errNot(in Input, kind knowledge.Kind, cause error) error {
	why := "though it was declared as one"
	if kindOfName(in.Name) == kind {
		why = "though its name says so"
	}
	return fault.Wrap(fault.Invalid, cause, "This file is not a %s file, %s.", readers[kind].label, why)
}

func errDamaged(kind knowledge.Kind, cause error) error {
	if found := new(fault.Error); errors.As(cause, &found) {
		return cause
	}
	return fault.Wrap(fault.Invalid, cause, "This %s file is damaged. Save it anew with the program that it comes from, and add it again.", readers[kind].label)
}

func errProtected(kind knowledge.Kind) error {
	return fault.New(fault.Invalid, "This %s is protected by a password. Remove the password, and add it again.", readers[kind].label)
}
