package relay

import (
	"bufio"
	"strings"

	"github.com/gofiber/fiber/v2"
	"github.com/tidwall/gjson"
)

type answerWire struct {
	Error        int        `json:"error"`
	ErrorMessage string     `json:"error_message"`
	Data         answerData `json:"data"`
}

type answerData struct {
	Message string `json:"message"`
	Format  string `json:"format"`
}

func (r *relay) chat(c *fiber.Ctx) error {
	turn, err := r.begin(c)
	if err != nil {
		return err
	}
	answer, err := r.ask(turn.question)
	if err != nil {
		return err
	}
	if err := turn.end(answer); err != nil {
		return err
	}
	return c.JSON(answerWire{Data: answerData{Message: answer, Format: "markdown"}})
}

func (r *relay) stream(c *fiber.Ctx) error {
	turn, err := r.begin(c)
	if err != nil {
		return err
	}
	c.Set(fiber.HeaderContentType, "text/event-stream")
	c.Context().SetBodyStreamWriter(func(w *bufio.Writer) {
		if r.relay(turn, w) == nil {
			_, _ = w.WriteString("data: [DONE]\n\n")
		}
		_ = w.Flush()
	})
	return nil
}

// relay passes the pieces of an answer on, with a flush each. A stream that
// fails ends without [DONE].
func (r *relay) relay(turn *turn, w *bufio.Writer) error {
	var answer strings.Builder
	err := r.askStream(turn.question, func(text gjson.Result) error {
		if r.Ledger != nil {
			answer.WriteString(text.Str)
		}
		_, _ = w.WriteString(`data: {"type":"delta","content":`)
		_, _ = w.WriteString(text.Raw)
		_, _ = w.WriteString("}\n\n")
		return w.Flush()
	})
	if err != nil {
		return err
	}
	return turn.end(answer.String())
}
