package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/api/wire"
	"parley/core/fault"
	"parley/core/knowledge"
)

// maxBatch is how many files one request may bring. With the pace of costly
// requests it bounds how many files a person can add within a minute.
const maxBatch = 25

// addedData is the answer of POST /api/chatbots/:id/documents/batch: what became
// of each file, in the order in which they were sent.
type addedData struct {
	Files []addedFileData `json:"files"`
}

// addedFileData has the document, or why there is none.
type addedFileData struct {
	Name         string         `json:"name"`
	Document     *wire.Document `json:"document,omitempty"`
	ErrorMessage string         `json:"error_message,omitempty"`
}

// addBatch adds several files. One that is refused does not stop the others. When
// the server cannot go on, all of them can be sent again: what is there already is
// not added twice.
func (h documents) addBatch(c *fiber.Ctx, at visit) error {
	form, err := formOf(c)
	if err != nil {
		return err
	}
	files := form.Files("file")
	switch {
	case len(files) == 0:
		return fault.InField("file", "Send at least one file, in parts named file.")
	case len(files) > maxBatch:
		return fault.InField("file", "You sent %d files. Send at most %d in one request.", len(files), maxBatch)
	}
	c.SetUserContext(knowledge.Batch(c.UserContext(), len(files)))
	added := addedData{Files: make([]addedFileData, len(files))}
	for i, file := range files {
		added.Files[i], err = h.addFile(c, at, file)
		if err != nil {
			return err
		}
	}
	return succeed(c, added)
}

// addFile adds one file. Its failure is one that the next file would meet, too.
func (h documents) addFile(c *fiber.Ctx, at visit, file bodies.Part) (addedFileData, error) {
	added := addedFileData{Name: file.FileName}
	document, err := h.knowledge.Documents.Add(c.UserContext(), at.WorkspaceID, at.ID, knowledge.OfFile(knowledge.Upload{
		Name: file.FileName, ContentType: file.ContentType, Body: file.Content,
	}))
	if err == nil {
		data := wire.DocumentToWire(document)
		added.Document = &data
		return added, nil
	}
	switch failure := fault.As(err); failure.Kind {
	case fault.Invalid, fault.TooLarge, fault.Forbidden, fault.Conflict: // of this file
		added.ErrorMessage = failure.Message
		return added, nil
	default:
		return added, err
	}
}

// formOf reads a form that is not compressed, as it could unpack to any size.
func formOf(c *fiber.Ctx) (bodies.Parts, error) {
	if c.Get(fiber.HeaderContentEncoding) != "" {
		return nil, fiber.NewError(fiber.StatusUnsupportedMediaType, "Send the body without a Content-Encoding.")
	}
	return bodies.Form(c)
}
