package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"parley/core/fault"
)

// cachedFor is how long an answer is given again.
const cachedFor = 24 * time.Hour

// lookUp finds the answer to an equal question, or says under which key it is
// to be kept. The version of the knowledge is read before the knowledge, so
// that an answer is never kept for a later one.
func (r *run) lookUp(ctx context.Context) error {
	s, t := r.service, &r.task
	version, err := s.store.KnowledgeVersion(ctx, r.bot.WorkspaceID, r.bot.ID)
	if err != nil {
		return err
	}
	t.cacheKey = r.keyOf(version)
	found, err := s.store.CachedAnswer(ctx, r.bot.WorkspaceID, r.bot.ID, t.cacheKey, s.now().Add(-cachedFor))
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil {
		t.cached = &found
	}
	return err
}

// keyOf names a question and all else that its answer depends on.
func (r *run) keyOf(version string) string {
	h := sha256.New()
	question := strings.Join(strings.Fields(r.task.question), " ")
	bot := r.bot
	temperature := "-"
	if bot.Temperature != nil {
		temperature = fmt.Sprint(*bot.Temperature)
	}
	fmt.Fprintf(h, "%q %q %q %q %q %q %s %d %q", question, version, bot.Instructions, bot.NoAnswer, r.task.model.Name(),
		fmt.Sprint(bot.Model, bot.Fallback), temperature, bot.MaxAnswerTokens, bot.Grounding)
	return hex.EncodeToString(h.Sum(nil))
}

// remember keeps a complete answer for equal questions. That it could not be
// kept is no failure of the answer.
func (r *run) remember(ctx context.Context, answer Answer) {
	t := r.task
	if t.cacheKey == "" || t.cached != nil || answer.Status != Complete {
		return
	}
	kept := CachedAnswer{Text: answer.Text, Sources: answer.Sources, At: r.service.now()}
	if err := r.service.store.CacheAnswer(ctx, r.bot.WorkspaceID, r.bot.ID, t.cacheKey, kept); err != nil {
		r.service.log.Warn("answer not kept for equal questions", "chatbot_id", r.bot.ID, "error", err)
	}
}

// DeleteOutdated deletes idempotency keys and kept answers that are not looked
// at any more.
func (s *Service) DeleteOutdated(ctx context.Context) error {
	now := s.now()
	if err := s.store.DeleteKeys(ctx, now.Add(-keysKept)); err != nil {
		return err
	}
	return s.store.DeleteCachedAnswers(ctx, now.Add(-cachedFor))
}
