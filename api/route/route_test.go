package route

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/gofiber/fiber/v2"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/rate"
	"parley/core/tenant"
)

func anyone(_ Declaration, handle fiber.Handler) fiber.Handler { return handle }

func TestAddKeepsWhatRoutesDeclare(t *testing.T) {
	done := func(c *fiber.Ctx) error { return c.SendString("done") }
	app, table := fiber.New(), &Table{}
	Add(table, app, "/things/:id", anyone,
		Get("", done, May(tenant.Read)),
		Post("/run", done, May(tenant.EditKnowledge), Body(10), Costly),
		Put("/name/:name", done, Needs(chatbot.ScopeWriteKnowledge), Body(20)),
		Delete("", done, Needs(chatbot.ScopeChat)),
		Get("/open", done, Open),
		Get("/mine", done, SignedIn),
	)
	want := []Declaration{
		{Method: "GET", Path: "/things/:id", Scope: Member, Action: tenant.Read},
		{Method: "POST", Path: "/things/:id/run", Scope: Member, Action: tenant.EditKnowledge, Body: 10, Rate: rate.Costly},
		{Method: "PUT", Path: "/things/:id/name/:name", Scope: Token, TokenScope: chatbot.ScopeWriteKnowledge, Body: 20},
		{Method: "DELETE", Path: "/things/:id", Scope: Token, TokenScope: chatbot.ScopeChat},
		{Method: "GET", Path: "/things/:id/open", Scope: Anyone},
		{Method: "GET", Path: "/things/:id/mine", Scope: Person},
	}
	if got := table.All(); !reflect.DeepEqual(got, want) {
		t.Errorf("the table is %+v, want %+v", got, want)
	}
	for request, status := range map[string]int{
		"GET /things/1": 200, "HEAD /things/1": 200, "DELETE /things/1": 200, "POST /things/1/run": 200, "PUT /things/1/name/a%2Fb": 200, "POST /things/1": 405,
	} {
		method, path, _ := strings.Cut(request, " ")
		response, err := app.Test(httptest.NewRequest(method, path, nil))
		if err != nil || response.StatusCode != status {
			t.Errorf("%s is %v, %v, want %d", request, response, err, status)
		}
	}
}

func TestTheAddressOfAFormLeadsToItsPage(t *testing.T) {
	done := func(c *fiber.Ctx) error { return c.SendString("done") }
	app := fiber.New()
	Add(&Table{}, app, "/things/:id", anyone,
		Get("", done, Open),
		Post("/parts/:part/remove", done, Open, Body(10), On("/parts/:part?way=list")),
		Post("/make", done, Open, Body(10), On("/")),
	)
	for path, want := range map[string]string{
		"/things/1/parts/2/remove": "/things/1/parts/2?way=list", "/things/1/make": "/things/1", "/things/%0aLocation:%20x/make": "/things/%0aLocation:%20x",
	} {
		response, err := app.Test(httptest.NewRequest("GET", path, nil))
		if err != nil || response.StatusCode != http.StatusSeeOther || response.Header.Get("Location") != want {
			t.Errorf("%s leads to %v, %v, want %s", path, response, err, want)
		}
	}
}

func TestAddRefusesIncompleteDeclarations(t *testing.T) {
	done := func(*fiber.Ctx) error { return nil }
	for what, r := range map[string]Route[fiber.Handler]{
		"who may call it":           Get[fiber.Handler]("/a", done, Costly),
		"how large its body may be": Post[fiber.Handler]("/a", done, Open),
	} {
		t.Run(what, func(t *testing.T) {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, "does not declare "+what) {
					t.Errorf("it says %q", said)
				}
			}()
			Add(&Table{}, fiber.New(), "", anyone, r)
		})
	}
}

func TestEveryKindOfFailureHasAStatus(t *testing.T) {
	for kind := fault.Internal; kind <= fault.Unavailable; kind++ {
		if f := FailureOf(kind); f.Status < 400 || f.Code == 0 {
			t.Errorf("kind %d is %+v", kind, f)
		}
	}
}
