package web

import (
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"parley/store"

	"golang.org/x/net/html"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/chatbot"
	"parley/core/plan"
)

// answered stores an answer that has ended.
func (s *shop) answered(chatbotID string, status chat.Status, receipt answer.Record) {
	s.Helper()
	conversation := chat.Conversation{ChatbotID: chatbotID, Status: chat.Active, Origin: chat.API, CreatedAt: today}
	opening := turn.Opening{Question: "When?", At: today, LeaseUntil: today, Month: "2026-11"}
	_, id, err := store.NewTurns(s.db).BeginConversation(s.Context(), s.home.ID, conversation, opening)
	must(s.T, err)
	receipt.ChatbotID = chatbotID
	must(s.T, store.NewTurns(s.db).FinishTurn(s.Context(), s.home.ID, turn.Answer{MessageID: id, Attempt: 1, Status: status, Answer: answer.Answer{Record: receipt}}))
}

func TestUsagePage(t *testing.T) {
	s := open(t, nil)
	s.subscribe(plan.Standard, plan.Active)
	bot, err := s.chatbots.Create(t.Context(), s.home.ID, chatbot.Settings{Name: "Guide"})
	must(t, err)
	used := func(prompt, completion int, estimated bool) answer.Usage {
		return answer.Usage{PromptTokens: prompt, CompletionTokens: completion, Estimated: estimated}
	}
	t.Run("a month without answers says so, and there is none before the workspace or after today", func(t *testing.T) {
		s := s.within(t)
		got := s.get(s.url("/usage"))
		s.wantPage(got, 200, ">November 2026</h2>", "No answers this month.", `aria-current="page">Usage</a>`, "/plan")
		for _, text := range []string{"Previous month", "Next month"} {
			if strings.Contains(got.body, text) {
				t.Errorf("the page has %q", text)
			}
		}
	})

	s.answered(bot.ID, chat.Complete, answer.Record{Model: "m-1", Usage: used(12_000, 300, false), FirstToken: 250 * time.Millisecond, Total: 2 * time.Second, Refuted: 2, At: today})
	s.answered(bot.ID, chat.Complete, answer.Record{Model: "m-1", Usage: used(100, 20, true), FirstToken: 350 * time.Millisecond, Total: 3 * time.Second, At: today})
	s.answered(bot.ID, chat.Failed, answer.Record{Usage: used(5, 0, true), At: today})
	gone, err := s.chatbots.Create(t.Context(), s.home.ID, chatbot.Settings{Name: "Gone"})
	must(t, err)
	s.answered(gone.ID, chat.Stopped, answer.Record{Model: "m-<2>", Usage: used(1_000, 7, false), Refuted: 1, At: today})
	must(t, s.chatbots.Delete(t.Context(), s.home.ID, gone.ID))
	s.answered(bot.ID, chat.Complete, answer.Record{Model: "old", Usage: used(77, 7, false), At: today.AddDate(0, -1, 0)})

	t.Run("there is a row for each chatbot, model and end, what was deleted last, and a sum", func(t *testing.T) {
		s := s.within(t)
		got := s.get(s.url("/usage"))
		want := [][]string{
			{"Guide", "–", "Failed", "1", "5", "0", "1", "–", "–", "0"},
			{"Guide", "m-1", "Complete", "2", "12,100", "320", "1", "0.30 s", "2.50 s", "2"},
			{"Deleted chatbot " + gone.ID, "m-<2>", "Stopped", "1", "1,000", "7", "0", "–", "–", "1"},
			{"Sum", "4", "13,105", "327", "2", "", "", "3"},
		}
		s.wantRows(got, "spent-list", want...)
	})
	t.Run("another month is asked for by its name", func(t *testing.T) {
		s := s.within(t)
		got := s.get(s.url("/usage?month=2026-10"))
		s.wantPage(got, 200, ">October 2026</h2>", s.url("/usage?month=2026-11"), "Next month")
		s.wantRows(got, "spent-list", []string{"Guide", "old", "Complete", "1", "77", "7", "0", "–", "–", "0"}, []string{"Sum", "1", "77", "7", "0", "", "", "0"})
	})
	for _, month := range []string{"2026-12", "9999-12", "2026-13", "nonsense", "<script>", ""} {
		t.Run("instead of "+month+" the present month is shown", func(t *testing.T) {
			s := s.within(t)
			s.wantPage(s.get(s.url("/usage?month="+url.QueryEscape(month))), 200, ">November 2026</h2>")
		})
	}
	t.Run("another workspace's answers are not among them", func(t *testing.T) {
		s := s.within(t)
		other, err := s.tenants.Workspaces.CreateWorkspace(t.Context(), s.owner, "Other")
		must(t, err)
		s.wantPage(s.get("/workspaces/"+other.ID+"/usage"), 200, "No answers this month.")
	})
}

func TestBesides(t *testing.T) {
	month := func(text string) time.Time {
		parsed, err := time.Parse(monthFormat, text)
		must(t, err)
		return parsed
	}
	since, now := time.Date(2026, 9, 30, 23, 59, 0, 0, time.UTC), time.Date(2027, 1, 1, 0, 30, 0, 0, time.FixedZone("", 3600))
	for shown, want := range map[string][2]string{
		"2026-09": {"", "2026-10"}, "2026-10": {"2026-09", "2026-11"}, "2026-12": {"2026-11", ""}, "2025-01": {"", "2025-02"},
	} {
		t.Run("beside "+shown+" are the months in which there can be answers", func(t *testing.T) {
			previous, next := besides(month(shown), since, now) // which is still December
			if previous != want[0] || next != want[1] {
				t.Errorf("%q and %q, want %q", previous, next, want)
			}
		})
	}
}

// wantRows fails unless a table has these cells after its head.
func (s *shop) wantRows(got reply, id string, want ...[]string) {
	s.Helper()
	root, err := html.Parse(strings.NewReader(got.body))
	must(s.T, err)
	var rows [][]string
	for node := range root.Descendants() {
		if node.Data != "tr" || node.Parent.Data == "thead" || attribute(node.Parent.Parent, "id") != id {
			continue
		}
		var row []string
		for cell := range node.ChildNodes() {
			row = append(row, words(cell))
		}
		rows = append(rows, row)
	}
	if !reflect.DeepEqual(rows, want) {
		s.Errorf("the rows are\n%q, want\n%q", rows, want)
	}
}

func words(node *html.Node) string {
	var all []string
	for part := range node.Descendants() {
		if part.Type == html.TextNode {
			all = append(all, strings.Fields(part.Data)...)
		}
	}
	return strings.Join(all, " ")
}
