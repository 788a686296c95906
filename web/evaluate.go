package web

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/retrieval"
	"parley/views"
)

// evaluationPages are the handlers of the evaluation of a chatbot.
type evaluationPages struct{ *site }

func (s evaluationPages) evaluatePage(c *fiber.Ctx, v visit) error {
	return s.showEvaluation(c, v, fiber.StatusOK, views.Evaluate{})
}

func (s evaluationPages) showEvaluation(c *fiber.Ctx, v visit, status int, m views.Evaluate) error {
	return render(c, status, views.EvaluatePage(v.layout(c, views.EvaluateSection, "Evaluate"), m))
}

// evaluate tries questions. It changes nothing, so that whoever may look may
// do it.
func (s evaluationPages) evaluate(c *fiber.Ctx, v visit) error {
	typed, err := readForm(c, "questions")
	if err != nil {
		return err
	}
	result, err := s.Evaluator.Evaluate(c.UserContext(), v.workspaceID(), v.chatbot.ID,
		retrieval.ReadProbes(typed["questions"]), retrieval.DefaultShown)
	if err != nil {
		return typed.again(c, err, func(status int, f views.Form) error {
			return s.showEvaluation(c, v, status, views.Evaluate{Form: f})
		})
	}
	m := evaluationToView(result)
	m.Form = typed.view()
	return s.showEvaluation(c, v, fiber.StatusOK, m)
}

func evaluationToView(e retrieval.Evaluation) views.Evaluate {
	m := views.Evaluate{Measured: e.Measured, MRR: fmt.Sprintf("%.2f", e.MRR)}
	for _, depth := range retrieval.EvaluateDepths {
		m.Shares = append(m.Shares, views.Share{Depth: strconv.Itoa(depth), Percent: fmt.Sprintf("%.0f %%", 100*e.Within[depth])})
	}
	for _, p := range e.Probes {
		m.Results = append(m.Results, probedToView(p))
	}
	return m
}

func probedToView(p retrieval.Probed) views.Result {
	shown := views.Result{Question: p.Question, Expected: p.Title}
	if p.Rank > 0 {
		shown.Rank = strconv.Itoa(p.Rank)
	}
	for _, f := range p.Found {
		shown.Passages = append(shown.Passages, views.Hit{
			Title: f.Title, Path: strings.Join(f.HeadingPath, " › "), Place: f.Place, Text: f.Excerpt(),
			Score: fmt.Sprintf("%.2f", f.Score), Expected: p.Expects(f.DocumentID),
		})
	}
	return shown
}
