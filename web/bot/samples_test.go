package bot

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/testinputs"
	views "parley/views/bot"
)

// hostileQuestions are what somebody else may have written as a heading of a document.
var hostileQuestions = []string{
	`What's "open" at 8 o'clock?`,
	`C:\new\table\\ and a \`,
	"one line\nand the next\r\n\tindented",
	"$(touch owned) `touch owned` ${HOME} $PARLEY_TOKEN !!",
	`</script><script>alert(1)</script><!-- -->`,
	`'; touch owned; echo '`,
	`''' """ {} %s {question} #{x}`,
	"Schließt ihr früher? 🥐 \u2028\u2029 \u0000\u0001\u007f",
	`-d @/etc/passwd`,
}

// requests stands for the library of the sample in Python, where it is not installed.
const requests = `
import json as _json, urllib.request
class _Answer:
    def __init__(self, body): self._body = body
    def json(self): return _json.loads(self._body)
def post(url, headers, json):
    asked = urllib.request.Request(url, _json.dumps(json).encode(), dict(headers, **{"Content-Type": "application/json"}))
    return _Answer(urllib.request.urlopen(asked).read())
`

// Each sample is run as it is copied, and asks the very question.
func TestSamplesAskWhatTheyShow(t *testing.T) {
	testinputs.Use()
	type question struct{ Message, Format string }
	received := make(chan question, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var asked question
		if err := json.Unmarshal(body, &asked); err != nil || r.Header.Get("Authorization") != "Bearer a-token" {
			t.Errorf("got %q as %q: %v", body, r.Header.Get("Authorization"), err)
		}
		received <- asked
		_, _ = w.Write([]byte(`{"data":{"message":"At eight."}}`))
	}))
	defer server.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "requests.py"), []byte(requests), 0o600); err != nil {
		t.Fatal(err)
	}
	tools := map[string][2]string{"curl": {"bash", "sample.sh"}, "JavaScript": {"node", "sample.mjs"}, "Python": {"python3", "sample.py"}}
	for _, text := range []string{strings.Join(hostileQuestions, " "), `It ends in \`} { // starting a program takes its time
		for _, sample := range views.Samples(server.URL+"/api/v1", shellQuoted(text), `"markdown"`) {
			t.Run(sample.Name, func(t *testing.T) {
				tool, err := exec.LookPath(tools[sample.Name][0])
				if err != nil {
					t.Fatalf("This test needs %s: run scripts/setup.sh.", tools[sample.Name][0])
				}
				file := tools[sample.Name][1]
				if err := os.WriteFile(filepath.Join(dir, file), []byte(sample.Code+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				run := exec.CommandContext(t.Context(), tool, file)
				run.Dir = dir
				run.Env = append(os.Environ(), "PARLEY_TOKEN=a-token", "PYTHONPATH="+dir, "NO_PROXY=*", "no_proxy=*")
				if said, err := run.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s\n%s", err, said, sample.Code)
				}
				if asked := <-received; asked.Message != text || asked.Format != "markdown" {
					t.Errorf("it asks %+v, want %q", asked, text)
				}
			})
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "owned")); err != nil || len(left) > 0 {
		t.Errorf("a question was run: %q, %v", left, err)
	}
}
