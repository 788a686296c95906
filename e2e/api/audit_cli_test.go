package api

import (
	"strings"
	"testing"

	"parley/e2e/harness"
)

func TestAuditVerifyCommand(t *testing.T) {
	t.Parallel()
	harness.OnTerminals(t, func(term *harness.Terminal) {
		workspace, bot := term.NewChatbot("standard")
		term.OK("token", "create", bot)
		heads := term.File("heads.json", term.OK("audit", "heads", "--json"))
		lines := term.OK("audit", "list", "--jsonl")

		term.Run("what nobody touched verifies, by itself and against what was written down", func(t *testing.T) {
			term := term.In(t)
			entries := float64(strings.Count(lines, "\n"))
			for _, args := range [][]string{nil, {"--against=" + heads}, {"--against=" + term.File("lines.jsonl", lines)}} {
				verdict := term.Record(append([]string{"audit", "verify"}, args...)...)
				if verdict["entries"] != entries || verdict["chains"] != 2.0 || args != nil && verdict["compared"] == 0.0 || len(verdict["problems"].([]any)) != 0 {
					t.Errorf("%v gives %v", args, verdict)
				}
			}
			if out := term.OK("audit", "verify", "--workspace="+workspace); !strings.Contains(out, "in 1 chain. None was changed") {
				t.Errorf("it says %s", out)
			}
		})
		term.Run("what says something else than the database is named, and the command fails", func(t *testing.T) {
			term := term.In(t)
			changed := term.File("changed.jsonl", strings.ReplaceAll(lines, `"action":"token.created"`, `"action":"token.revoked"`))
			out, _, code := term.Execute("", "audit", "verify", "--against="+changed)
			if code != 1 || !strings.Contains(out, workspace+": Entry ") || !strings.Contains(out, "says something else in the file than here") {
				t.Errorf("it ends with %d and says %s", code, out)
			}
			term.Fails("1 chain has a problem", "audit", "verify", "--against="+changed)
		})
		term.Run("another database's heads are not of this one", func(t *testing.T) {
			term := term.In(t)
			term.Fails("1 chain has a problem", "audit", "verify", "--against="+term.File("other.json", `[{"chain":"ws_other","seq":5,"hash":"abc","at":null}]`))
		})
		term.Run("a wrong name or file is said", func(t *testing.T) {
			term := term.In(t)
			term.Fails("There is no chain", "audit", "verify", "--workspace=ws_nobody")
			term.Fails("Cannot read the file", "audit", "verify", "--against=nowhere.json")
			term.Fails("no entry and no head", "audit", "verify", "--against="+term.File("wrong.json", "{}"))
		})
		term.Run("CSV has a row for each entry", func(t *testing.T) {
			term := term.In(t)
			if out := term.OK("audit", "list", "--csv"); strings.Count(out, "\n") != strings.Count(lines, "\n")+1 || !strings.HasPrefix(out, "id,at,workspace_id,actor,") {
				t.Errorf("it is %s", out)
			}
		})
	})
}
