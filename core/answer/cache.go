package answer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"parley/core/fault"
	"parley/core/system"
)

// cachedFor is how long an answer is given again at most, on the day (UTC) that it was made.
const cachedFor = 24 * time.Hour

// CachedAnswer is an answer that was given before. At is when.
type CachedAnswer struct {
	Text      string
	Citations []Citation
	At        time.Time
}

// Cache is the port to what keeps answers to questions that may be asked again.
type Cache interface {
	// CachedAnswer returns the answer kept under a key, if it was made after
	// since. One that is not there is a NotFound fault.
	CachedAnswer(ctx context.Context, workspaceID, chatbotID, key string, since time.Time) (CachedAnswer, error)
	// CacheAnswer keeps an answer, and replaces one under the same key.
	CacheAnswer(ctx context.Context, workspaceID, chatbotID, key string, answer CachedAnswer) error
	// KnowledgeVersion is a text that changes whenever what a chatbot answers
	// from changes.
	KnowledgeVersion(ctx context.Context, workspaceID, chatbotID string) (string, error)
	// DeleteCachedAnswers deletes answers of any workspace from before a time.
	DeleteCachedAnswers(ctx context.Context, access system.Access, before time.Time) error
}

// lookUp finds the answer to an equal question, or says under which key to keep
// one. It reads the version of the knowledge first, and the knowledge after
// that, so that an answer is never kept for a later version.
func (d *Draft) lookUp(ctx context.Context) error {
	version, err := d.pipeline.cache.KnowledgeVersion(ctx, d.bot.WorkspaceID, d.bot.ID)
	if err != nil {
		return err
	}
	d.cacheKey = d.newCacheKey(version)
	found, err := d.pipeline.cache.CachedAnswer(ctx, d.bot.WorkspaceID, d.bot.ID, d.cacheKey, d.pipeline.now().Add(-cachedFor))
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err == nil {
		d.cached = &found
	}
	return err
}

// newCacheKey names a question and all else that its answer depends on. That includes the
// day, which a model is told: the answer to "Are you open tomorrow?" is another one then.
func (d *Draft) newCacheKey(version string) string {
	h := sha256.New()
	question := strings.Join(strings.Fields(d.question), " ")
	bot := d.bot
	temperature := "-"
	if bot.Temperature != nil {
		temperature = fmt.Sprint(*bot.Temperature)
	}
	fmt.Fprintf(h, "%s %q %q %q %q %q %q %s %d %q %q", d.began.UTC().Format(time.DateOnly), question, version, bot.Instructions, d.noAnswer, d.model.Name(),
		fmt.Sprint(bot.Model, bot.Fallback), temperature, bot.MaxAnswerTokens, bot.Grounding, bot.Rerank)
	return hex.EncodeToString(h.Sum(nil))
}

// Remember keeps a complete answer for equal questions, if the chatbot caches
// answers. An answer that cannot be kept has not failed.
func (d *Draft) Remember(ctx context.Context, answer Answer) {
	if d.cacheKey == "" || d.cached != nil || answer.Finish.Cut() {
		return
	}
	kept := CachedAnswer{Text: answer.Text, Citations: answer.Citations, At: d.pipeline.now()}
	if err := d.pipeline.cache.CacheAnswer(ctx, d.bot.WorkspaceID, d.bot.ID, d.cacheKey, kept); err != nil {
		d.pipeline.log.Log(ctx, fault.Level(err), "answer not kept for equal questions", "chatbot_id", d.bot.ID, "error", err)
	}
}

// DeleteOutdated deletes cached answers that are not given any more.
func (p *Pipeline) DeleteOutdated(ctx context.Context, access system.Access) error {
	return p.cache.DeleteCachedAnswers(ctx, access, p.now().Add(-cachedFor))
}
