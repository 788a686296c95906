package store_test

import (
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/core/answer"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/text/markdown"
)

// wholeAnswer is the end of an attempt with a value in every field.
func (w *tenancy) wholeAnswer(id int64, attempt int) turn.Answer {
	return turn.Answer{
		MessageID: id, Attempt: attempt, Status: chat.Complete,
		Answer: answer.Answer{
			Text:  "the answer \x01 „é“",
			Query: "what was meant",
			Citations: []answer.Citation{
				{
					Number: 1, Cited: true, DocumentID: w.document, Title: "a \"title\"", URL: "https://a.example/", Place: "page 2",
					HeadingPath: []string{"one", "two"}, Start: 3, End: 33, ContentHash: strings.Repeat("0f", 32), Version: 4,
				},
				{Number: 2, DocumentID: w.document},
			},
			Record: answer.UsageRecord{
				ChatbotID: w.chatbot, Usage: answer.Usage{PromptTokens: 100, CompletionTokens: 20, Estimated: true}, Model: "m",
				FirstToken: 120 * time.Millisecond, Total: 1500 * time.Millisecond, Passages: 2, Refuted: 1, RerankTokens: 7, At: epoch.Add(time.Second),
			},
		},
	}
}

// wantTurn checks how a turn stands.
func (b *bundle) wantTurn(t *testing.T, workspaceID string, conversationID, answerID int64, want turn.Stored) {
	t.Helper()
	got, err := b.Turn(b.Context(), workspaceID, conversationID, answerID)
	want.QuestionID = got.QuestionID
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the turn is\n%+v, want\n%+v: %v", got, want, err)
	}
}

func TestTurn(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with an answer that is being generated
		ctx := b.Context()
		want := turn.Stored{
			ConversationID: a.conversation, Question: a.secret, Last: true,
			Answer: turn.Answer{MessageID: a.answer, Attempt: 1, Status: chat.Generating},
		}

		b.Run("an answer that is being generated has the text saved so far, and no usage record", func(t *testing.T) {
			b.wantTurn(t, a.id, a.conversation, a.answer, want)
			b.must(b.SaveProgress(ctx, a.id, a.answer, 1, "the ans"))
			want.Answer.Text = "the ans"
			b.wantTurn(t, a.id, a.conversation, 0, want)
		})
		b.Run("one that has ended comes back as it was stored", func(t *testing.T) {
			want.Answer = a.wholeAnswer(a.answer, 1)
			b.must(b.FinishTurn(ctx, a.id, want.Answer))
			b.wantTurn(t, a.id, a.conversation, a.answer, want)
		})
		b.Run("the question is the message before the answer", func(t *testing.T) {
			got, err := b.Turn(ctx, a.id, a.conversation, 0)
			b.must(err)
			asked, err := b.Messages(ctx, a.id, a.conversation, got.QuestionID-1, 1)
			if err != nil || len(asked) != 1 || asked[0].ID != got.QuestionID || asked[0].Role != chat.User || got.QuestionID >= a.answer {
				t.Errorf("it is %+v, %v", asked, err)
			}
		})
		b.Run("it is the last until another begins, however that is to be delivered", func(t *testing.T) {
			next := a.newTurn()
			next.Delivery = &turn.Delivery{Format: markdown.HTML, IDs: true, Sources: true}
			answer, _, err := b.BeginTurn(ctx, a.id, next)
			b.must(err)
			want.Last = false
			b.wantTurn(t, a.id, a.conversation, a.answer, want)
			b.wantTurn(t, a.id, a.conversation, 0, turn.Stored{
				ConversationID: a.conversation, Question: a.secret, Last: true, Delivery: next.Delivery,
				Answer: turn.Answer{MessageID: answer, Attempt: 1, Status: chat.Generating},
			})
		})
		b.Run("a first turn keeps its delivery too", func(t *testing.T) {
			next := a.newTurn()
			next.Delivery = &turn.Delivery{Format: markdown.PlainText, IDs: true, Usage: true}
			made, answer, err := b.BeginConversation(ctx, a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch}, next)
			b.must(err)
			b.wantTurn(t, a.id, made.ID, answer, turn.Stored{
				ConversationID: made.ID, Question: a.secret, Last: true, Delivery: next.Delivery,
				Answer: turn.Answer{MessageID: answer, Attempt: 1, Status: chat.Generating},
			})
			_, err = b.Turn(ctx, a.id, a.conversation, answer)
			b.wantKind(err, fault.NotFound)
		})
		b.Run("a question is no answer, and an empty conversation has none", func(t *testing.T) {
			_, err := b.Turn(ctx, a.id, a.conversation, a.answer-1)
			b.wantKind(err, fault.NotFound)
			empty, err := b.CreateConversation(ctx, a.id, chat.Conversation{ChatbotID: a.chatbot, Status: chat.Active, Origin: chat.API, CreatedAt: epoch})
			b.must(err)
			_, err = b.Turn(ctx, a.id, empty.ID, 0)
			b.wantKind(err, fault.NotFound)
		})
	})
}

