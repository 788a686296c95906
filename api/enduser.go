package api

import (
	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
)

const (
	externalUserHeader = "X-External-User-Id"
	externalUserQuery  = "external_user_id"
)

var errTwoUsers = fault.InField("external_user_id",
	"The request names two different end users. Send external_user_id once: in the body, as a query parameter or as %s.", externalUserHeader)

// externalUserOf returns the external user id of a request, which may be in its
// body, its header or its query. Those that are there must be equal. An empty
// one is none.
func externalUserOf(c *fiber.Ctx, inBody *string) (string, error) {
	var found []string
	if inBody != nil {
		found = append(found, *inBody)
	}
	for _, value := range c.Request().Header.PeekAll(externalUserHeader) {
		found = append(found, string(value))
	}
	for _, value := range c.Context().QueryArgs().PeekMulti(externalUserQuery) {
		found = append(found, string(value))
	}
	user := ""
	for _, value := range found {
		if value == "" {
			continue
		}
		if user != "" && value != user {
			return "", errTwoUsers
		}
		user = value
	}
	return user, nil
}
