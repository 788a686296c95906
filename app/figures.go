package app

import (
	"context"
	"errors"
	"net/http"
	"time"

	"parley/api/mcp"
	"parley/api/route"
	"parley/billing"
	"parley/core/answer/prompt"
	"parley/core/chat"
	"parley/core/chat/turn"
	"parley/core/fault"
	"parley/core/knowledge"
	"parley/extract"
	"parley/internal/metrics"
	"parley/store/outbound"
)

// The outcomes of answers in metrics.
const (
	answerCompleted   = "completed"
	answerStopped     = "stopped"
	answerInterrupted = "interrupted"
	answerFailed      = "failed"
	answerRefused     = "refused"
)

// The codes of answers in metrics that are not [fault.Code]s: of what has not failed, and
// of a client that left.
const (
	noCode     = "none"
	clientGone = "client_gone"
)

// answerCodes are the error codes that an answer may have, by outcome. Others count as
// [metrics.Unlisted].
func answerCodes() map[string][]string {
	model := []fault.Code{
		fault.ModelFailed, fault.ModelBusy, fault.ModelDeclined, fault.ModelKeyRejected, fault.ModelUnknown, fault.ModelUnpaid, fault.ModelRefused, fault.ContextTooLong,
	}
	server := []fault.Code{fault.RetrievalFailed, fault.StorageFull, fault.IndexNotReady, "unavailable", "upstream_failed", "internal_error"}
	caller := []fault.Code{
		"invalid_request", "too_large", "forbidden", "not_found", "conflict", "rate_limited", fault.Suspended, fault.ConversationBusy, fault.KeyReused, fault.MetadataTooLarge,
		fault.QuotaExceeded, fault.TokenQuotaExceeded, fault.TooManyAnswers, fault.PlanRequired, fault.PlanLimit,
	}
	return map[string][]string{
		answerCompleted: {noCode}, answerStopped: {noCode},
		answerInterrupted: names([]fault.Code{clientGone, fault.Draining, fault.AnswerInterrupted, fault.AnswerRestarted, "invalid_token", "forbidden"}),
		answerFailed:      names(model, server, []fault.Code{fault.AnswerInterrupted}),
		answerRefused:     names(caller, server, []fault.Code{fault.Overloaded, fault.Draining}),
	}
}

func names(codes ...[]fault.Code) (all []string) {
	for _, some := range codes {
		for _, code := range some {
			all = append(all, string(code))
		}
	}
	return all
}

// meter counts answers.
type meter struct{ figures *metrics.Metrics }

var _ turn.Meter = meter{}

// Ended counts an attempt at an answer.
func (m meter) Ended(by turn.Transport, ended turn.Answer, err error) {
	outcome, code := answerFailed, noCode
	switch {
	case err == nil && ended.Status == chat.Stopped:
		outcome = answerStopped
	case err == nil:
		outcome = answerCompleted
	case ended.Status == chat.Interrupted:
		outcome, code = answerInterrupted, codeOf(err)
	default:
		code = codeOf(err)
	}
	m.figures.Answer(string(by), outcome, code)
	m.figures.Took(ended.Record.FirstToken, ended.Record.Total)
}

// Refused counts a question that got no answer.
func (m meter) Refused(by turn.Transport, err error) {
	outcome := answerRefused
	if errors.Is(err, turn.ErrLeft) {
		outcome = answerInterrupted
	}
	m.figures.Answer(string(by), outcome, codeOf(err))
}

func codeOf(err error) string {
	if errors.Is(err, turn.ErrLeft) {
		return clientGone
	}
	return string(fault.As(err).Code())
}

// openFigures declares all values of labels that are known, so that each figure is there
// from the first scrape on: the rate of a missing one never rises.
func (p *Program) openFigures() {
	p.metrics.Build(p.version)
	var transports []string
	for _, transport := range turn.Transports() {
		transports = append(transports, string(transport))
	}
	p.metrics.KnowAnswers(transports, answerCodes())
	purposes := []string{forAnswer, string(prompt.Rewrite), string(prompt.Rerank)}
	p.serversCalls = p.metrics.ModelCalls(serversAccount, append(purposes, forEmbed), callOutcomes)
	p.workspacesCalls = p.metrics.ModelCalls(workspacesAccount, purposes, callOutcomes)
	p.metrics.KnowAlarms(billing.Alarms()...)
	p.metrics.KnowEvents(billing.Outcomes()...)
	p.metrics.KnowJobs(knowledge.AllWork()...)
	for _, end := range extract.Ends() {
		p.metrics.KnowReaders(string(end))
	}
	for _, asking := range []string{"/chat", "/chat/stream", "/openai/chat/completions", "/openai/responses", mcp.Path} {
		p.metrics.KnowRequests(http.MethodPost, route.V1+asking, http.StatusOK, http.StatusInternalServerError, http.StatusServiceUnavailable)
	}
	p.metrics.LookUp(p.lookUpFigures)
}

// lookUpFigures looks up what costs a query or a call of the system. A figure that cannot be
// looked up is left out.
func (p *Program) lookUpFigures(ctx context.Context, set metrics.Set) {
	if waiting, err := p.Queue.Waiting(ctx); p.found("jobs", err) {
		for _, work := range knowledge.AllWork() {
			set(metrics.JobsPending, float64(waiting.Jobs[work]), work)
		}
		set(metrics.JobsOldest, waiting.Oldest.Seconds())
	}
	pending := outbound.NewPending(p.Store)
	if webhooks, first, err := pending.Webhooks(ctx, accesses.figures); p.found("webhooks", err) {
		overdue := time.Duration(0)
		if !first.IsZero() {
			overdue = max(0, p.now().Sub(first))
		}
		set(metrics.WebhooksPending, float64(webhooks))
		set(metrics.WebhooksOverdue, overdue.Seconds())
	}
	if mails, err := pending.Mails(ctx, accesses.figures); p.found("mails", err) {
		set(metrics.MailsPending, float64(mails))
	}
	connections := p.Store.Connections()
	set(metrics.Connections, float64(connections.InUse), "in_use")
	set(metrics.Connections, float64(connections.Idle), "idle")
	set(metrics.Connections, float64(connections.Unopened), "unopened")
	if free, size, err := p.folders.Room(); p.found("disk", err) {
		set(metrics.DiskFree, float64(free))
		set(metrics.DiskSize, float64(size))
	}
}

func (p *Program) found(what string, err error) bool {
	if err != nil {
		p.Log.Debug("a figure could not be looked up", "figure", what, "error", err)
	}
	return err == nil
}
