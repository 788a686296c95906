package page

import (
	"time"

	"github.com/gofiber/fiber/v2"
)

// SignInStep is the kind of step of a sign-in that waits for a second factor.
const SignInStep = "step"

// StepCookie keeps the secret of a step in a browser, in a cookie of its own for each kind.
type StepCookie struct {
	sessions *Sessions
	name     string
}

// KeepStep returns the cookie of a kind of step.
func (s *Sessions) KeepStep(kind string) StepCookie { return StepCookie{s, s.named(kind)} }

// Keep gives the browser a secret.
func (k StepCookie) Keep(c *fiber.Ctx, secret string, lifetime time.Duration) {
	c.Cookie(k.sessions.cookie(k.name, secret, lifetime))
}

// Secret is what the browser holds, empty for nothing.
func (k StepCookie) Secret(c *fiber.Ctx) string { return c.Cookies(k.name) }

// Drop takes it away.
func (k StepCookie) Drop(c *fiber.Ctx) { k.sessions.remove(c, k.name) }
