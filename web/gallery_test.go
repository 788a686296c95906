package web

import (
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/static"
	"parley/views/gallery"
	"parley/web/webtest"
)

func TestGallery(t *testing.T) {
	app := fiber.New(fiber.Config{Immutable: true})
	Gallery(app)
	for name := range gallery.Pages() {
		t.Run(name+" is shown", func(t *testing.T) {
			if got := webtest.Send(t, app, "GET", "/pages/"+name, "", nil); got.Status != fiber.StatusOK {
				t.Errorf("status %d", got.Status)
			}
		})
	}
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
