package web

import (
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/tenant"
	"parley/views"
)

func (s *site) tokensPage(c *fiber.Ctx) error {
	v, err := s.toChatbot(c, tenant.Read)
	if err != nil {
		return err
	}
	return render(c, fiber.StatusOK, views.TokensPage(v.layout(c, views.TokensSection, "API tokens"), views.Tokens{
		MayManage: v.may(tenant.ManageTokens), APIURL: s.address("/api/v1"),
	}))
}

// address of a path for people outside.
func (s *site) address(path string) string { return strings.TrimRight(s.BaseURL, "/") + path }
