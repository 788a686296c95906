package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"parley/core/plan"
)

func TestRefusedBody(t *testing.T) {
	outer := start(t)
	tn := outer.newTenant("baker", plan.Standard, opening)
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: parley\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		chatPath, tn.token, 10<<20)
	body := strings.Repeat("x", 10<<20)

	t.Run("a client that sends 10 MiB in one go reads the whole 413", func(t *testing.T) {
		w := outer.within(t)
		client := w.dial()
		client.write(head + body)
		w.checkAnswer(w.read(client.answer()), http.StatusRequestEntityTooLarge, 4)
	})
	t.Run("a client whose 10 MiB come after the answer can send them all", func(t *testing.T) {
		w := outer.within(t)
		client := w.dial()
		client.write(head)
		w.checkAnswer(w.read(client.answer()), http.StatusRequestEntityTooLarge, 4)
		client.write(body)
	})
}
