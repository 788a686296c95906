package turns

import (
	"parley/core/chat"
	"parley/e2e/harness"
)

// leaving are the ways in which a client goes away.
var leaving = []struct {
	name  string
	leave func(*harness.Line) error
}{
	{"closes its connection", func(l *harness.Line) error { return l.Close() }},
	{"resets its connection", func(l *harness.Line) error {
		if err := l.SetLinger(0); err != nil {
			return err
		}
		return l.Close()
	}},
}

// waitForAnswer waits until the conversation's last message is an answer, and
// returns it.
func waitForAnswer(w *harness.Instance, tn harness.Tenant, conversation int64) chat.Message {
	w.Helper()
	var last chat.Message
	w.Eventually("the answer is stored", func() bool {
		all, err := w.Server.Chat.LastMessages(w.Context(), tn.Workspace, w.Sequence(conversation), 0, 10_000)
		w.Must(err)
		if len(all) > 0 {
			last = all[len(all)-1]
		}
		return last.Role == chat.Assistant
	})
	return last
}
