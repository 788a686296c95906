package openai

import (
	"slices"
	"testing"

	"parley/llm/llmtest"
)

func TestNames(t *testing.T) {
	server := llmtest.NewServer(t, llmtest.Reply{})
	if names, err := open(t, server, nil).Names(t.Context()); err != nil || !slices.Equal(names, []string{"test-model"}) {
		t.Errorf("they are %q: %v", names, err)
	}
	server.AnswerModels(llmtest.Reply{Status: 401})
	_, err := open(t, server, nil).Names(t.Context())
	if refused, ok := err.(interface{ Status() int }); !ok || refused.Status() != 401 {
		t.Errorf("a refusal gives %v", err)
	}
}
