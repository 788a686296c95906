package signin_test

import (
	"testing"

	"parley/core/account/signin"
)

func TestUnfinished(t *testing.T) {
	t.Run("what was shown before the second factor is kept, the identity provider too", func(t *testing.T) {
		u := signin.UnfinishedOf(signin.Step{Data: signin.Unfinished{Method: signin.BySSO, SSOWorkspaceID: "ws_a"}.Data()})
		if want := (signin.Proof{Method: signin.BySSO, SSOWorkspaceID: "ws_a", SecondFactor: true}); u.Proof() != want {
			t.Errorf("it becomes %+v, want %+v", u.Proof(), want)
		}
	})
	t.Run("a step of an earlier release has the method alone", func(t *testing.T) {
		if u := signin.UnfinishedOf(signin.Step{Data: "password"}); u.Method != signin.ByPassword {
			t.Errorf("it is %+v", u)
		}
	})
}
