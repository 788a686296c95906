package bot

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gofiber/fiber/v2"

	"parley/core/retrieval"
	views "parley/views/bot"
	"parley/views/shell"
	"parley/views/ui"
	"parley/web/page"
)

// evaluationPages are the handlers of the evaluation of a chatbot.
type evaluationPages struct{ *page.Base }

func (s evaluationPages) evaluatePage(c *fiber.Ctx, v page.Visit) error {
	return s.showEvaluation(c, v, fiber.StatusOK, views.Evaluate{})
}

func (s evaluationPages) showEvaluation(c *fiber.Ctx, v page.Visit, status int, m views.Evaluate) error {
	m.Tabs = improveTabs(v.Chatbot.ID, "evaluate", 0)
	l := v.Layout(c, shell.EvaluateSection, "Search check")
	l.Heading = "Improve"
	return page.Render(c, status, views.EvaluatePage(l, m))
}

// evaluate tries questions. It changes nothing, so that whoever may look may
// do it.
func (s evaluationPages) evaluate(c *fiber.Ctx, v page.Visit) error {
	typed, err := page.ReadForm(c, "questions")
	if err != nil {
		return err
	}
	result, err := s.Evaluator.Evaluate(c.UserContext(), v.WorkspaceID(), v.Chatbot.ID,
		retrieval.ReadProbes(typed["questions"]), retrieval.DefaultShown)
	if err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error {
			return s.showEvaluation(c, v, status, views.Evaluate{Form: f})
		})
	}
	m := evaluationToView(result)
	m.Form = typed.View()
	return s.showEvaluation(c, v, fiber.StatusOK, m)
}

func evaluationToView(e retrieval.Evaluation) views.Evaluate {
	m := views.Evaluate{Measured: e.Measured, MRR: fmt.Sprintf("%.2f", e.MRR)}
	for _, depth := range retrieval.EvaluateDepths {
		m.Shares = append(m.Shares, views.Share{Depth: strconv.Itoa(depth), Percent: fmt.Sprintf("%.0f%%", 100*e.Within[depth])})
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
