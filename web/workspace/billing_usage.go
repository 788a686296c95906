package workspace

import (
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"parley/core/chat"
	"parley/core/chatbot"
	"parley/core/plan"
	"parley/views/shell"
	views "parley/views/workspace"
	"parley/web/page"
)

// monthFormat is how an address writes a month.
const monthFormat = "2006-01"

// spent is what the answers of a month used.
func (s planPages) spent(c *fiber.Ctx, v page.Visit) (views.Month, error) {
	month := askedMonth(c.Query("month"), s.Now())
	spent, err := s.Chat.Spent(c.UserContext(), v.WorkspaceID(), month)
	if err != nil {
		return views.Month{}, err
	}
	bots, err := s.Chatbots.List(c.UserContext(), v.WorkspaceID())
	if err != nil {
		return views.Month{}, err
	}
	m := spentToView(spent, bots)
	m.Name = month.Format("January 2006")
	m.Previous, m.Next = neighborMonths(month, v.Member.Workspace.CreatedAt, s.Now())
	return m, nil
}

// askedMonth is the beginning of the month that an address names, or else of
// the present one.
func askedMonth(text string, now time.Time) time.Time {
	present := monthOf(now)
	asked, err := time.Parse(monthFormat, text)
	if err != nil || asked.After(present) {
		return present
	}
	return asked
}

func monthOf(t time.Time) time.Time {
	year, month, _ := t.UTC().Date()
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

// neighborMonths returns the months before and after one, unless they are before the
// workspace was created or in the future.
func neighborMonths(month, since, now time.Time) (previous, next string) {
	if month.After(monthOf(since)) {
		previous = month.AddDate(0, -1, 0).Format(monthFormat)
	}
	if month.Before(monthOf(now)) {
		next = month.AddDate(0, 1, 0).Format(monthFormat)
	}
	return previous, next
}

// spentToView shows sums of usage records. Each chatbot's rows stand together, in the order
// of the workspace's chatbots, and the rows of deleted chatbots come last.
func spentToView(spent []chat.Spent, bots []chatbot.Chatbot) views.Month {
	var m views.Month
	var sum chat.Spent
	known := map[string]bool{}
	for _, bot := range bots {
		known[bot.ID] = true
		for _, row := range spent {
			if row.ChatbotID == bot.ID {
				m.Rows = append(m.Rows, spentRow(row, page.ChatbotToView(bot), false))
			}
		}
	}
	for _, row := range spent {
		sum = addSpent(sum, row)
		if !known[row.ChatbotID] {
			m.Rows = append(m.Rows, spentRow(row, shell.Chatbot{ID: row.ChatbotID}, true))
		}
	}
	m.Sum = spentRow(sum, shell.Chatbot{}, false)
	return m
}

func addSpent(sum, row chat.Spent) chat.Spent {
	sum.Answers += row.Answers
	sum.Estimated += row.Estimated
	sum.PromptTokens += row.PromptTokens
	sum.CompletionTokens += row.CompletionTokens
	sum.Refuted += row.Refuted
	return sum
}

func spentRow(row chat.Spent, bot shell.Chatbot, deleted bool) views.Spent {
	return views.Spent{
		Chatbot: bot, Deleted: deleted, Model: row.Model, Status: string(row.Status),
		Answers: plan.Thousands(row.Answers), PromptTokens: plan.Thousands(row.PromptTokens), CompletionTokens: plan.Thousands(row.CompletionTokens),
		Counted: plan.Thousands(row.Estimated), FirstToken: seconds(row.FirstToken), Total: seconds(row.Total), Refuted: plan.Thousands(row.Refuted),
	}
}

// seconds writes a mean time, such as 1.25 s on one line, and nothing for none.
func seconds(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return fmt.Sprintf("%.2f\u00a0s", d.Seconds())
}
