package bot

import (
	"errors"
	"path"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/core/fault"
	"parley/core/knowledge"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/web/page"
)

// otherKinds are the ends of the names of other files.
var otherKinds = map[string]bool{
	".html": true, ".htm": true, ".pdf": true, ".docx": true, ".pptx": true, ".xlsx": true, ".csv": true, ".epub": true,
}

// maxFiles is how many files a form may have.
const maxFiles = 100

func (s knowledgePages) addFiles(c *fiber.Ctx, v page.Visit) error {
	typed, files, err := page.ReadUploads(c, "files")
	if err = ofBody(err, "files", tooLarge); err == nil {
		err = addEach(c, s.Base, v, files)
	}
	if err != nil {
		return s.refused(c, v, err, typed, nil, views.WayFiles, func(add *addForms) *addForm { return &add.files })
	}
	return s.Flash(c, shell.KnowledgeURL(v.Chatbot.ID), page.Message{Text: countOf(len(files), "added.", "added.")})
}

// tooLarge is what to say of files that are not read, since together they are larger than
// one may be.
const tooLarge = "The files are larger than 20 MB together. Add fewer at a time, or split the large ones."

// ofBody is err, but says beside the input of a form's files that they are too large where
// the whole request is.
func ofBody(err error, files, message string) error {
	if errors.Is(err, bodies.ErrTooLarge) {
		return &fault.Error{Kind: fault.TooLarge, Field: files, Message: message}
	}
	return err
}

// addEach adds files until one is refused, and says which.
func addEach(c *fiber.Ctx, s *page.Base, v page.Visit, files []bodies.Part) error {
	switch {
	case len(files) == 0:
		return fault.InField("files", "Choose a file.")
	case len(files) > maxFiles:
		return fault.InField("files", "You chose %d files. Choose at most %d at a time.", len(files), maxFiles)
	}
	ctx := knowledge.Batch(c.UserContext(), len(files))
	for i, file := range files {
		request, err := uploaded(file)
		if err == nil {
			_, err = s.Knowledge.Documents.Add(ctx, v.WorkspaceID(), v.Chatbot.ID, request)
		}
		if err != nil {
			return ofFile(err, file, i, len(files))
		}
	}
	return nil
}

// ofFile says which of several files a failure is of, and what became of the
// others.
func ofFile(err error, file bodies.Part, before, all int) error {
	failure := *fault.As(err)
	if failure.Kind == fault.Internal {
		return err
	}
	failure.Field = "files"
	if all > 1 {
		failure.Message = file.FileName + ": " + failure.Message
	}
	if before > 0 {
		failure.Message += " The files before it have been added."
	}
	return &failure
}

// uploaded makes a document of a file.
func uploaded(file bodies.Part) (knowledge.NewDocument, error) {
	end := strings.ToLower(path.Ext(file.FileName))
	kind, isText := knowledge.TextKind(file.FileName)
	switch {
	case !isText && !otherKinds[end]:
		return knowledge.NewDocument{}, fault.InField("files",
			"We can't read this file type. Add PDF, Word, PowerPoint, Excel, CSV, EPUB, HTML, Markdown or text files.")
	case isText && len(file.Content) > knowledge.MaxContent:
		return knowledge.NewDocument{}, &fault.Error{Kind: fault.TooLarge, Field: "files", Message: "The file is larger than 5 MiB. Split it."}
	case len(file.Content) > knowledge.MaxUpload:
		return knowledge.NewDocument{}, &fault.Error{Kind: fault.TooLarge, Field: "files", Message: "The file is larger than 20 MB. Split it."}
	}
	if !isText {
		return knowledge.NewDocument{File: &knowledge.Upload{
			Name: file.FileName, ContentType: file.ContentType, Body: file.Content,
		}}, nil
	}
	// A text is added as if it had been typed, so that it is ready at once. Some editors begin UTF-8 with a mark.
	text := strings.TrimPrefix(string(file.Content), "\ufeff")
	title := ""
	if kind == knowledge.Markdown {
		title = text // its first heading, as the API does it
	}
	return knowledge.NewDocument{Title: knowledge.TitleOf(file.FileName, title), Kind: kind, Content: text}, nil
}
