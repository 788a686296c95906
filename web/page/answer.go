package page

import (
	"bytes"
	"net/url"

	"github.com/a-h/templ"
	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"
)

const contentPolicy = "default-src 'self'; img-src 'self' data:; object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"

// SetHeaders confines a page to this server. Pages hold what one person may
// see, so nobody keeps them.
func SetHeaders(c *fiber.Ctx) {
	c.Set(fiber.HeaderContentSecurityPolicy, contentPolicy)
	c.Set(fiber.HeaderXContentTypeOptions, "nosniff")
	c.Set(fiber.HeaderReferrerPolicy, "same-origin")
	c.Set(fiber.HeaderCacheControl, "no-store")
}

// Render answers with a page. It is made whole first, so that a failure does
// not send half of one.
func Render(c *fiber.Ctx, status int, page templ.Component) error {
	var whole bytes.Buffer
	if err := page.Render(c.UserContext(), &whole); err != nil {
		return err
	}
	c.Type("html", "utf-8")
	return c.Status(status).Send(packed(c, whole.Bytes()))
}

// worthPacking is from how many bytes on a page is compressed.
const worthPacking = 1 << 10

// packed compresses a page for browsers that take it. A page shows no secret that
// stays one beside what a request brought: tokens are shown once, in the answer to
// a form that other sites cannot send.
func packed(c *fiber.Ctx, page []byte) []byte {
	c.Vary(fiber.HeaderAcceptEncoding)
	switch {
	case len(page) < worthPacking:
	case c.Request().Header.HasAcceptEncoding("br"):
		c.Set(fiber.HeaderContentEncoding, "br")
		return fasthttp.AppendBrotliBytesLevel(nil, page, fasthttp.CompressBrotliBestSpeed+3)
	case c.Request().Header.HasAcceptEncoding("gzip"):
		c.Set(fiber.HeaderContentEncoding, "gzip")
		return fasthttp.AppendGzipBytesLevel(nil, page, fasthttp.CompressDefaultCompression)
	}
	return page
}

// SeeOther answers a form that did its work.
func SeeOther(c *fiber.Ctx, path string) error {
	return c.Redirect(path, fiber.StatusSeeOther)
}

// notices are what a page can say has been done, by the value of "done" in
// its address. They are fixed, because anyone can write such an address.
var notices = map[string]string{
	"saved":       "Your changes are saved.",
	"resized":     "Your changes are saved. All documents are being indexed again; until that is done, questions are answered from the previous versions.",
	"provider":    "The provider has been added. Choose it in the settings of a chatbot.",
	"deleted":     "The chatbot has been deleted.",
	"left":        "You have left the workspace.",
	"canceled":    "The invitation has been canceled.",
	"plan":        "The plan has been changed.",
	"bought":      "Thank you. The plan is active now.",
	"read":        "Your subscription is up to date.",
	"waiting":     "The change may take a minute to appear. Reload the page then.",
	"unbought":    "You have not bought anything.",
	"chosen":      "Your choice is saved.",
	"email":       "Your e-mail address has been changed. Use it to sign in from now on. You've been signed out of all other browsers.",
	"confirm":     "Check your e-mail: your address changes when you follow the link we sent to the new one.",
	"confirm-log": "Your address changes when somebody follows the link in the log of this server. Ask its operator for it.",
	"reset":       "Your password has been changed. Sign in with it.",
	"password":    "Your password has been changed. You've been signed out of all other browsers.",
	"erased":      "Your account has been deleted. The receipt was sent to your address.",
	// A server without mails.
	"erased-silently": "Your account has been deleted.",
}

// Done is [SeeOther] to a page that confirms the action.
func Done(c *fiber.Ctx, path, notice string) error {
	return SeeOther(c, path+"?done="+url.QueryEscape(notice))
}

func noticeOf(c *fiber.Ctx) string { return notices[c.Query("done")] }
