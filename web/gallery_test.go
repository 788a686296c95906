package web

import (
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/static"
	"parley/views/gallery"
	"parley/web/webtest"
)

func TestGallery(t *testing.T) {
	app := fiber.New(fiber.Config{Immutable: true})
	Gallery(app, []SampleMail{{Subject: "News & <more>", Text: "Hello,", HTML: "<p>Hello,</p>"}})
	for name := range gallery.Pages() {
		t.Run(name+" is shown", func(t *testing.T) {
			if got := webtest.Send(t, app, "GET", "/pages/"+name, "", nil); got.Status != fiber.StatusOK {
				t.Errorf("status %d", got.Status)
			}
		})
	}
	t.Run("a mail is listed, and shown with its own style and as text", func(t *testing.T) {
		list := webtest.Send(t, app, "GET", "/", "", nil)
		if !strings.Contains(list.Body, "News &amp; &lt;more&gt;") || !strings.Contains(list.Body, `href="/mails/1/html"`) {
			t.Errorf("the list is %s", list.Body)
		}
		page := webtest.Send(t, app, "GET", "/mails/1/html", "", nil)
		if page.Body != "<p>Hello,</p>" || page.Header.Get("Content-Security-Policy") != mailPolicy {
			t.Errorf("the page is %q under %q", page.Body, page.Header.Get("Content-Security-Policy"))
		}
		text := webtest.Send(t, app, "GET", "/mails/1/text", "", nil)
		if text.Body != "Hello," || text.Header.Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("the text is %q, %s", text.Body, text.Header.Get("Content-Type"))
		}
		for _, path := range []string{"/mails/0/html", "/mails/2/html", "/mails/1/pdf", "/mails/x/html"} {
			if got := webtest.Send(t, app, "GET", path, "", nil); got.Status != fiber.StatusNotFound {
				t.Errorf("%s is %d", path, got.Status)
			}
		}
	})
	t.Run("the style is sent", func(t *testing.T) {
		if got := webtest.Send(t, app, "GET", static.URL("parley.css"), "", nil); got.Status != fiber.StatusOK {
			t.Errorf("status %d", got.Status)
		}
	})
	t.Run("a page that is not there is not found", func(t *testing.T) {
		if got := webtest.Send(t, app, "GET", "/pages/nothing", "", nil); got.Status != fiber.StatusNotFound {
			t.Errorf("status %d", got.Status)
		}
	})
	t.Run("a form leads back", func(t *testing.T) {
		if got := webtest.Send(t, app, "POST", "/anything", "a=b", webtest.TypedForm); got.Status != fiber.StatusSeeOther {
			t.Errorf("status %d", got.Status)
		}
	})
}
