package api

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/core/plan"
	"parley/e2e/harness"
)

func TestRefusedBody(t *testing.T) {
	outer := harness.Start(t)
	tn := outer.NewTenant("baker", plan.Standard, harness.Opening)
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		harness.ChatPath, tn.Token, 10<<20)
	body := strings.Repeat("x", 10<<20)

	t.Run("a client that sends 10 MiB in one go reads the whole 413", func(t *testing.T) {
		w := outer.Within(t)
		client := w.Dial()
		client.Send(head + body)
		w.CheckAnswer(w.Read(client.Answer()), http.StatusRequestEntityTooLarge, 4)
	})
	t.Run("a client whose 10 MiB come after the answer can send them all", func(t *testing.T) {
		w := outer.Within(t)
		client := w.Dial()
		client.Send(head)
		w.CheckAnswer(w.Read(client.Answer()), http.StatusRequestEntityTooLarge, 4)
		client.Send(body)
	})
}
