package harness

import (
	"testing"

	"parley/app"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/llm/llmtest"
)

// Bakery is a server with two workspaces.
type Bakery struct {
	*Instance
	Baker, Rival Tenant
}

// OnModel is OnAnyDatabase with a bakery and a model's server.
func OnModel(t *testing.T, test func(b Bakery, upstream *llmtest.Server)) {
	OnAnyDatabase(t, withModel(test))
}

// OnModelAndBothDatabases is OnModel for what a database decides: which writer wins, and
// who hears of it.
func OnModelAndBothDatabases(t *testing.T, test func(b Bakery, upstream *llmtest.Server)) {
	OnBothDatabases(t, withModel(test))
}

func withModel(test func(b Bakery, upstream *llmtest.Server)) func(*testing.T, func(...func(*app.Config)) *Instance) {
	return func(t *testing.T, start func(...func(*app.Config)) *Instance) {
		upstream := llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"At seven."}})
		w := start(WithModel(upstream))
		w.HasNoHurry()
		b := Bakery{w, w.NewTenant("baker", plan.Standard, Opening), w.NewTenant("rival", plan.Standard, RivalOpening)}
		test(b, upstream)
	}
}

// RivalOpening is what the rival's chatbot knows.
const RivalOpening = "# Opening hours\n\nThe rival opens at midnight and sells the secret pretzel.\n"

// Opening is what most chatbots of the tests know.
const Opening = "# Opening hours\n\nThe bakery opens at seven in the morning and closes at noon.\n\n## Holidays\n\nOn holidays the bakery stays closed.\n"

// Separated is a chatbot of the baker's workspace that separates its end users,
// with a token.
func (b Bakery) Separated() Tenant {
	b.Helper()
	bot, err := b.Server.Chatbots.Create(b.Context(), b.Baker.Workspace, chatbot.Settings{Name: "separated", SeparateEndUsers: true})
	b.Must(err)
	tn := Tenant{Email: b.Baker.Email, Password: b.Baker.Password, Workspace: b.Baker.Workspace, Chatbot: bot.ID}
	_, tn.Token = b.Issue(tn, chatbot.NewToken{})
	return tn
}
