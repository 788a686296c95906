package web

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/knowledge"
	"parley/core/tenant"
	"parley/internal/id"
	"parley/views"
)

func (s *site) knowledgePage(c *fiber.Ctx) error {
	v, err := s.toChatbot(c, tenant.Read)
	if err != nil {
		return err
	}
	return s.showKnowledge(c, v, fiber.StatusOK, views.Form{})
}

func (s *site) showKnowledge(c *fiber.Ctx, v visit, status int, f views.Form) error {
	documents, err := s.Knowledge.List(c.UserContext(), v.workspaceID(), v.chatbot.ID)
	if err != nil {
		return err
	}
	m := views.Knowledge{Form: f, MayEdit: v.may(tenant.EditKnowledge)}
	for _, document := range documents {
		m.Documents = append(m.Documents, documentView(document))
	}
	return render(c, status, views.KnowledgePage(v.layout(c, views.KnowledgeSection, "Knowledge"), m))
}

func documentView(d knowledge.Document) views.Document {
	return views.Document{
		ID: d.ID, Title: d.Title, Kind: string(d.Kind), State: string(d.State), Reason: d.Reason,
		Chars: thousands(d.Chars), Passages: thousands(d.Passages), CreatedAt: d.CreatedAt,
	}
}

func (s *site) addDocument(c *fiber.Ctx) error {
	v, err := s.toChatbot(c, tenant.EditKnowledge)
	if err != nil {
		return err
	}
	typed, file, err := readUpload(c, "file", "title", "kind", "content")
	if err != nil {
		return err
	}
	if err := s.addTyped(c, v, typed, file); err != nil {
		return typed.again(c, err, func(status int, f views.Form) error { return s.showKnowledge(c, v, status, f) })
	}
	return done(c, views.KnowledgeURL(v.chatbot.ID), "added")
}

func (s *site) removeDocument(c *fiber.Ctx) error {
	v, err := s.toChatbot(c, tenant.EditKnowledge)
	if err != nil {
		return err
	}
	if err := s.Knowledge.Remove(c.UserContext(), v.workspaceID(), v.chatbot.ID, id.Given(c.Params("document"))); err != nil {
		return err
	}
	return done(c, views.KnowledgeURL(v.chatbot.ID), "removed")
}
