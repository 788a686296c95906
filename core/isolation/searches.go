package isolation

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley/core/fault"
)

// SearchesEach is how many searches there are in each direction, at the server and again in
// the index.
const SearchesEach = 500

// How they are spread over the ways to search at the server.
const (
	findsEach   = 40
	asksEach    = 40
	probesEach  = 50 // of one evaluation
	foundWithin = 30 * time.Second
	foundEvery  = 500 * time.Millisecond
)

var errOtherInstallation = fault.New(fault.Invalid, "The server shows a throw-away workspace of this database to nobody, not even to its own members. Give the address of a server on this database with --url.")

// phrases are ways to ask for a word.
var phrases = []string{"%s", "What is %s?", "Tell me about %s.", "Where do I find %s", "%s please", "Who knows %s?"}

// questions are questions with the words of a workspace, as many as are wanted.
func (w *Workspace) questions(n int) []string {
	all, words := make([]string, n), w.calls()
	for i := range all {
		all[i] = fmt.Sprintf(phrases[(i/len(words))%len(phrases)], words[i%len(words)])
	}
	return all
}

// searches looks for words of the victim as the thief.
func (r *run) searches(ctx context.Context, thief, victim *Workspace) error {
	s := seeker{r, thief, victim}
	if err := s.findsOwn(ctx); err != nil {
		return err
	}
	questions := victim.questions(SearchesEach)
	evaluated := len(questions) - findsEach - asksEach
	if err := s.evaluate(ctx, questions[:evaluated]); err != nil {
		return err
	}
	if err := s.find(ctx, questions[evaluated:evaluated+findsEach]); err != nil {
		return err
	}
	if err := s.ask(ctx, questions[evaluated+findsEach:]); err != nil {
		return err
	}
	return s.searchIndex(ctx, victim.questions(SearchesEach))
}

// seeker searches in a thief's workspace for what is a victim's.
type seeker struct {
	*run
	thief, victim *Workspace
}

// evaluation is the call that searches with several questions at once.
func evaluation(questions []string) Call {
	parts := make([]string, len(questions))
	for i, q := range questions {
		parts[i] = `{"question":"` + q + `"}`
	}
	return Call{Method: "POST", Route: "/api/chatbots/:id/evaluate", Body: `{"questions":[` + strings.Join(parts, ",") + `]}`}
}

// findsOwn waits until the server finds what the workspace itself has.
func (s seeker) findsOwn(ctx context.Context) error {
	w := s.thief
	patience := time.NewTimer(foundWithin)
	defer patience.Stop()
	wanted := w.secretsOf("documents.content")
	for {
		missing := map[string]bool{}
		for _, secret := range wanted {
			missing[secret] = true
		}
		for batch := range slices.Chunk(w.callsOf("documents.content"), probesEach) {
			answer, _, err := s.send(ctx, evaluation(batch), w.Objects.IDs, w.credential(Session))
			if err != nil {
				return err
			}
			for _, word := range w.finder.In(answer.Body, "") {
				delete(missing, word)
			}
			s.recordSeen(w, answer)
		}
		if len(missing) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-patience.C:
			s.report.unproven("the server's searches find %d of %d documents of workspace %s itself", len(wanted)-len(missing), len(wanted), w.ID)
			return nil
		case <-time.After(foundEvery):
		}
	}
}

func (w *Workspace) callsOf(place string) (all []string) {
	for _, c := range w.Canaries {
		if c.Place == place {
			all = append(all, c.Call)
		}
	}
	return all
}

func (w *Workspace) secretsOf(place string) (all []string) {
	for _, c := range w.Canaries {
		if c.Place == place {
			all = append(all, c.Secret)
		}
	}
	return all
}

func (s seeker) evaluate(ctx context.Context, questions []string) error {
	for batch := range slices.Chunk(questions, probesEach) {
		if err := s.search(ctx, evaluation(batch), s.thief.credential(Session), len(batch), ""); err != nil {
			return err
		}
	}
	return nil
}

func (s seeker) find(ctx context.Context, questions []string) error {
	call := Call{Method: "GET", Route: "/api/workspaces/:workspace/find", Path: "/api/workspaces/:workspace/find?q=:asked"}
	for _, question := range questions {
		if err := s.search(ctx, call, s.thief.credential(Session), 1, question); err != nil {
			return err
		}
	}
	return nil
}

// ask asks in all the ways in which programs do.
func (s seeker) ask(ctx context.Context, questions []string) error {
	calls := slices.DeleteFunc(slices.Clone(apiCalls), func(c Call) bool { return !c.asks() })
	for i, question := range questions {
		credential := s.thief.credential(Bearer)
		if i/len(calls)%2 == 1 && strings.HasPrefix(calls[i%len(calls)].Route, "/api/v1/chat") { // all that such a token may do
			credential = s.thief.credential(Publishable)
		}
		if err := s.search(ctx, calls[i%len(calls)], credential, 1, question); err != nil {
			return err
		}
	}
	return nil
}

// search makes a call of a thief's own chatbot for a victim's words.
func (s seeker) search(ctx context.Context, call Call, credential Credential, searches int, asked string) error {
	ids := s.thief.ids(asked)
	answer, sent, err := s.send(ctx, call, ids, credential)
	if err != nil {
		return err
	}
	if answer.Status != 200 {
		s.report.unproven("%s: a search was answered with status %d", call.Name(), answer.Status)
	}
	s.report.AtServer += searches
	s.judge(call, credential, "words of workspace "+s.victim.ID, s.victim, answer, sent)
	return nil
}

// searchIndex asks the installation's own index, beside the server.
func (s seeker) searchIndex(ctx context.Context, questions []string) error {
	bot := s.thief.Objects.IDs["chatbot"]
	for i, question := range questions {
		var found []string
		if i%2 == 0 {
			text, err := s.Index.Search(ctx, s.thief.ID, bot, question)
			if err != nil {
				return err
			}
			found = s.victim.finder.In(text, question)
		} else {
			hits, err := s.Index.Hits(ctx, s.thief.ID, bot, question)
			if err != nil {
				return err
			}
			found = slices.DeleteFunc(hits, func(document string) bool { return slices.Contains(s.thief.Objects.Documents, document) })
		}
		s.report.AtIndex++
		if len(found) > 0 {
			s.report.cross(Crossing{"search in the index", "chatbot " + bot, "words of workspace " + s.victim.ID, "it found " + s.named(s.victim, found)})
		}
	}
	return nil
}
