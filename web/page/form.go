package page

import (
	"strings"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/core/fault"
	"parley/internal/requestid"
	"parley/internal/requestline"
	"parley/internal/security"
	"parley/views/ui"
)

// Form has the values of a form, by the name of the input.
type Form map[string]string

// ReadForm takes the named inputs from the body, and from nowhere else: what
// is in an address gets into logs.
func ReadForm(c *fiber.Ctx, names ...string) (Form, error) {
	if err := checkEncoding(c); err != nil {
		return nil, err
	}
	if err := bodies.Pairs(c); err != nil {
		return nil, err
	}
	typed, body := Form{}, c.Request().PostArgs()
	for _, name := range names {
		typed[name] = string(body.Peek(name))
	}
	return typed.checked()
}

// ReadUploads is readForm for a form with files, which may be missing. An
// empty name of the files means that none are wanted.
func ReadUploads(c *fiber.Ctx, files string, names ...string) (Form, []bodies.Part, error) {
	if err := checkEncoding(c); err != nil {
		return nil, nil, err
	}
	sent, err := bodies.Form(c)
	if err != nil {
		return nil, nil, err
	}
	typed := Form{}
	for _, name := range names {
		typed[name] = sent.Value(name)
	}
	var given []bodies.Part
	if files != "" {
		typed[files] = ""
		given = sent.Files(files)
	}
	typed, err = typed.checked()
	return typed, given, err
}

// checkEncoding refuses a compressed body, which could unpack to any size. No
// browser sends one.
func checkEncoding(c *fiber.Ctx) error {
	if c.Get(fiber.HeaderContentEncoding) != "" {
		return fault.New(fault.Invalid, "This server does not accept compressed forms. Send it uncompressed.")
	}
	return nil
}

// checked refuses what cannot be stored, and makes line breaks plain: forms
// send CR LF.
func (f Form) checked() (Form, error) {
	for name, value := range f {
		if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
			return nil, fault.New(fault.Invalid, "The form contains characters that cannot be stored. Remove them, or paste the text as plain text.")
		}
		f[name] = strings.ReplaceAll(value, "\r\n", "\n")
	}
	return f, nil
}

// View returns the form for a page, without passwords and keys.
func (f Form) View() ui.Form {
	values := make(map[string]string, len(f))
	for name, value := range f {
		if strings.HasSuffix(name, "password") || name == "key" || name == "client_secret" {
			value = ""
		}
		values[name] = value
	}
	return ui.Form{Values: values}
}

// MaxEcho is how many bytes of a refused form a page shows again: each can take six in a
// page.
const MaxEcho = 256 << 10

// size is how many bytes the values have.
func (f Form) size() (n int) {
	for _, value := range f {
		n += len(value)
	}
	return n
}

// Again shows the page of a refused form once more, with its values, unless they are
// larger than [MaxEcho], and the error. It returns an error that no other input would mend.
func (f Form) Again(c *fiber.Ctx, err error, show func(status int, form ui.Form) error) error {
	failure := *fault.As(err)
	if failure.Kind == fault.Internal || failure.Kind == fault.NotFound {
		return err
	}
	security.Note(c, err)
	retryAfter(c, &failure)
	if f.size() > MaxEcho {
		for name := range f { // callers show them by themselves, too
			f[name] = ""
		}
		failure.Message += " The form is too long to be shown again: fill it in once more."
	}
	requestline.Of(c).Fail(statusOf(failure.Kind), string(failure.Code()))
	shown := f.View()
	shown.Field, shown.Message = failure.Field, failure.Message
	if failure.Kind == fault.Unavailable {
		shown.Message += " Request number: " + requestid.Of(c) + "."
	}
	return show(statusOf(failure.Kind), shown)
}
