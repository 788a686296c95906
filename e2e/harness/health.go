package harness

import (
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Beside prepares a command on the server's data folder and database.
func (w *Instance) Beside(args ...string) *exec.Cmd {
	w.Helper()
	c := w.Server.Config
	args = append(args, "--data-dir="+c.DataDir, "--log-level=error")
	if c.DatabaseURL != "" {
		args = append(args, "--database-url="+c.DatabaseURL)
	}
	return exec.CommandContext(w.Context(), Program(), args...)
}

// Health is an answer of /readyz.
type Health struct {
	Code   int
	Status string `json:"status"`
	Parts  map[string]struct {
		Ready  bool      `json:"ready"`
		Reason string    `json:"reason"`
		Since  time.Time `json:"since"`
	} `json:"parts"`
}

// Health asks /readyz, with a query such as "?strict=1".
func (w *Instance) Health(query string) Health {
	w.Helper()
	r := w.Call("GET", "/readyz"+query, "")
	h := Health{Code: r.StatusCode}
	if err := json.Unmarshal([]byte(r.Text), &h); err != nil {
		w.Fatalf("/readyz answers %d %s: %v", r.StatusCode, r.Text, err)
	}
	return h
}

// Becomes waits until a part is ready, or not, and returns the answer.
func (w *Instance) Becomes(part string, ready bool) (h Health) {
	w.Helper()
	w.Eventually(fmt.Sprintf("%s has ready: %t", part, ready), func() bool {
		h = w.Health("")
		state, listed := h.Parts[part]
		return listed && state.Ready == ready
	})
	return h
}

// Fault is the state of a part as an operator comes to know it.
type Fault struct {
	Part string
	// Vital says that the process is taken away meanwhile.
	Vital bool
	// Says is in the reason.
	Says string
	// Remedy is in what the doctor says to do. Empty says that no doctor is asked.
	Remedy string
}

// Shows waits until /readyz shows a fault, and checks its status, the log and the doctor.
func (w *Instance) Shows(f Fault, doctor *exec.Cmd) {
	w.Helper()
	var h Health
	w.Eventually("/readyz says of "+f.Part+": "+f.Says, func() bool {
		h = w.Health("")
		return !h.Parts[f.Part].Ready && strings.Contains(h.Parts[f.Part].Reason, f.Says)
	})
	code, status := 200, "degraded"
	if f.Vital {
		code, status = 503, "not_ready"
	}
	if h.Code != code || h.Status != status || h.Parts[f.Part].Since.IsZero() {
		w.Errorf("/readyz answers %d %s: %+v", h.Code, h.Status, h.Parts)
	}
	if strict := w.Health("?strict=1"); strict.Code != 503 || strict.Status != "not_ready" {
		w.Errorf("where all parts count, it answers %d %s", strict.Code, strict.Status)
	}
	if alive := w.Call("GET", "/healthz", ""); alive.StatusCode != 200 {
		w.Errorf("/healthz answers %d", alive.StatusCode)
	}
	w.Eventually("the log names the part", func() bool {
		return strings.Contains(w.ServerLog.String(), "part="+f.Part+" ")
	})
	if doctor == nil {
		return
	}
	out, err := doctor.Output()
	row := ""
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, f.Part+" ") {
			row = line
		}
	}
	if err == nil || !strings.Contains(row, "FAILED") || !strings.Contains(row, f.Says) || !strings.Contains(row, f.Remedy) {
		w.Errorf("parley doctor ends with %v and says of %s: %s\n%s", err, f.Part, row, out)
	}
}

// Mended waits until a part works again.
func (w *Instance) Mended(part string) {
	w.Helper()
	w.Becomes(part, true)
	w.Eventually("the log says so", func() bool {
		return strings.Contains(w.ServerLog.String(), "part ready\" part="+part)
	})
}
