package page

import (
	"encoding/base64"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/gofiber/fiber/v2"

	"parley/views/shell"
)

// flashLifetime is how long a message waits for the next page.
const flashLifetime = time.Minute

// maxFlash is how much of a message is kept: a cookie holds 4 KiB.
const maxFlash = 500

// Message confirms the action on the next page, such as "Opening hours" added.
type Message struct {
	Text string `json:"t"`
	// Undo is where a form posts that undoes it, or empty.
	Undo string `json:"u,omitempty"`
	// Failed says that it did not work.
	Failed bool `json:"f,omitempty"`
}

// Flash is [SeeOther] to a page that shows a message once. It travels in a cookie,
// so that nobody else's link can have a page say something.
func (s *Base) Flash(c *fiber.Ctx, path string, m Message) error {
	if len(m.Text) > maxFlash {
		cut := maxFlash
		for !utf8.RuneStart(m.Text[cut]) {
			cut--
		}
		m.Text = m.Text[:cut] + "…"
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.Cookie(s.Sessions.cookie(s.Sessions.named("flash"), base64.RawURLEncoding.EncodeToString(text), flashLifetime))
	return SeeOther(c, path)
}

// withFlash adds the message that waits for this page.
func (s *Sessions) withFlash(c *fiber.Ctx, l shell.Layout) shell.Layout {
	m := s.takeFlash(c)
	l.Notice, l.Undo, l.Failed = m.Text, m.Undo, m.Failed
	return l
}

// takeFlash returns the message for this page, and removes it.
func (s *Sessions) takeFlash(c *fiber.Ctx) Message {
	name := s.named("flash")
	value := c.Cookies(name)
	if value == "" {
		return Message{Text: noticeOf(c)}
	}
	s.remove(c, name)
	text, err := base64.RawURLEncoding.DecodeString(value)
	var m Message
	if err != nil || json.Unmarshal(text, &m) != nil {
		return Message{Text: noticeOf(c)}
	}
	if m.Undo != "" && LocalPath(m.Undo) == "/" {
		m.Undo = ""
	}
	return m
}
