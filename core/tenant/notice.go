package tenant

import (
	"fmt"
	"strings"
	"time"

	"parley/core/plan"
)

// warning is how long before a date people are reminded of it.
const warning = 3 * 24 * time.Hour

// notice is what owners are told of a subscription's state.
type notice struct {
	// key is the same for the same news.
	key string
	// due is when it is told.
	due     time.Time
	subject string
	// says are the paragraphs.
	says []string
}

// notices are what there is to be told of a subscription at a time: what is to
// come, and what is wrong. What has happened by then is no news.
func notices(w Workspace, s Subscription, now time.Time) []notice {
	var all []notice
	all = append(all, declines(w, s, now)...)
	all = append(all, endOfTrial(w, s, now)...)
	return append(all, failedPayment(w, s, now)...)
}

// decline returns when a subscription ends or goes down, and to which plan.
func (b Billed) decline() (at *time.Time, to plan.Name) {
	switch {
	case b.Status != plan.Trialing && b.Status != plan.Active && b.Status != plan.PastDue:
		return nil, ""
	case b.EndsAt != nil:
		return b.EndsAt, plan.Free
	case b.NextAt != nil && b.Plan.Above(b.NextPlan):
		return b.NextAt, b.NextPlan
	}
	return nil, ""
}

// declines tell that a subscription will end or go down, at once and again
// before it does.
func declines(w Workspace, s Subscription, now time.Time) []notice {
	at, to := s.decline()
	if at == nil || !at.After(now) {
		return nil
	}
	then := plan.Higher(w.grantedAt(*at), to)
	news := notice{
		due:     now,
		subject: fmt.Sprintf("The %s plan of %s ends on %s", s.Plan.Title(), short(w.Name), date(*at)),
		says: []string{fmt.Sprintf("The subscription of the workspace %s to the %s plan ends on %s. From then on the workspace is on the %s plan.",
			w.Name, s.Plan.Title(), date(*at), then.Title())},
	}
	if s.Plan.Above(then) {
		news.says = append(news.says, fmt.Sprintf("Nothing is deleted. What the %s plan does not include rests until the workspace is upgraded again. "+
			"There you can choose what stays active, or keep the plan:", then.Title()))
	}
	of := fmt.Sprintf(":%s:%s:%s", w.ID, at.UTC().Format(time.DateOnly), to)
	reminder := news
	news.key, reminder.key = "ends"+of, "ends-soon"+of
	reminder.due = at.Add(-warning)
	return []notice{news, reminder}
}

// endOfTrial tells that a trial is paid for soon.
func endOfTrial(w Workspace, s Subscription, now time.Time) []notice {
	if s.Status != plan.Trialing || s.TrialEnd == nil || s.EndsAt != nil || !s.TrialEnd.After(now) {
		return nil
	}
	on := date(*s.TrialEnd)
	return []notice{{
		key:     fmt.Sprintf("trial:%s:%s", w.ID, s.TrialEnd.UTC().Format(time.DateOnly)),
		due:     later(now, s.TrialEnd.Add(-warning)),
		subject: fmt.Sprintf("The trial of %s ends on %s", short(w.Name), on),
		says: []string{
			fmt.Sprintf("The trial of the %s plan for the workspace %s ends on %s. From then on the plan is paid for.", s.Plan.Title(), w.Name, on),
			"If you do not want that, cancel it before:",
		},
	}}
}

// failedPayment tells until when access goes on.
func failedPayment(w Workspace, s Subscription, now time.Time) []notice {
	if s.Status != plan.PastDue || s.PastDueSince == nil || s.Access.Until == nil || !s.Access.Until.After(now) {
		return nil
	}
	return []notice{{
		key:     fmt.Sprintf("unpaid:%s:%s", w.ID, s.PastDueSince.UTC().Format(time.DateOnly)),
		due:     now,
		subject: "A payment for " + short(w.Name) + " failed",
		says: []string{
			fmt.Sprintf("A payment for the %s plan of the workspace %s failed on %s. The plan goes on until %s at the latest.",
				s.Plan.Title(), w.Name, date(*s.PastDueSince), date(*s.Access.Until)),
			"Please update the payment method before:",
		},
	}}
}

// mail is a notice to one owner.
func (s *Service) mail(n notice, w Workspace, owner Member) Mail {
	paragraphs := append([]string{"Hello,"}, n.says...)
	paragraphs = append(paragraphs, s.options.BaseURL+"/workspaces/"+w.ID+"/plan")
	return Mail{
		WorkspaceID: w.ID, Key: n.key + ":" + owner.UserID, To: owner.Email, Subject: n.subject,
		Body: strings.Join(paragraphs, "\n\n") + "\n", DueAt: &n.due, CreatedAt: s.now(),
	}
}

// short is a name that fits into a subject.
func short(name string) string {
	const most = 40
	runes := []rune(name)
	if len(runes) <= most {
		return name
	}
	return string(runes[:most]) + "…"
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
