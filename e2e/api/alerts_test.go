package api

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v3"

	"parley/e2e/harness"
	"parley/llm/llmtest"
)

const rulesFolder = "../../deploy/prometheus"

// alert is a rule of deploy/prometheus/rules.yaml.
type alert struct {
	Alert, Expr         string
	Labels, Annotations map[string]string
}

func readAlerts(t *testing.T) (all []alert) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(rulesFolder, "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct{ Rules []alert }
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	return all
}

// TestAlerts has Prometheus's own tool read the rules, and evaluate them on series of which
// it is known what they should ring.
func TestAlerts(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Fatalf("%v: scripts/setup.sh installs it", err)
	}
	for sentence, arguments := range map[string][]string{
		"the rules can be read":           {"check", "rules", "rules.yaml"},
		"each alert rings when it should": {"test", "rules", "rules_test.yaml"},
	} {
		t.Run(sentence, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), promtool, arguments...)
			command.Dir = rulesFolder
			if said, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
	t.Run("rules that cannot be read fail", func(t *testing.T) {
		broken := filepath.Join(t.TempDir(), "rules.yaml")
		if err := os.WriteFile(broken, []byte("groups: [{name: parley, rules: [{alert: A, expr: 'sum(('}]}]"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := exec.CommandContext(t.Context(), promtool, "check", "rules", broken).Run(); err == nil {
			t.Error("promtool takes them")
		}
	})
	tested, err := os.ReadFile(filepath.Join(rulesFolder, "rules_test.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	night := nightTable(t)
	for _, rule := range readAlerts(t) {
		t.Run(rule.Alert+" is tested and leads to its row of At night", func(t *testing.T) {
			if strings.Count(string(tested), "alertname: "+rule.Alert+"\n")+strings.Count(string(tested), "alertname: "+rule.Alert+",") < 2 {
				t.Error("there is no test that it rings, or none that it does not")
			}
			if want := "docs/operations.md#at-night:~:text=" + rule.Alert; rule.Annotations["runbook"] != want {
				t.Errorf("its runbook is %q, want %q", rule.Annotations["runbook"], want)
			}
			if strings.Count(night, "`"+rule.Alert+"`") != 1 {
				t.Error("no row names it, or several do")
			}
			if rule.Annotations["summary"] == "" || rule.Labels["severity"] == "" {
				t.Errorf("it has no summary or no severity: %+v", rule)
			}
		})
	}
}

// nightTable is the table At night of docs/operations.md.
func nightTable(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## At night\n")
	table, _, _ = strings.Cut(table, "\n## ")
	return table
}

// boardQueries are the queries of the panels of deploy/grafana/parley.json.
func boardQueries(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/grafana/parley.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &board, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	queries := map[string]string{}
	for _, panel := range board.Panels {
		for i, target := range panel.Targets {
			queries[panel.Title+", query "+string(rune('A'+i))] = target.Expr
		}
	}
	return queries
}

// ofPrometheus are figures and labels that Prometheus and its exporters add.
var ofPrometheus = map[string][]string{"up": {}, "probe_success": {}}

var targetLabels = []string{"job", "instance"}

var (
	selector = regexp.MustCompile(`([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\})?`)
	matcher  = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"`)
	grouping = regexp.MustCompile(`\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)`)
	span     = regexp.MustCompile(`\[[^\]]*\]`)
	function = regexp.MustCompile(`\b[a-z_]+\s*\(`)
	word     = regexp.MustCompile(`^(and|or|unless|bool|offset|by|without|on|ignoring|group_left|group_right|sum|min|max|avg|count)$`)
)

// unknownIn returns what a query names and a scrape does not have: figures, labels and
// values of labels.
func unknownIn(query string, scraped harness.Figures) (unknown []string) {
	var grouped []string
	for _, found := range grouping.FindAllStringSubmatch(query, -1) {
		for label := range strings.SplitSeq(found[1], ",") {
			if label = strings.TrimSpace(label); label != "" {
				grouped = append(grouped, label)
			}
		}
	}
	rest := function.ReplaceAllString(span.ReplaceAllString(grouping.ReplaceAllString(query, " "), ""), "(")
	var known []string
	for _, found := range selector.FindAllStringSubmatch(rest, -1) {
		name, matchers := found[1], found[2]
		if word.MatchString(name) {
			continue
		}
		if _, is := ofPrometheus[name]; is {
			continue
		}
		all := scraped.Of(name)
		if len(all) == 0 {
			unknown = append(unknown, name)
			continue
		}
		for _, one := range all {
			known = slices.AppendSeq(known, maps.Keys(one.Labels))
		}
		for _, m := range matcher.FindAllStringSubmatch(matchers, -1) {
			label, how, value := m[1], m[2], m[3]
			if !slices.Contains(targetLabels, label) && !hasValue(all, label, how, value) {
				unknown = append(unknown, name+"{"+m[0]+"}")
			}
		}
	}
	for _, label := range grouped {
		if !slices.Contains(known, label) && !slices.Contains(targetLabels, label) {
			unknown = append(unknown, label)
		}
	}
	return unknown
}

// hasValue reports whether a series has the label with the value, and of several that a
// pattern lists with each of them.
func hasValue(all harness.Figures, label, how, value string) bool {
	values := []string{value}
	if strings.HasSuffix(how, "~") {
		values = strings.Split(value, "|")
	}
	return !slices.ContainsFunc(values, func(wanted string) bool {
		pattern := regexp.MustCompile("^(?:" + wanted + ")$")
		return !slices.ContainsFunc(all, func(one harness.Series) bool {
			has, is := one.Labels[label]
			return is && (has == wanted || strings.HasSuffix(how, "~") && pattern.MatchString(has))
		})
	})
}

// TestAlertsAndBoardKnowTheFigures compares each figure, label and value that rules and board
// name with those of a server.
func TestAlertsAndBoardKnowTheFigures(t *testing.T) {
	t.Parallel()
	w := harness.Start(t, harness.Measured, harness.WithModel(llmtest.NewServer(t, llmtest.Reply{Pieces: []string{"At seven."}})))
	w.Call("GET", "/readyz", "")
	scraped := w.Scrape()
	queries := boardQueries(t)
	for _, rule := range readAlerts(t) {
		queries[rule.Alert] = rule.Expr
	}
	if len(queries) < 40 {
		t.Fatalf("there are only %d queries", len(queries))
	}
	for name, query := range queries {
		t.Run(name, func(t *testing.T) {
			if unknown := unknownIn(query, scraped); len(unknown) > 0 {
				t.Errorf("no server has %q, which is in\n%s", unknown, query)
			}
		})
	}
	for query, want := range map[string]string{
		`sum(rate(parley_answer_total[5m]))`:                                      "parley_answer_total",
		`sum(rate(parley_answers_total{outcom="failed"}[5m]))`:                    `parley_answers_total{outcom="failed"}`,
		`sum(rate(parley_answers_total{outcome="fails"}[5m]))`:                    `parley_answers_total{outcome="fails"}`,
		`sum(rate(parley_answers_total{outcome=~"failed|stop"}[5m]))`:             `parley_answers_total{outcome=~"failed|stop"}`,
		`sum by (workspace) (parley_answers_total) > 1 and parley_streams_open`:   "workspace",
		`histogram_quantile(0.5, sum by (le) (rate(parley_first_token_seconds)))`: "parley_first_token_seconds",
	} {
		t.Run("a query with a mistake is noticed: "+query, func(t *testing.T) {
			if unknown := unknownIn(query, scraped); !slices.Contains(unknown, want) {
				t.Errorf("it finds %q", unknown)
			}
		})
	}
}
