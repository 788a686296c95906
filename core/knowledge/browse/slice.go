package browse

import (
	"encoding/base64"
	"strings"
	"time"

	"parley/core/fault"
)

// MostRows is the largest page.
const MostRows = 100

// Slice is a part of a list, which is in the order of creation.
type Slice struct {
	// After is the last row of the page before.
	After Cursor
	// Limit is from 1 to [MostRows].
	Limit int
	// OldestFirst turns the order around: the newest come first else.
	OldestFirst bool
}

// Cursor names a row by its place in a list, so that the page after it is found
// though the row has gone. The zero Cursor is before all rows.
type Cursor struct {
	At time.Time
	ID string
}

// IsZero reports whether the cursor is before all rows.
func (c Cursor) IsZero() bool { return c.ID == "" }

func (c Cursor) String() string {
	if c.IsZero() {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(c.At.UTC().Format(time.RFC3339Nano) + " " + c.ID))
}

// maxCursor is longer than any cursor.
const maxCursor = 200

// ParseCursor reads what [Cursor.String] wrote. The field is the parameter that
// a failure names.
func ParseCursor(field, text string) (Cursor, error) {
	if text == "" {
		return Cursor{}, nil
	}
	wrong := fault.InField(field, "%s is not from a list of this server. Begin again without it.", field).Named(fault.WrongCursor)
	if len(text) > maxCursor {
		return Cursor{}, wrong
	}
	plain, err := base64.RawURLEncoding.DecodeString(text)
	at, id, found := strings.Cut(string(plain), " ")
	moment, notTime := time.Parse(time.RFC3339Nano, at)
	if err != nil || !found || notTime != nil || id == "" || strings.ContainsFunc(id, notInID) {
		return Cursor{}, wrong
	}
	return Cursor{moment.UTC(), id}, nil
}

func notInID(r rune) bool {
	return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
}
