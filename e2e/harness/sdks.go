package harness

import (
	"os/exec"
	"strings"
	"testing"
)

// SDKs is the folder of the libraries, which scripts/sdks.sh installs.
func SDKs(t *testing.T) string {
	t.Helper()
	path, err := exec.CommandContext(t.Context(), "../../scripts/sdks.sh", "path").CombinedOutput()
	if err != nil {
		t.Fatalf("%s", path)
	}
	return strings.TrimSpace(string(path))
}
