package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
)

// wellKnownResource is where a server describes what it protects: RFC 9728, section 3.
const wellKnownResource = "/.well-known/oauth-protected-resource"

// resourceData describes a protected resource: RFC 9728, section 2. It names no
// authorization server, since there is none: a token is made in the dashboard.
type resourceData struct {
	Resource      string   `json:"resource"`
	Name          string   `json:"resource_name"`
	Scopes        []string `json:"scopes_supported"`
	Methods       []string `json:"bearer_methods_supported"`
	Documentation string   `json:"resource_documentation"`
}

// describeResource describes the resource at a path of this server.
func describeResource(baseURL, path string) fiber.Handler {
	return func(c *fiber.Ctx) error {
		c.Set(fiber.HeaderCacheControl, describedFor)
		return c.JSON(resourceData{
			Resource: baseURL + path, Name: "Parley API", Methods: []string{"header"},
			Scopes:        []string{string(chatbot.ScopeChat), string(chatbot.ScopeReadKnowledge)},
			Documentation: baseURL + "/docs/api",
		})
	}
}

// challenge says how to authenticate: RFC 6750, section 3, and RFC 9728, section 5.1.
func challenge(c *fiber.Ctx, baseURL string) string {
	if c.Path() != toolsPath {
		return "Bearer"
	}
	return `Bearer resource_metadata="` + baseURL + wellKnownResource + toolsPath + `"`
}
