package turns

import (
	"testing"

	"parley/e2e/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
