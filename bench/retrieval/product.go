package retrieval

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"parley/core/knowledge/trial"
	"parley/core/retrieval"
	"parley/text/split"
)

const workspace = "ws_bench"

// The numbers of chatbots that are not among those that are asked.
const otherChatbot = -1

func scope(chatbot int) retrieval.Scope {
	return retrieval.Scope{WorkspaceID: workspace, ChatbotID: chatbotID(chatbot)}
}

func chatbotID(chatbot int) string {
	if chatbot == otherChatbot {
		return "cb_other"
	}
	return fmt.Sprintf("cb_%06d", chatbot)
}

// product is retrieval as the product does it, without its database.
type product struct {
	ports  trial.Ports
	mutex  sync.Mutex
	trials map[int]*trial.Trial
}

func newProduct(ports trial.Ports, index retrieval.Index) *product {
	ports.Index = index
	return &product{ports: ports, trials: map[int]*trial.Trial{}}
}

func (p *product) trial(chatbot int) *trial.Trial {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	t := p.trials[chatbot]
	if t == nil {
		t = trial.New(p.ports, scope(chatbot))
		p.trials[chatbot] = t
	}
	return t
}

// add splits, analyzes and embeds a document, and puts it into the index.
func (p *product) add(ctx context.Context, chatbot int, d split.Document) (int, error) {
	return p.trial(chatbot).Add(ctx, p.ports.Index, d, false)
}

// put puts a prepared document into the index.
func (p *product) put(ctx context.Context, chatbot int, d prepared) error {
	return p.ports.Index.Replace(ctx, scope(chatbot), d.id, d.of(chatbot))
}

func (p *product) ask(ctx context.Context, chatbot int, q question) (int, error) {
	found, err := p.trial(chatbot).Search(ctx, q.query)
	return len(found), err
}

// prepared is a document that is ready for an index.
type prepared struct {
	id      string
	entries []retrieval.Entry
}

// of returns the entries as a chatbot's own: no passage is in two chatbots.
func (d prepared) of(chatbot int) []retrieval.Entry {
	entries := slices.Clone(d.entries)
	for i := range entries {
		entries[i].PassageID += int64(chatbot) << 24
	}
	return entries
}

// recorder keeps what would go into an index.
type recorder struct{ last prepared }

// Replace implements [trial.Replacer].
func (r *recorder) Replace(_ context.Context, _ retrieval.Scope, documentID string, entries []retrieval.Entry) error {
	r.last = prepared{documentID, entries}
	return nil
}

// prepare makes what an index holds of documents of one chatbot.
func prepare(ctx context.Context, ports trial.Ports, documents []split.Document) ([]prepared, error) {
	empty, into := trial.New(ports, scope(0)), &recorder{}
	made := make([]prepared, len(documents))
	for i, d := range documents {
		if _, err := empty.Add(ctx, into, d, false); err != nil {
			return nil, err
		}
		made[i] = into.last
	}
	return made, nil
}
