package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"parley/core/plan"
	"parley/internal/pgtest"
	"parley/llm/llmtest"
)

func TestVanishingClients(t *testing.T) {
	for name, database := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { return pgtest.New(t) },
	} { // one after the other, for goroutines are the process's
		t.Run("300 clients who vanish at random instants leave nothing behind on "+name, func(t *testing.T) {
			url := database(t)
			upstream := llmtest.NewServer(t, llmtest.Reply{
				Pieces: []string{"At ", "seven ", "in ", "the morning."}, Hold: llmtest.NewGate(), HoldAt: llmtest.AfterPieces(3),
			})
			w := start(t, withModel(upstream), onlyTheWatch, func(c *Config) { c.DatabaseURL = url })
			w.server.api.Streams = patientStreams
			tn := w.newTenant("baker", plan.Enterprise, opening)
			shared := written(w.newConversation(tn.token, ""))
			before := goleak.IgnoreCurrent()

			var clients sync.WaitGroup
			for n := range 300 {
				random := rand.New(rand.NewPCG(1, uint64(n)))
				clients.Go(func() { w.vanish(random, tn, shared) })
			}
			clients.Wait()
			w.eventually("every call of the model is cancelled", func() bool { return upstream.Open() == 0 })
			w.end()
			w.noneGenerating()
			w.must(w.server.store.Close())
			if err := goleak.Find(before,
				// Connections to the model are kept for the next call. That no
				// call is open has been checked.
				goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
				goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"),
				goleak.IgnoreAnyFunction("net/http.(*conn).serve"),
			); err != nil {
				t.Error(err)
			}
		})
	}
}

// vanish asks in one way or another, reads some of the answer, and goes.
func (w *world) vanish(random *rand.Rand, tn tenantOf, shared string) {
	client := w.dial()
	path, body := streamPath, openingQuestion
	if random.IntN(4) == 0 {
		path = chatPath
	}
	if random.IntN(4) == 0 {
		body = fmt.Sprintf(`{"message":"When?","conversation_id":%q}`, shared)
	}
	sent := request("POST", path, tn.token, body)
	wanted := 0
	if random.IntN(8) == 0 { // in the middle of asking
		sent = sent[:random.IntN(len(sent))]
	} else if path == streamPath && body == openingQuestion {
		wanted = random.IntN(400) // all of the head, or some of the events
	}
	if _, err := io.WriteString(client, sent); err != nil {
		w.Error(err)
	}
	if _, err := io.CopyN(io.Discard, client, int64(wanted)); err != nil {
		w.Errorf("after fewer than %d bytes: %v", wanted, err)
	}
	if err := leaving[random.IntN(len(leaving))].leave(client); err != nil {
		w.Error(err)
	}
}
