package bot

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/insight/history"
	"parley/web/site"
)

// writeWait is how long a reader of an export may take nothing.
const writeWait = 30 * time.Second

// export sends the conversations that the filters choose, as a file that is made
// while it is read.
func (s conversationPages) export(c *fiber.Ctx, v site.Visit) error {
	query, _ := s.queryOf(c, v)
	as, kind := history.CSV, "text/csv; charset=utf-8"
	if c.Query("format") == string(history.JSONL) {
		as, kind = history.JSONL, "application/jsonl; charset=utf-8"
	}
	c.Set(fiber.HeaderContentType, kind)
	c.Set(fiber.HeaderContentDisposition, `attachment; filename="conversations-`+s.Now().UTC().Format(time.DateOnly)+"."+string(as)+`"`)
	// Nothing of c may be used once the handler has returned.
	conn, read := c.Context().Conn(), s.Insight.History.Export(context.WithoutCancel(c.UserContext()), v.WorkspaceID(), v.Chatbot.ID, query, as, s.IDs)
	c.Context().SetBodyStream(patient{func(into []byte) (int, error) {
		if err := conn.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
			return 0, err
		}
		return read.Read(into)
	}}, -1)
	return nil
}

// patient gives each part of a body its time.
type patient struct{ read func([]byte) (int, error) }

// Read implements [io.Reader].
func (p patient) Read(into []byte) (int, error) { return p.read(into) }
