package api

import (
	"os"
	"strings"
	"testing"

	"parley/e2e/harness"
)

func TestRelativeDataFolder(t *testing.T) {
	t.Run("a PDF is read where DATA_DIR is relative, as it is by default", func(t *testing.T) {
		t.Chdir(t.TempDir())
		if err := os.Mkdir("data", 0o700); err != nil {
			t.Fatal(err)
		}
		harness.ShareCache(t, "data")
		term := &harness.Terminal{T: t, Folder: "data"}
		_, bot := term.NewChatbot("standard")
		locks := term.File("locks.pdf", harness.PDFOf("A lock of the first class weighs two kilograms."))
		if shown := term.OK("knowledge", "add", bot, locks, "--wait"); !strings.Contains(shown, "ready") {
			t.Errorf("it prints %s", shown)
		}
		if answer := term.OK("ask", bot, "What does a lock of the first class weigh?"); !strings.Contains(answer, "two kilograms") {
			t.Errorf("the answer is %s", answer)
		}
	})
}
