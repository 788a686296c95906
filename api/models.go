package api

import (
	"cmp"

	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/internal/id"
)

// ownModels is what a page calls the server's own provider.
const ownModels = "own"

// models are the handlers of what a chatbot can be answered by.
type models struct{ of chatbot.Services }

type modelsData struct {
	Models []string `json:"models"`
}

// list lists the models of a provider of the chatbot's workspace, or the server's
// own.
func (h models) list(c *fiber.Ctx, at visit) error {
	provider := cmp.Or(id.Parse(c.Query("provider_id")), ownModels)
	if provider == ownModels {
		return succeed(c, modelsData{h.of.Providers.OwnModels()})
	}
	found, err := h.of.Catalog.Of(c.UserContext(), at.WorkspaceID, provider)
	if err != nil {
		return err
	}
	return succeed(c, modelsData{append([]string{}, found.Names...)})
}
