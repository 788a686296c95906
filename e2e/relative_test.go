package e2e

import (
	"os"
	"strings"
	"testing"
)

func TestRelativeDataFolder(t *testing.T) {
	t.Run("a PDF is read where DATA_DIR is relative, as it is by default", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := os.Mkdir("data", 0o700); err != nil {
			t.Fatal(err)
		}
		shareCache(t, "data")
		term := &terminal{T: t, folder: "data"}
		_, bot := term.newChatbot("standard")
		locks := term.file("locks.pdf", pdfOf("A lock of the first class weighs two kilograms."))
		if shown := term.ok("knowledge", "add", bot, locks, "--wait"); !strings.Contains(shown, "ready") {
			t.Errorf("it prints %s", shown)
		}
		if answer := term.ok("ask", bot, "What does a lock of the first class weigh?"); !strings.Contains(answer, "two kilograms") {
			t.Errorf("the answer is %s", answer)
		}
	})
}
