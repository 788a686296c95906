package harness

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley/core/plan"
)

// CanaryHolder is a workspace with its canary in every text, a word that nobody
// else may ever read.
type CanaryHolder struct {
	Tenant
	Canary, Foreign string
	Owner           Header
}

// Topics are what a holder of a canary has a document about each.
var Topics = []string{
	"deliveries", "refunds", "holidays", "warranty", "parking", "insurance", "allergies", "invoices", "gift cards", "repairs",
}

// NewCanaryHolder makes a workspace with a canary, and another's that is foreign to it.
func (w *Instance) NewCanaryHolder(canary, foreign string) CanaryHolder {
	w.Helper()
	var documents []string
	for _, topic := range Topics {
		documents = append(documents, fmt.Sprintf("# Rules for %s of %s\n\nThe rule for %s is: ask %s at the counter first.\n", topic, canary, topic, canary))
	}
	h := CanaryHolder{Canary: canary, Foreign: foreign, Tenant: w.NewTenant(canary, plan.Enterprise, documents...)}
	user, err := w.Server.Program.Tenants.Users.ByEmail(w.Context(), h.Email)
	w.Must(err)
	h.Owner = w.Session(user.ID)
	return h
}

// ProviderCanary is a provider's key that nobody may see again.
const ProviderCanary = "sk-canary-0123456789abcdef"

// NotInFiles looks for secrets in all that the server keeps on this machine.
func (w *Instance) NotInFiles(secrets ...string) {
	w.Helper()
	w.Must(filepath.WalkDir(w.Server.Config.DataDir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		for _, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				w.Errorf("%s has %q", path, secret)
			}
		}
		return err
	}))
}

// NotLogged fails the test when the log has a text.
func (w *Instance) NotLogged(secrets ...string) {
	w.Helper()
	log := w.ServerLog.String()
	if !strings.Contains(log, "msg=request") {
		w.Fatal("the log has no requests")
	}
	for _, secret := range secrets {
		if secret == "" || strings.Contains(log, secret) {
			w.Errorf("the log has %q", secret)
		}
	}
}
