package bodies

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
)

const (
	// maxParts is how many parts or pairs a form may have.
	maxParts = 1000
	// maxPartHead is how many bytes the headers of a part may take, with what the reader
	// has read ahead.
	maxPartHead = 16 << 10
)

var (
	errForm  = fault.New(fault.Invalid, "The form did not arrive completely. Send it again.")
	errParts = fault.New(fault.Invalid, "The form has more than %d parts. Send fewer.", maxParts)
	errHead  = fault.New(fault.Invalid, "The names in the form are too long. Shorten them.")
)

// Pairs is [Read] for a form in pairs, "a=1&b=2", of which the server would make some 80
// bytes for each pair. It is Invalid with too many of them, before anything is made.
func Pairs(c *fiber.Ctx) error {
	if err := Read(c); err != nil {
		return err
	}
	if more(c.Request().Body(), '&', maxParts) {
		return errParts
	}
	return nil
}

// more reports whether a text has more than most pieces between separators.
func more(text []byte, separator byte, most int) bool {
	for pieces := 1; pieces <= most; pieces++ {
		end := bytes.IndexByte(text, separator)
		if end < 0 {
			return false
		}
		text = text[end+1:]
	}
	return true
}

// Part is one part of a form.
type Part struct {
	Name        string
	FileName    string
	ContentType string
	Content     []byte
}

// Parts are the parts of a form in the order in which they were sent.
type Parts []Part

// Value returns the content of the first part with a name that is not a file.
func (parts Parts) Value(name string) string {
	for _, p := range parts {
		if p.Name == name && p.FileName == "" {
			return string(p.Content)
		}
	}
	return ""
}

// Files returns the parts with a name that are files.
func (parts Parts) Files(name string) []Part {
	var files []Part
	for _, p := range parts {
		if p.Name == name && p.FileName != "" {
			files = append(files, p)
		}
	}
	return files
}

// Form reads the body of a request as multipart/form-data, part by part, so that its
// content is in memory only once. It fails as [Read] does, and with Invalid for anything
// but a form.
func Form(c *fiber.Ctx) (Parts, error) {
	boundary, err := boundaryOf(c.Get(fiber.HeaderContentType))
	if err != nil {
		return nil, err
	}
	var content io.Reader = bytes.NewReader(c.Request().Body())
	if b, ok := c.Locals(localBody).(*body); ok && !b.asked {
		b.asked = true
		if err := b.begin(c); err != nil {
			return nil, err
		}
		content = b
	}
	parts, err := readParts(content, boundary)
	if err != nil {
		return nil, reason(err)
	}
	// The bytes after the last part do not belong to the form.
	if _, err := io.Copy(io.Discard, content); err != nil {
		return nil, reason(err)
	}
	return parts, nil
}

func boundaryOf(contentType string) (string, error) {
	mediaType, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.EqualFold(mediaType, fiber.MIMEMultipartForm) || parameters["boundary"] == "" {
		return "", errForm
	}
	return parameters["boundary"], nil
}

// partHead fails when the headers of a part are too long. The library would take 10 MB of
// them.
type partHead struct {
	io.Reader
	// left is how much may still be read, or -1 while no headers are read.
	left int
}

func (h *partHead) Read(p []byte) (int, error) {
	if h.left < 0 {
		return h.Reader.Read(p)
	}
	if h.left == 0 {
		return 0, errHead
	}
	n, err := h.Reader.Read(p[:min(len(p), h.left)])
	h.left -= n
	return n, err
}

func readParts(content io.Reader, boundary string) (Parts, error) {
	head := &partHead{Reader: content}
	form := multipart.NewReader(head, boundary)
	var parts Parts
	for {
		head.left = maxPartHead
		part, err := form.NextPart()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		if len(parts) == maxParts {
			return nil, errParts
		}
		head.left = -1
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		if cap(content) > 2*len(content) { // many small parts would take 512 bytes each
			content = bytes.Clone(content)
		}
		parts = append(parts, Part{
			Name: part.FormName(), FileName: part.FileName(),
			ContentType: part.Header.Get(fiber.HeaderContentType), Content: content,
		})
	}
}

// reason keeps errors of the connection or a limit, and treats all others as a
// broken form.
func reason(err error) error {
	var failure *fault.Error
	var refused *fiber.Error
	if errors.As(err, &failure) || errors.As(err, &refused) {
		return err
	}
	return fault.Wrap(fault.Invalid, err, "%s", errForm.Message)
}
