package bot

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/api/wire"
	"parley/core/insight/history"
	"parley/internal/plain"
	"parley/web/page"
)

// The formats of an export: a row, or a line, for each message.
const (
	csvFormat   = "csv"
	jsonlFormat = "jsonl"
)

// export sends the conversations that the filters choose, as a file that is made
// while it is read.
func (s conversationPages) export(c *fiber.Ctx, v page.Visit) error {
	query, _ := s.queryOf(c, v)
	ids := wire.Identifiers{Codec: s.IDs}
	as, kind := exportedRows(ids), "text/csv; charset=utf-8"
	if c.Query("format") == jsonlFormat {
		as, kind = exportedLines(ids), "application/jsonl; charset=utf-8"
	}
	read, err := s.Insight.History.Export(context.WithoutCancel(c.UserContext()), v.WorkspaceID(), v.Chatbot.ID, query, as)
	if err != nil {
		return err
	}
	return page.SendFile(c, v, kind, "conversations-"+s.Now().UTC().Format(time.DateOnly)+"."+as.Name, read)
}

func exportedLines(ids wire.Identifiers) history.Format {
	return history.Format{Name: jsonlFormat, Line: func(c *history.Summary, m *history.Message) string {
		var line strings.Builder
		encoder := json.NewEncoder(&line)
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(ids.ExportedMessageToWire(c, m)) // of texts and numbers, to memory
		return line.String()
	}}
}

var exportedColumns = []string{
	"conversation_id", "title", "origin", "external_user_id", "message_id", "created_at", "role", "content", "status", "outcome",
	"rating", "comment", "model", "prompt_tokens", "completion_tokens", "first_token_ms", "total_ms", "sources",
}

func exportedRows(ids wire.Identifiers) history.Format {
	return history.Format{Name: csvFormat, Head: csvRow(exportedColumns), Line: func(c *history.Summary, m *history.Message) string {
		line := ids.ExportedMessageToWire(c, m)
		var titles []string
		for _, source := range line.Sources {
			if source.Cited {
				titles = append(titles, source.Title)
			}
		}
		return csvRow([]string{
			strconv.FormatInt(line.ConversationID, 10), line.Title, line.Origin, line.ExternalUserID, strconv.FormatInt(line.MessageID, 10),
			line.CreatedAt, line.Role, line.Content, line.Status, line.Outcome, line.Rating, line.Comment, line.Model,
			strconv.Itoa(line.PromptTokens), strconv.Itoa(line.CompletionTokens),
			strconv.FormatInt(line.FirstTokenMS, 10), strconv.FormatInt(line.TotalMS, 10), strings.Join(titles, "; "),
		})
	}}
}

// csvRow is a row of CSV.
func csvRow(cells []string) string {
	safe := make([]string, len(cells))
	for i, cell := range cells {
		safe[i] = plain.Cell(cell)
	}
	var line strings.Builder
	w := csv.NewWriter(&line)
	_ = w.Write(safe) // to memory
	w.Flush()
	return line.String()
}
