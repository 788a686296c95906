package metrics_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/metrics"
)

func TestLookUp(t *testing.T) {
	t.Run("however often somebody reads, a look-up is made once in five seconds", func(t *testing.T) {
		m, looks := metrics.New(), 0
		m.LookUp(func(_ context.Context, set metrics.Set) {
			looks++
			set(metrics.MailsPending, float64(looks))
		})
		base := served(t, m)
		began := time.Now()
		var reading sync.WaitGroup
		for range 4 {
			reading.Go(func() {
				for range 25 {
					ask(t, "GET", base+"/metrics")
				}
			})
		}
		reading.Wait()
		if most := 1 + int(time.Since(began)/(5*time.Second)); looks > most {
			t.Errorf("a hundred scrapes looked up %d times", looks)
		}
	})
	t.Run("what was looked up is looked up again after that", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			m, looks := metrics.New(), 0
			m.LookUp(func(context.Context, metrics.Set) { looks++ })
			for _, want := range []int{1, 1, 2} {
				_, _ = m.Gather()
				if looks != want {
					t.Errorf("looked up %d times, want %d", looks, want)
				}
				time.Sleep(3 * time.Second)
			}
		})
	})
	t.Run("a figure that cannot be looked up is missing, and the others are there", func(t *testing.T) {
		m := metrics.New()
		m.LookUp(func(_ context.Context, set metrics.Set) { set(metrics.JobsPending, 3, "fetch") })
		m.Read(func(set metrics.Set) { set(metrics.StreamsOpen, 2) })
		_, body := ask(t, "GET", served(t, m)+"/metrics")
		if !strings.Contains(body, "\nparley_jobs_pending{kind=\"fetch\"} 3\n") || !strings.Contains(body, "\nparley_streams_open 2\n") || strings.Contains(body, "parley_mails_pending") {
			t.Errorf("the figures are\n%s", body)
		}
	})
}

func TestAnswers(t *testing.T) {
	m := metrics.New()
	m.KnowAnswers([]string{"chat", "stream"}, map[string][]string{"completed": {"none"}, "failed": {"model_failed"}})
	m.Answer("stream", "completed", "none")
	m.Answer("stream", "failed", "made up by a stranger")
	m.Answer("made up", "failed", "model_failed")
	m.Took(0, time.Second)
	m.Took(time.Second, 3*time.Second)
	calls := m.ModelCalls("server", []string{"answer"}, []string{"completed", "failed"})
	calls.Ended("answer", "completed", time.Second, 5, 7)
	calls.Ended("answer", "made up", time.Second, 0, 0)
	_, body := ask(t, "GET", served(t, m)+"/metrics")
	for line, want := range map[string]int{
		`parley_answers_total{code="none",outcome="completed",transport="stream"}`:         1,
		`parley_answers_total{code="model_failed",outcome="failed",transport="stream"}`:    0,
		`parley_answers_total{code="other",outcome="failed",transport="stream"}`:           1,
		`parley_answers_total{code="none",outcome="completed",transport="chat"}`:           0,
		`parley_first_token_seconds_count`:                                                 1,
		`parley_answer_duration_seconds_count`:                                             2,
		`parley_model_calls_total{outcome="completed",provider="server",purpose="answer"}`: 1,
		`parley_model_calls_total{outcome="failed",provider="server",purpose="answer"}`:    0,
		`parley_model_tokens_total{kind="completion",provider="server"}`:                   7,
	} {
		if !strings.Contains(body, fmt.Sprintf("\n%s %d\n", line, want)) {
			t.Errorf("%s is not %d in\n%s", line, want, body)
		}
	}
	if strings.Contains(body, "made up") {
		t.Error("a made-up label is shown")
	}
}
