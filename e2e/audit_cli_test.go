package e2e

import (
	"strings"
	"testing"
)

func TestAuditVerifyCommand(t *testing.T) {
	t.Parallel()
	onTerminals(t, func(term *terminal) {
		workspace, bot := term.newChatbot("standard")
		term.ok("token", "create", bot)
		heads := term.file("heads.json", term.ok("audit", "heads", "--json"))
		lines := term.ok("audit", "list", "--jsonl")

		term.Run("what nobody touched verifies, by itself and against what was written down", func(t *testing.T) {
			term := term.in(t)
			entries := float64(strings.Count(lines, "\n"))
			for _, args := range [][]string{nil, {"--against=" + heads}, {"--against=" + term.file("lines.jsonl", lines)}} {
				verdict := term.record(append([]string{"audit", "verify"}, args...)...)
				if verdict["entries"] != entries || verdict["chains"] != 2.0 || args != nil && verdict["compared"] == 0.0 || len(verdict["problems"].([]any)) != 0 {
					t.Errorf("%v gives %v", args, verdict)
				}
			}
			if out := term.ok("audit", "verify", "--workspace="+workspace); !strings.Contains(out, "in 1 chain. None was changed") {
				t.Errorf("it says %s", out)
			}
		})
		term.Run("what says something else than the database is named, and the command fails", func(t *testing.T) {
			term := term.in(t)
			changed := term.file("changed.jsonl", strings.ReplaceAll(lines, `"action":"token.created"`, `"action":"token.revoked"`))
			out, _, code := term.run("", "audit", "verify", "--against="+changed)
			if code != 1 || !strings.Contains(out, workspace+": Entry ") || !strings.Contains(out, "says something else in the file than here") {
				t.Errorf("it ends with %d and says %s", code, out)
			}
			term.fails("1 chain has a problem", "audit", "verify", "--against="+changed)
		})
		term.Run("another database's heads are not of this one", func(t *testing.T) {
			term := term.in(t)
			term.fails("1 chain has a problem", "audit", "verify", "--against="+term.file("other.json", `[{"chain":"ws_other","seq":5,"hash":"abc","at":null}]`))
		})
		term.Run("a wrong name or file is said", func(t *testing.T) {
			term := term.in(t)
			term.fails("There is no chain", "audit", "verify", "--workspace=ws_nobody")
			term.fails("Cannot read the file", "audit", "verify", "--against=nowhere.json")
			term.fails("no entry and no head", "audit", "verify", "--against="+term.file("wrong.json", "{}"))
		})
		term.Run("CSV has a row for each entry", func(t *testing.T) {
			term := term.in(t)
			if out := term.ok("audit", "list", "--csv"); strings.Count(out, "\n") != strings.Count(lines, "\n")+1 || !strings.HasPrefix(out, "id,at,workspace_id,actor,") {
				t.Errorf("it is %s", out)
			}
		})
	})
}
