package factor_test

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/core/account/factor"
	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/fault"
	"parley/store/tenancytest"
)

func TestSignInWithApp(t *testing.T) {
	t.Parallel()
	t.Run("a password alone starts no session once an app is set up", func(t *testing.T) {
		d := newDesk(t)
		secret, _ := d.setUp()
		keys := d.signIn(stranger)
		if keys.Session != "" || keys.Device != "" || keys.Step == "" {
			t.Fatalf("got %+v", keys)
		}
		keys, err := d.enter(keys.Step, d.code(secret))
		d.must(err)
		if session := d.session(keys.Session); !session.SecondFactor || session.Method != signin.ByPassword {
			t.Errorf("the session is %+v", session)
		}
	})
	t.Run("an app that was not confirmed lets the password in alone", func(t *testing.T) {
		d := newDesk(t)
		d.must(d.Factors.Apps.Begin(t.Context(), d.user))
		if keys := d.signIn(stranger); keys.Session == "" {
			t.Errorf("got %+v", keys)
		}
	})
	t.Run("a code works once, and none that is older works after it", func(t *testing.T) {
		d := newDesk(t)
		secret, _ := d.setUp()
		older, code := d.code(secret), ""
		d.now = d.now.Add(30 * time.Second)
		code = d.code(secret)
		_, err := d.enter(d.signIn(stranger).Step, code)
		d.must(err)
		for _, used := range []string{code, older} {
			_, err = d.enter(d.signIn(stranger).Step, used)
			d.isA(err, fault.Invalid)
		}
	})
	t.Run("a clock may be half a minute off, and not two minutes", func(t *testing.T) {
		d := newDesk(t)
		secret, _ := d.setUp()
		d.now = d.now.Add(time.Hour)
		for off, works := range map[time.Duration]bool{-120 * time.Second: false, 120 * time.Second: false, 30 * time.Second: true} {
			d.now = d.now.Add(off)
			code := d.code(secret)
			d.now = d.now.Add(-off)
			if _, err := d.enter(d.signIn(stranger).Step, code); (err == nil) != works {
				t.Errorf("off by %v: %v", off, err)
			}
		}
	})
	t.Run("a step ends after five wrong codes, and the password has to be given again", func(t *testing.T) {
		d := newDesk(t)
		secret, _ := d.setUp()
		step := d.signIn(stranger).Step
		for range 4 {
			_, err := d.enter(step, "000000")
			d.isA(err, fault.Invalid)
		}
		_, err := d.enter(step, "000000")
		d.isA(err, fault.Unauthenticated)
		_, err = d.enter(step, d.code(secret))
		d.isA(err, fault.Unauthenticated)
	})
	t.Run("an account takes ten wrong codes from everywhere, and its owner is told", func(t *testing.T) {
		d := newDesk(t)
		secret, _ := d.setUp()
		d.mails()
		for i := range 10 {
			client := from("192.0.2." + string(rune('1'+i%9)))
			_, err := d.Factors.Proofs.EnterWithCode(t.Context(), d.signIn(client).Step, factor.Code{Text: "000000"}, client)
			d.isA(err, fault.Invalid)
		}
		_, err := d.enter(d.signIn(stranger).Step, d.code(secret))
		d.isA(err, fault.RateLimited)
		if got := d.mails(); !slices.Contains(got, "Wrong codes for your account") {
			t.Errorf("the mails are %q", got)
		}
		if failed, blocked := d.recorded(audit.SecondFactorFailed), d.recorded(audit.SignInBlocked); failed != 4 || blocked != 1 {
			t.Errorf("%d failures and %d blocks are recorded", failed, blocked)
		}
	})
	t.Run("strangers who guess do not lock out the browser that the owner trusts", func(t *testing.T) {
		d := newDesk(t)
		mine := stranger
		mine.Device = d.signIn(stranger).Device
		secret, _ := d.setUp()
		for range 12 {
			_, _ = d.enter(d.signIn(stranger).Step, "000000")
		}
		_, err := d.Factors.Proofs.EnterWithCode(t.Context(), d.signIn(mine).Step, factor.Code{Text: d.code(secret)}, mine)
		d.must(err)
	})
	t.Run("a step ends after ten minutes, and with a new password", func(t *testing.T) {
		d := newDesk(t)
		secret, _ := d.setUp()
		old := d.signIn(stranger).Step
		d.now = d.now.Add(10 * time.Minute)
		_, err := d.enter(old, d.code(secret))
		d.isA(err, fault.Unauthenticated)
		begun := d.signIn(stranger).Step
		d.must(d.Passwords.Reset(t.Context(), tenancytest.Email, "another horse battery"))
		_, err = d.enter(begun, d.code(secret))
		d.isA(err, fault.Unauthenticated)
	})
}

func TestOneCodeStartsOneSession(t *testing.T) {
	d := newDesk(t)
	secret, _ := d.setUp()
	code := d.code(secret)
	var steps []string
	for range 8 {
		steps = append(steps, d.signIn(stranger).Step)
	}
	var started atomic.Int32
	var all sync.WaitGroup
	for _, step := range steps {
		all.Go(func() {
			if keys, err := d.enter(step, code); err == nil && keys.Session != "" {
				started.Add(1)
			}
		})
	}
	all.Wait()
	if started.Load() != 1 {
		t.Errorf("one code started %d sessions", started.Load())
	}
}

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	enter := func(d *desk, code string) error {
		_, err := d.Factors.Proofs.EnterWithCode(d.Context(), d.signIn(stranger).Step, factor.Code{Text: code, Recovery: true}, stranger)
		return err
	}
	t.Run("each of ten works once, and its use is mailed and recorded", func(t *testing.T) {
		d := newDesk(t)
		_, codes := d.setUp()
		if len(codes) != 10 {
			t.Fatalf("there are %d", len(codes))
		}
		for _, code := range codes {
			if bits := 5 * len(strings.ReplaceAll(code, "-", "")); bits < 112 { // of an alphabet of 32 letters
				t.Errorf("%s has %d bits", code, bits)
			}
		}
		d.mails()
		d.must(enter(d, codes[3]))
		d.isA(enter(d, codes[3]), fault.Invalid)
		if got := d.mails(); !slices.Contains(got, "A recovery code was used") || d.recorded(audit.RecoveryCodeUsed) != 1 {
			t.Errorf("the mails are %q", got)
		}
		set, err := d.Factors.Of(t.Context(), d.user.ID)
		if err != nil || set.RecoveryCodes != 9 {
			t.Errorf("%d are left, %v", set.RecoveryCodes, err)
		}
	})
	t.Run("new ones end the former", func(t *testing.T) {
		d := newDesk(t)
		_, former := d.setUp()
		codes, err := d.Factors.Recovery.Renew(t.Context(), d.user)
		d.must(err)
		d.isA(enter(d, former[0]), fault.Invalid)
		d.must(enter(d, codes[0]))
	})
	t.Run("case, spaces and dashes do not matter", func(t *testing.T) {
		d := newDesk(t)
		_, codes := d.setUp()
		d.must(enter(d, " "+codes[0][:4]+" "+codes[0][5:]))
	})
	t.Run("who has no second factor gets none", func(t *testing.T) {
		d := newDesk(t)
		_, err := d.Factors.Recovery.Renew(t.Context(), d.user)
		d.isA(err, fault.Conflict)
	})
}
