package api

import (
	"errors"
	"mime"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/internal/jsonsize"
)

// Limits of request bodies, in bytes. A document's body may be larger than its
// content or file.
const (
	MaxBody         = 1 << 20
	MaxDocumentBody = knowledge.MaxUpload + 1<<20
)

// maxValues is how many values a JSON body may have: each can take a hundred times its
// bytes. maxMessageValues is the limit for a message of the Model Context Protocol, of
// which the protocol's library makes more.
const (
	maxValues        = 20_000
	maxMessageValues = 1_000
)

// decodeAny is [decode] for an endpoint all of whose fields are optional: an
// empty body is an empty object.
func decodeAny(c *fiber.Ctx, into any) error {
	if bodies.Announced(c) {
		if err := checkMediaType(c); err != nil { // before the client is told to send it
			return err
		}
	}
	if err := bodies.Read(c); err != nil {
		return err
	}
	if len(c.Request().Body()) == 0 {
		return nil
	}
	return decode(c, into)
}

// decode reads a JSON body. It refuses what one reader could take otherwise
// than another: duplicate names, invalid UTF-8 and lone surrogates.
func decode(c *fiber.Ctx, into any) error { return decodeUpTo(c, maxValues, into) }

// decodeUpTo is [decode] with a limit of values, which holds before anything is made of
// them.
func decodeUpTo(c *fiber.Ctx, values int, into any) error {
	if err := checkMediaType(c); err != nil {
		return err
	}
	if err := bodies.Read(c); err != nil {
		return err
	}
	body := c.Request().Body()
	if len(body) == 0 {
		return fault.New(fault.Invalid, "The request has no body. Send a JSON object.")
	}
	switch err := jsonsize.Check(body, values); {
	case errors.Is(err, jsonsize.ErrDeep):
		return fault.Wrap(fault.Invalid, err, "The body has too many lists and objects in one another.")
	case err != nil:
		return fault.Wrap(fault.TooLarge, err, "The body has more than %d values. Send fewer.", values)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fault.Wrap(fault.Invalid, err, "The body does not match what this endpoint expects: %s", reason(err))
	}
	return nil
}

func checkMediaType(c *fiber.Ctx) error {
	if encoding := c.Get(fiber.HeaderContentEncoding); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return fiber.NewError(fiber.StatusUnsupportedMediaType, "Send the body without a Content-Encoding.")
	}
	contentType := c.Get(fiber.HeaderContentType)
	if contentType == "" || contentType == fiber.MIMEApplicationJSON {
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err == nil && (mediaType == fiber.MIMEApplicationJSON || strings.HasSuffix(mediaType, "+json")) {
		return nil
	}
	return fiber.NewError(fiber.StatusUnsupportedMediaType, "Send the body as application/json.")
}

// reason says what is wrong with a body without showing the body or the types
// of this program.
func reason(err error) string {
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return "it names " + field(syntax.JSONPointer) + " twice."
	case errors.As(err, &syntax):
		if syntax.JSONPointer != "" {
			return "it is not valid JSON at " + string(syntax.JSONPointer) + "."
		}
		return "it is not valid JSON."
	case errors.As(err, &semantic) && semantic.JSONPointer != "":
		return "the value of " + field(semantic.JSONPointer) + " has the wrong type."
	}
	return "it must be an object."
}

// field is the name of the value that a pointer points to.
func field(pointer jsontext.Pointer) string { return strings.TrimPrefix(string(pointer), "/") }

// writtenID is an identifier as a caller may write it: a string or an
// integer. Any other value is written as it stands and names nothing.
func writtenID(value jsontext.Value) *string {
	if len(value) == 0 || value.Kind() == 'n' {
		return nil
	}
	text := string(value)
	if value.Kind() == '"' {
		unquoted, err := jsontext.AppendUnquote(nil, value)
		if err == nil {
			text = string(unquoted)
		}
	}
	return &text
}

// envelope is the shape of every JSON answer. (Specification, section 2.5.)
type envelope struct {
	Error        int    `json:"error"`
	ErrorMessage string `json:"error_message"`
	Data         any    `json:"data"`
}

// respond writes the envelope.
func respond(c *fiber.Ctx, e envelope) error {
	body, err := json.Marshal(e)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
	return c.Send(body)
}

func succeed(c *fiber.Ctx, data any) error { return respond(c, envelope{Data: data}) }
