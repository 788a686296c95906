package bot

import (
	"context"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/insight/history"
	"parley/web/page"
)

// export sends the conversations that the filters choose, as a file that is made
// while it is read.
func (s conversationPages) export(c *fiber.Ctx, v page.Visit) error {
	query, _ := s.queryOf(c, v)
	as, kind := history.CSV, "text/csv; charset=utf-8"
	if c.Query("format") == string(history.JSONL) {
		as, kind = history.JSONL, "application/jsonl; charset=utf-8"
	}
	read, err := s.Insight.History.Export(context.WithoutCancel(c.UserContext()), v.WorkspaceID(), v.Chatbot.ID, query, as, s.IDs)
	if err != nil {
		return err
	}
	return page.SendFile(c, kind, "conversations-"+s.Now().UTC().Format(time.DateOnly)+"."+string(as), read)
}
