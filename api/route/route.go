// Package route owns what every route of the transports declares where it is
// registered: who may call it, how large its body may be, and what a call counts
// as. All middleware reads this declaration, and no second table of paths
// exists. Both transports answer failures by its one table
// of statuses and codes.
//
// It does not own authentication: each transport identifies the caller, and
// admits those whom the declaration admits.
package route

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/api/bodies"
	"parley/core/audit"
	"parley/core/chatbot"
	"parley/core/rate"
	"parley/core/tenant"
	"parley/internal/diskspace"
	"parley/internal/netgroup"
)

// Prefixes of the interface for programs. Everything else is pages.
const (
	// API is the prefix of routes that answer in JSON.
	API = "/api/"
	// V1 is the prefix of routes that are called with a token.
	V1 = "/api/v1"
)

// Scope says who may call a route.
type Scope string

// The scopes of a route.
const (
	// Anyone needs no credentials, or the route itself checks the request.
	Anyone Scope = "open"
	// Person is anyone who is signed in.
	Person Scope = "person"
	// Member is a person whose role in the workspace of the path permits
	// [Declaration.Action].
	Member Scope = "member"
	// Token is a program whose API token has [Declaration.TokenScope].
	Token Scope = "token"
)

// Declaration is the declaration of a route.
type Declaration struct {
	Method, Path string
	Scope        Scope
	// Action is what a member must be allowed to do.
	Action tenant.Action
	// TokenScope is the scope that a token needs.
	TokenScope chatbot.Scope
	// Body is how large the body may be, in bytes. A route without one reads none.
	Body int
	// Rate is the class in which a person's call counts.
	Rate rate.Class
	// Heavy says that few of its calls may run at once: see [bodies.Heavily].
	Heavy bool
	// Sensitive asks people again who they are, unless they have shown it lately: see
	// [account.Session.CheckProof]. docs/accounts.md has the rule which routes are.
	Sensitive bool
	// AsksPassword says that the form of a sensitive route asks for the password each
	// time, so that only people who have none are asked before it.
	AsksPassword bool
	// Frees says that a call is tried while storage is full: see [Frees].
	Frees bool
	// Download says that the answer is a file, so that the browser stays on the page that
	// has the form.
	Download bool
	// Form is the page that has the form which posts here, where this address is no
	// page itself. Whoever reloads the answer to a refused form by its address gets
	// there.
	Form string
}

// Option is one part of a declaration.
type Option func(*Declaration)

// Open declares a route that anyone may call.
var Open Option = func(d *Declaration) { d.Scope = Anyone }

// SignedIn declares a route for everyone who is signed in.
var SignedIn Option = func(d *Declaration) { d.Scope = Person }

// Costly declares a route whose calls make the server work for long, or call others: see
// [rate.Costly].
var Costly Option = func(d *Declaration) { d.Rate = rate.Costly }

// Heavy declares a route that reads something large, such as a whole document, and calls no
// other server: see [bodies.Heavily].
var Heavy Option = func(d *Declaration) { d.Heavy = true }

// Sensitive declares a route that asks people again who they are, unless they have shown it
// lately, because somebody else may hold their browser.
var Sensitive Option = func(d *Declaration) { d.Sensitive = true }

// AsksPassword declares a sensitive route whose form asks for the password each time: see
// [Declaration.AsksPassword].
var AsksPassword Option = func(d *Declaration) { d.Sensitive, d.AsksPassword = true, true }

// Frees declares a route that is tried while storage is full, as those of the method DELETE
// are: it deletes, ends or copies something, or shows who somebody is.
var Frees Option = func(d *Declaration) { d.Frees = true }

// Download declares a route that answers with a file: see [Declaration.Download].
var Download Option = func(d *Declaration) { d.Download = true }

// May declares a route for members who may perform an action in the workspace of the
// path, which names it directly or through a chatbot.
func May(action tenant.Action) Option {
	return func(d *Declaration) { d.Scope, d.Action = Member, action }
}

// Needs declares a route for tokens with a scope.
func Needs(scope chatbot.Scope) Option {
	return func(d *Declaration) { d.Scope, d.TokenScope = Token, scope }
}

// On declares the page that has a form, by its path below the prefix of the form's
// route: see [Declaration.Form].
func On(page string) Option {
	return func(d *Declaration) { d.Form = page }
}

// Body declares how large the body of a route may be, in bytes.
func Body(limit int) Option {
	return func(d *Declaration) { d.Body = limit }
}

// Route is a declaration with its handler, whose type belongs to the transport.
type Route[Handler any] struct {
	Declaration
	handle Handler
}

