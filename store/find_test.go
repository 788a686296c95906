package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/find"
	insightstore "parley/store/insight"
)

func TestFinds(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("other")
		ctx := b.Context()
		const bots = find.Most + 3
		for i := range bots {
			at := epoch.Add(time.Duration(i+1) * time.Hour)
			bot := fmt.Sprintf("cb_%d", i)
			b.must(b.CreateChatbot(ctx, a.id, chatbot.Chatbot{ID: bot, Name: fmt.Sprintf("Bakery %d_%%", i), CreatedAt: at}))
			d := a.newDocument(fmt.Sprintf("doc_%d", i))
			d.ChatbotID, d.SourceID, d.Title, d.URL, d.CreatedAt = bot, "", fmt.Sprintf("Loaf %d", i), "https://shop.example/Rye", at
			b.must(b.CreateDocument(ctx, a.id, d))
			for _, origin := range []chat.Origin{chat.API, chat.Playground} {
				c := chat.Conversation{ChatbotID: bot, Status: chat.Active, Origin: origin, BegunBy: fmt.Sprintf("usr_%d", i), Title: fmt.Sprintf("%s crust %d?", origin, i), CreatedAt: at}
				_, err := b.CreateConversation(ctx, a.id, c)
				b.must(err)
			}
		}
		finder := find.New(insightstore.NewFinds(b.Store))
		look := func(workspaceID string, q find.Query) []string {
			found, err := finder.Find(ctx, workspaceID, q)
			b.must(err)
			var all []string
			for _, c := range found.Chatbots {
				all = append(all, c.Name)
			}
			for _, d := range found.Documents {
				all = append(all, d.Title+" of "+found.Names[d.ChatbotID])
			}
			for _, c := range found.Conversations {
				all = append(all, c.Title+" of "+found.Names[c.ChatbotID])
			}
			return all
		}
		for name, s := range map[string]struct {
			query find.Query
			want  []string
		}{
			"chatbots beyond the first, the latest first": {
				find.Query{Text: " bAKERY "}, []string{"Bakery 8_%", "Bakery 7_%", "Bakery 6_%", "Bakery 5_%", "Bakery 4_%", "Bakery 3_%"},
			},
			"a name with signs":             {find.Query{Text: "0_%"}, []string{"Bakery 0_%"}},
			"a document of any chatbot":     {find.Query{Text: "loaf 1"}, []string{"Loaf 1 of Bakery 1_%"}},
			"a conversation of any chatbot": {find.Query{Text: "api crust 0"}, []string{"api crust 0? of Bakery 0_%"}},
			"what the viewer tried":         {find.Query{Text: "playground crust", Viewer: "usr_2"}, []string{"playground crust 2? of Bakery 2_%"}},
			"an address, nearest first": {
				find.Query{Text: "example/rye", ChatbotID: "cb_1"},
				[]string{"Loaf 1 of Bakery 1_%", "Loaf 8 of Bakery 8_%", "Loaf 7 of Bakery 7_%", "Loaf 6 of Bakery 6_%", "Loaf 5 of Bakery 5_%", "Loaf 4 of Bakery 4_%"},
			},
			"nothing at the chatbot of another workspace": {find.Query{Text: other.secret, ChatbotID: other.chatbot}, nil},
			"nothing of an empty text":                    {find.Query{Text: " "}, nil},
			"nothing of a quote":                          {find.Query{Text: "'; --"}, nil},
		} {
			b.Run("it finds "+name, func(t *testing.T) {
				if got := look(a.id, s.query); !slices.Equal(got, s.want) {
					t.Errorf("%q, want %q", got, s.want)
				}
			})
		}
		b.Run("another workspace finds nothing of it", func(t *testing.T) {
			if got := look(other.id, find.Query{Text: "crust", ChatbotID: "cb_1", Viewer: "usr_1"}); got != nil {
				t.Errorf("%q", got)
			}
		})
		b.Run("a text too long is refused", func(t *testing.T) {
			for _, text := range []string{fmt.Sprint(make([]byte, 500)), "\xff", "a\x00"} {
				if _, err := finder.Find(ctx, a.id, find.Query{Text: text}); err == nil {
					t.Errorf("%q is looked for", text)
				}
			}
		})
	})
}
