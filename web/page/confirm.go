package page

import (
	"net/url"

	"github.com/gofiber/fiber/v2"

	"parley/api/route"
	"parley/core/fault"
	"parley/core/tenant"
	"parley/views/shell"
)

// confirmPath is the page on which people show again who they are.
const confirmPath = "/confirm"

// askAgain leads to it where a route is sensitive and nobody has shown that lately. A
// form goes there as it is, so that it can be sent on.
func askAgain(c *fiber.Ctx, d route.Declaration, person tenant.Person) (asked bool, err error) {
	if !d.Sensitive || d.AsksPassword && person.User.HasPassword() {
		return false, nil
	}
	missing := person.Session.CheckProof()
	switch {
	case missing == nil:
		return false, nil
	case isRead(c) && !c.Is("json"):
		return true, SeeOther(c, shell.ConfirmURL(LocalPath(CameFrom(c))))
	case d.Download && !c.Is("json"):
		return true, c.Redirect(proofURL(c)+"&file=yes", fiber.StatusTemporaryRedirect)
	}
	return true, ProveFirst(c, missing)
}

// ProveFirst leads to it from a form whose values alone make it sensitive.
func ProveFirst(c *fiber.Ctx, missing error) error {
	if c.Is("json") { // a script reads the answer, and leads there
		return Refuse(c, missing)
	}
	return c.Redirect(proofURL(c), fiber.StatusTemporaryRedirect)
}

func proofURL(c *fiber.Ctx) string { return confirmPath + "?to=" + url.QueryEscape(c.Path()) }

// factorFirst leads whoever asked for a page of a workspace that demands a second factor
// to where they show one, or set one up.
func factorFirst(c *fiber.Ctx, failure *fault.Error) (led bool, err error) {
	if failure.Code() != fault.SecondFactorRequired || !isRead(c) {
		return false, nil
	}
	return true, SeeOther(c, confirmPath+"?factor=1&next="+url.QueryEscape(LocalPath(c.OriginalURL())))
}