// Get returns a route that reads. It also answers HEAD.
func Get[Handler any](path string, handle Handler, options ...Option) Route[Handler] {
	return newRoute(fiber.MethodGet, path, handle, options)
}

// Post returns a route that changes something, and must declare its body.
func Post[Handler any](path string, handle Handler, options ...Option) Route[Handler] {
	return newRoute(fiber.MethodPost, path, handle, options)
}

// Patch returns a route that changes a part of something, and must declare its
// body.
func Patch[Handler any](path string, handle Handler, options ...Option) Route[Handler] {
	return newRoute(fiber.MethodPatch, path, handle, options)
}

// Put returns a route that stores something under the name that its path gives it, and
// must declare its body.
func Put[Handler any](path string, handle Handler, options ...Option) Route[Handler] {
	return newRoute(fiber.MethodPut, path, handle, options)
}

// Delete returns a route that removes something.
func Delete[Handler any](path string, handle Handler, options ...Option) Route[Handler] {
	return newRoute(fiber.MethodDelete, path, handle, options)
}

func newRoute[Handler any](method, path string, handle Handler, options []Option) Route[Handler] {
	r := Route[Handler]{Declaration{Method: method, Path: path}, handle}
	for _, option := range options {
		option(&r.Declaration)
	}
	return r
}

// Table holds the routes that were added.
type Table struct {
	// Storage fails while the server has no room to store anything. Nil never fails.
	Storage  func() error
	declared []Declaration
}

// All returns the declarations of the routes, in the order in which they were added.
func (t *Table) All() []Declaration { return t.declared }

// Add registers routes below a prefix, which may be empty. admit wraps a handler so that
// it serves only callers whom the declaration admits. A route that does not declare who
// may call it, or posts a body without a limit, is a bug in the program.
func Add[Handler any](t *Table, to fiber.Router, prefix string, admit func(Declaration, Handler) fiber.Handler, routes ...Route[Handler]) {
	for _, r := range routes {
		d := r.Declaration
		d.Path = prefix + d.Path
		if d.Scope == "" {
			panic(fmt.Sprintf("%s %s does not declare who may call it", d.Method, d.Path))
		}
		if (d.Method == fiber.MethodPost || d.Method == fiber.MethodPut || d.Method == fiber.MethodPatch) && d.Body == 0 {
			panic(fmt.Sprintf("%s %s does not declare how large its body may be", d.Method, d.Path))
		}
		if d.Form != "" {
			d.Form = cmp.Or(strings.TrimSuffix(prefix+d.Form, "/"), "/")
			to.Get(d.Path, d.toForm)
		}
		t.declared = append(t.declared, d)
		handlers := []fiber.Handler{d.apply(t.Storage), admit(d, r.handle)}
		if d.Method == fiber.MethodGet {
			to.Get(d.Path, handlers...)
		} else {
			to.Add(d.Method, d.Path, handlers...)
		}
	}
}

// toForm leads to the page that has the form.
func (d Declaration) toForm(c *fiber.Ctx) error {
	page, query, asks := strings.Cut(d.Form, "?")
	parts := strings.Split(page, "/")
	for i, part := range parts {
		if name, named := strings.CutPrefix(part, ":"); named {
			parts[i] = c.Params(name)
		}
	}
	to := strings.Join(parts, "/")
	if asks {
		to += "?" + query
	}
	return c.Redirect(to, fiber.StatusSeeOther)
}

// stores reports whether a call needs room.
func (d Declaration) stores() bool {
	return d.Method != fiber.MethodGet && d.Method != fiber.MethodDelete && !d.Frees
}

// apply applies what does not depend on the caller.
func (d Declaration) apply(storage func() error) fiber.Handler {
	limit := func(c *fiber.Ctx) error { return c.Next() }
	switch {
	case d.Body > 0 && d.Scope == Anyone:
		limit = bodies.OpenUpTo(d.Body)
	case d.Body > 0:
		limit = bodies.UpTo(d.Body)
	}
	storing := storage != nil && d.stores()
	return func(c *fiber.Ctx) error {
		if d.Rate != rate.Ordinary {
			c.SetUserContext(rate.With(c.UserContext(), d.Rate))
		}
		if storing {
			if full := storage(); full != nil {
				c.SetUserContext(diskspace.WithFull(c.UserContext(), full))
			}
		}
		if d.Heavy {
			return bodies.Heavily(c.UserContext(), Network(c.UserContext()), func() error { return limit(c) })
		}
		return limit(c)
	}
}

// Network names the network that a request comes from.
func Network(ctx context.Context) string {
	address, _ := netip.ParseAddr(audit.OriginOf(ctx).Address)
	return netgroup.Of(address).String()
}
