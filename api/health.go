package api

import (
	"context"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/fault"
)

// Part is something the server depends on.
type Part struct {
	Name string
	// Vital parts must work for the server to take requests. A model at
	// somebody else's is not: taking the server away does not mend it.
	Vital bool
	Check func(context.Context) error
}

const checkWithin = 3 * time.Second

// health are the handlers that say whether the server works.
type health struct{ *API }

// alive says that the process lives.
func (h health) alive(c *fiber.Ctx) error {
	return c.JSON(fiber.Map{"status": "alive"})
}

// partState is one part in the answer of /readyz.
type partState struct {
	Ready  bool   `json:"ready"`
	Reason string `json:"reason,omitempty"`
}

// ready says which part is ready: 200 when all vital ones are, else 503.
func (h health) ready(c *fiber.Ctx) error {
	ready, parts := h.check()
	status := "ready"
	if h.gate.Closed() {
		ready, status = false, "draining"
	} else if !ready {
		status = "not ready"
	}
	if !ready {
		c.Status(fiber.StatusServiceUnavailable)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	return c.JSON(fiber.Map{"status": status, "parts": parts})
}

func (h health) check() (ready bool, parts map[string]partState) {
	ctx, cancel := context.WithTimeout(h.Lifetime, checkWithin)
	defer cancel()
	states := make([]partState, len(h.Parts))
	var checks sync.WaitGroup
	for i, part := range h.Parts {
		checks.Go(func() {
			if err := part.Check(ctx); err != nil {
				h.Log.Warn("part not ready", "part", part.Name, "error", err)
				states[i] = partState{Reason: "The " + part.Name + " does not answer; the log says why."}
				if f := fault.As(err); f.Code() == fault.IndexNotReady {
					states[i].Reason = f.Message
				}
				if fault.IsOutOfStorage(err) {
					states[i].Reason = "The storage is full: the server can only be read from. Free space; the log says where."
				}
				return
			}
			states[i] = partState{Ready: true}
		})
	}
	checks.Wait()
	ready, parts = true, map[string]partState{}
	for i, part := range h.Parts {
		parts[part.Name] = states[i]
		ready = ready && (states[i].Ready || !part.Vital)
	}
	return ready, parts
}
