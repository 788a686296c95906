package bot

import (
	"context"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
	"parley/core/plan"
	"parley/internal/id"
	"parley/views/shell"
	"parley/web/page"
)

// selected reads which documents a form is about, and what was chosen in the list
// that it stood in.
func selected(c *fiber.Ctx) (documentIDs []string, list chosen, err error) {
	typed, err := page.ReadForm(c, choices...)
	if err != nil {
		return nil, nil, err
	}
	for _, value := range c.Request().PostArgs().PeekMulti("document") {
		if len(value) > 0 {
			documentIDs = append(documentIDs, id.Parse(string(value)))
		}
	}
	return documentIDs, chosen(typed), nil
}

// nothingSelected says that a button was pressed before any document was selected.
func (s knowledgePages) nothingSelected(c *fiber.Ctx, v page.Visit, list chosen) error {
	return s.Flash(c, list.at(shell.KnowledgeURL(v.Chatbot.ID)), page.Message{Text: "Select at least one document, and try again.", Failed: true})
}

// remove takes the selected documents out of every answer.
func (s knowledgePages) remove(c *fiber.Ctx, v page.Visit) error {
	documentIDs, list, err := selected(c)
	if err != nil {
		return err
	}
	if len(documentIDs) == 0 {
		return s.nothingSelected(c, v, list)
	}
	return s.withdraw(c, v, documentIDs, list)
}

// removeDocument takes one document out of every answer.
func (s knowledgePages) removeDocument(c *fiber.Ctx, v page.Visit) error {
	_, list, err := selected(c)
	if err != nil {
		return err
	}
	return s.withdraw(c, v, []string{id.Parse(c.Params("document"))}, list)
}

func (s knowledgePages) withdraw(c *fiber.Ctx, v page.Visit, documentIDs []string, list chosen) error {
	ctx := c.UserContext()
	w, err := s.Knowledge.Selections.Withdraw(ctx, v.WorkspaceID(), v.Chatbot.ID, documentIDs)
	if err == nil && w.Documents == 0 {
		err = fault.New(fault.NotFound, "Document not found.")
	}
	if err != nil {
		return err
	}
	m := page.Message{Text: countOf(w.Documents, "removed.", "removed.")}
	m.Undo = shell.KnowledgeURL(v.Chatbot.ID) + "/undo?until=" + strconv.FormatInt(w.Until.UnixMicro(), 10)
	if w.Documents == 1 {
		removed, err := s.Knowledge.Selections.Withdrawn(ctx, v.WorkspaceID(), v.Chatbot.ID, w.Until)
		if err != nil {
			return err
		}
		if len(removed) == 1 {
			m.Text = "“" + removed[0].Title + "” removed."
		}
	}
	return s.Flash(c, list.at(shell.KnowledgeURL(v.Chatbot.ID)), m)
}

// undo brings removed documents back.
func (s knowledgePages) undo(c *fiber.Ctx, v page.Visit) error {
	micros, err := strconv.ParseInt(c.Query("until"), 10, 64)
	if err != nil {
		return fault.New(fault.Invalid, "This does not say what to bring back. Go back to Knowledge and reload it.")
	}
	restored, err := s.Knowledge.Selections.Undo(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, time.UnixMicro(micros).UTC())
	m := page.Message{Text: countOf(restored, "restored.", "restored.")}
	if fault.Is(err, fault.Conflict) {
		m = page.Message{Text: fault.As(err).Message, Failed: true}
	} else if err != nil {
		return err
	}
	return s.Flash(c, shell.KnowledgeURL(v.Chatbot.ID), m)
}

// readAgain has the selected documents read again.
func (s knowledgePages) readAgain(c *fiber.Ctx, v page.Visit) error {
	documentIDs, list, err := selected(c)
	if err != nil {
		return err
	}
	if len(documentIDs) == 0 {
		return s.nothingSelected(c, v, list)
	}
	reading, err := s.Knowledge.Selections.ReadAgain(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, documentIDs)
	if err != nil {
		return err
	}
	if reading.Unknown == len(documentIDs) {
		return fault.New(fault.NotFound, "Document not found.")
	}
	said := countOf(reading.Started, "is being read again.", "are being read again.")
	if reading.Skipped > 0 {
		said += " " + countOf(reading.Skipped, "was skipped: it is being read or removed.", "were skipped: they are being read or removed.")
	}
	if reading.Lost > 0 {
		said += " " + countOf(reading.Lost, "has no stored file any more: add it again.", "have no stored file any more: add them again.")
	}
	return s.Flash(c, list.at(shell.KnowledgeURL(v.Chatbot.ID)), page.Message{Text: said, Failed: reading.Started == 0})
}

// countOf is a sentence about some documents.
func countOf(n int, one, several string) string {
	if n == 1 {
		return "1 document " + one
	}
	return plan.Thousands(n) + " documents " + several
}

func (s knowledgePages) retryDocument(c *fiber.Ctx, v page.Visit) error {
	return s.change(c, v, "document", "The document is being read again.", s.Knowledge.Documents.Retry)
}

func (s knowledgePages) cancelDocument(c *fiber.Ctx, v page.Visit) error {
	return s.change(c, v, "document", "Parley has stopped working on the document.", s.Knowledge.Documents.Cancel)
}

// change does something to the document or source that the address names, and
// says what has been done.
func (s knowledgePages) change(c *fiber.Ctx, v page.Visit, parameter, said string, do func(ctx context.Context, workspaceID, chatbotID, id string) error) error {
	_, list, err := selected(c)
	if err != nil {
		return err
	}
	if err := do(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID, id.Parse(c.Params(parameter))); err != nil {
		return err
	}
	path := shell.KnowledgeURL(v.Chatbot.ID)
	if parameter == "source" {
		path = shell.AddressesURL(v.Chatbot.ID)
	}
	return s.Flash(c, list.at(path), page.Message{Text: said})
}
