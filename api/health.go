package api

import (
	"slices"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/internal/health"
)

// probes are the handlers that say whether the server works. They check nothing themselves: a
// probe costs nothing, however often it comes.
type probes struct{ *API }

// alive says that the process lives.
func (p probes) alive(c *fiber.Ctx) error {
	return c.JSON(fiber.Map{"status": "alive"})
}

// partState is one part in the answer of /readyz.
type partState struct {
	Ready  bool      `json:"ready"`
	Reason string    `json:"reason,omitempty"`
	Since  time.Time `json:"since"`
}

// ready says whether this process can serve, in its status, and which part works: 200 while all
// vital parts do, else 503. With ?strict=1 all parts are vital.
func (p probes) ready(c *fiber.Ctx) error {
	states := p.States()
	status := health.StatusOf(states, c.Query("strict") == "1")
	if status == health.NotReady {
		c.Status(fiber.StatusServiceUnavailable)
	}
	parts := map[string]partState{}
	for _, s := range states {
		parts[s.Name] = partState{s.Ready, s.Reason, s.Since.UTC().Truncate(time.Second)}
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(fiber.Map{"status": status, "parts": parts})
}

// States returns the states of the parts, and first that of the server itself, which is not ready
// while it stops.
func (a *API) States() []health.State {
	server := health.State{Name: "server", Vital: true, Ready: true, Since: a.began}
	if drained := a.drained.Load(); drained != nil {
		server.Ready, server.Since = false, *drained
		server.Reason = "The server is draining: it lets running answers end, and stops."
	}
	return slices.Insert(a.Health.States(), 0, server)
}