func TestBeginAgain(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with two questions
		ctx := b.Context()
		again := func(answer int64, month string) (int, error) {
			return b.BeginAgain(ctx, a.id, turn.Retry{ConversationID: a.conversation, AnswerID: answer, LeaseUntil: epoch, Month: month})
		}
		end := func(attempt int, status chat.Status) {
			answer := a.wholeAnswer(a.answer, attempt)
			answer.Status = status
			answer.Record.At = epoch.AddDate(0, 1, 0)
			b.must(b.FinishTurn(ctx, a.id, answer))
		}

		b.Run("one that is being generated is not", func(t *testing.T) {
			_, err := again(a.answer, thisMonth)
			b.wantKind(err, fault.NotFound)
		})
		b.Run("one that was interrupted is, empty, and still counts as it did", func(t *testing.T) {
			b.must(b.AskToStop(ctx, a.id, a.answer))
			end(1, chat.Interrupted)
			if attempt, err := again(a.answer, "2026-04"); err != nil || attempt != 2 {
				t.Fatalf("it is attempt %d: %v", attempt, err)
			}
			b.wantTurn(t, a.id, a.conversation, a.answer, turn.Stored{
				ConversationID: a.conversation, Question: a.secret, Last: true,
				Answer: turn.Answer{MessageID: a.answer, Attempt: 2, Status: chat.Generating},
			})
			if n, ids, err := b.AnswersFrom(ctx, a.id, a.chatbot, a.document, 10); n != 1 || slices.Contains(ids, a.answer) || err != nil {
				t.Errorf("%v were given the document: %v", ids, err)
			}
			b.wantMessages(a.id, thisMonth, 2)
			b.wantMessages(a.id, "2026-04", 0)
		})
		b.Run("what the earlier attempt still writes changes nothing", func(t *testing.T) {
			before := b.rows(a.id)
			b.wantKind(b.SaveProgress(ctx, a.id, a.answer, 1, "late"), fault.NotFound)
			b.wantKind(b.FinishTurn(ctx, a.id, a.wholeAnswer(a.answer, 1)), fault.NotFound)
			failed := a.wholeAnswer(a.answer, 1)
			failed.Status = chat.Failed
			b.wantKind(b.FinishTurn(ctx, a.id, failed), fault.NotFound)
			if b.rows(a.id) != before {
				t.Error("it changed something")
			}
		})
		b.Run("one that failed counts again, in the month in which it begins", func(t *testing.T) {
			end(2, chat.Failed)
			b.wantMessages(a.id, thisMonth, 1)
			attempt, err := again(a.answer, "2026-04")
			if err != nil || attempt != 3 {
				t.Fatalf("it is attempt %d: %v", attempt, err)
			}
			b.wantMessages(a.id, thisMonth, 1)
			b.wantMessages(a.id, "2026-04", 1)
		})
		b.Run("and is given back to that month when it fails again", func(t *testing.T) {
			end(3, chat.Failed)
			b.wantMessages(a.id, thisMonth, 1)
			b.wantMessages(a.id, "2026-04", 0)
		})
		b.Run("of many that begin it again at once, one does", func(t *testing.T) {
			begun := make(chan int, 20)
			var all sync.WaitGroup
			for range cap(begun) {
				all.Go(func() {
					switch attempt, err := again(a.answer, thisMonth); {
					case err == nil:
						begun <- attempt
					default:
						b.wantKind(err, fault.NotFound)
					}
				})
			}
			all.Wait()
			if len(begun) != 1 || <-begun != 4 {
				t.Fatal("not one began the fourth attempt")
			}
			b.wantMessages(a.id, thisMonth, 2)
		})
		b.Run("one that is complete or was stopped is not", func(t *testing.T) {
			for _, status := range []chat.Status{chat.Complete, chat.Stopped} {
				answer, err := b.Turn(ctx, a.id, a.conversation, 0)
				b.must(err)
				end(answer.Answer.Attempt, status)
				_, err = again(a.answer, thisMonth)
				b.wantKind(err, fault.NotFound)
				a.answer, _, err = b.BeginTurn(ctx, a.id, a.newTurn())
				b.must(err)
			}
		})
		b.Run("one with later messages is not", func(t *testing.T) {
			first := a.answer
			end(1, chat.Failed)
			next, _, err := b.BeginTurn(ctx, a.id, a.newTurn())
			b.must(err)
			before := b.rows(a.id)
			_, err = again(first, thisMonth)
			b.wantKind(err, fault.Conflict)
			if b.rows(a.id) != before {
				t.Error("the refused attempt left something")
			}
			a.answer = next
			end(1, chat.Complete)
			before = b.rows(a.id)
			_, err = again(first, thisMonth)
			b.wantKind(err, fault.NotFound)
			if b.rows(a.id) != before {
				t.Error("the refused attempt left something")
			}
		})
	})
}

func TestStopsAsked(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a, other := b.fill("a"), b.fill("b") // with an answer each that is being generated
		ctx := b.Context()
		wantStops := func(t *testing.T, want ...int64) {
			t.Helper()
			if got, err := b.StopsAsked(ctx, everywhere); err != nil || !slices.Equal(got, want) {
				t.Errorf("to be stopped are %v, want %v: %v", got, want, err)
			}
		}

		b.Run("nothing is stopped without a request", func(t *testing.T) { wantStops(t) })
		b.Run("what is asked for is known in every workspace, once", func(t *testing.T) {
			b.must(b.AskToStop(ctx, other.id, other.answer))
			b.must(b.AskToStop(ctx, a.id, a.answer))
			b.must(b.AskToStop(ctx, a.id, a.answer))
			wantStops(t, a.answer, other.answer)
		})
		b.Run("every end of an answer is the end of it", func(t *testing.T) {
			b.must(b.FinishTurn(ctx, a.id, turn.Answer{MessageID: a.answer, Attempt: 1, Status: chat.Stopped}))
			wantStops(t, other.answer)
			_, err := b.InterruptLapsed(ctx, everywhere, epoch.Add(time.Second), epoch, runes)
			b.must(err)
			wantStops(t)
		})
		b.Run("an answer that has ended is not to be stopped", func(t *testing.T) {
			b.wantKind(b.AskToStop(ctx, a.id, a.answer), fault.NotFound)
			wantStops(t)
		})
	})
}
