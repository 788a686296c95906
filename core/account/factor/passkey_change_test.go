package factor_test

import (
	"slices"
	"strings"
	"testing"

	"parley/core/account/factor"
	"parley/core/audit"
	"parley/core/fault"
	"parley/store/people"
)

// hasPasskeys gives the user passkeys by name.
func (d *desk) hasPasskeys(names ...string) {
	d.Helper()
	for _, name := range names {
		d.must(people.NewPasskeys(d.store).AddPasskey(d.Context(), factor.Passkey{
			ID: "pk_" + name, UserID: d.user.ID, CredentialID: "id-of-" + name, Credential: "{}", Name: name, CreatedAt: d.now,
		}))
	}
}

// names returns the names of the user's passkeys.
func (d *desk) names() (all []string) {
	d.Helper()
	set, err := d.Factors.Of(d.Context(), d.user.ID)
	d.must(err)
	for _, key := range set.Passkeys {
		all = append(all, key.Name)
	}
	return all
}

func TestChangesOfPasskeys(t *testing.T) {
	t.Parallel()
	t.Run("one gets another name, which is recorded with both", func(t *testing.T) {
		d := newDesk(t)
		d.hasPasskeys("Phone", "Laptop")
		d.must(d.Factors.Passkeys.Rename(t.Context(), d.user, "pk_Phone", " My  phone "))
		if got := d.names(); !slices.Equal(got, []string{"Laptop", "My phone"}) && !slices.Equal(got, []string{"My phone", "Laptop"}) {
			t.Errorf("they are called %q", got)
		}
		d.must(d.Factors.Passkeys.Rename(t.Context(), d.user, "pk_Phone", "My phone")) // nothing changes
		if n := d.recorded(audit.PasskeyRenamed); n != 1 {
			t.Errorf("%d entries", n)
		}
	})
	t.Run("a name that is empty, too long or no text is refused beside its input", func(t *testing.T) {
		d := newDesk(t)
		d.hasPasskeys("Phone")
		for _, name := range []string{" ", strings.Repeat("x", 61), "a\x00b"} {
			if err := d.Factors.Passkeys.Rename(t.Context(), d.user, "pk_Phone", name); !fault.Is(err, fault.Invalid) || fault.As(err).Field != "name" {
				t.Errorf("%q gives %v", name, err)
			}
		}
		if got := d.names(); !slices.Equal(got, []string{"Phone"}) {
			t.Errorf("it is called %q", got)
		}
	})
	t.Run("one of two is removed, which is mailed, and the second factor stays", func(t *testing.T) {
		d := newDesk(t)
		d.hasPasskeys("Phone", "Laptop")
		d.must(d.Factors.Passkeys.Remove(t.Context(), d.user, "pk_Phone"))
		if keys := d.signIn(stranger); keys.Session != "" {
			t.Error("the password alone signs in")
		}
		if got := d.mails(); !slices.Contains(got, "A second factor was removed") || d.recorded(audit.SecondFactorRemoved) != 1 {
			t.Errorf("the mails are %q", got)
		}
		d.must(d.Factors.Passkeys.Remove(t.Context(), d.user, "pk_Laptop"))
		if keys := d.signIn(stranger); keys.Session == "" || len(d.names()) != 0 {
			t.Error("after the last one a second factor is asked for")
		}
	})
	t.Run("nobody changes those of others, nor one that does not exist", func(t *testing.T) {
		d := newDesk(t)
		d.hasPasskeys("Phone")
		other := d.user
		other.ID = "usr_other"
		d.isA(d.Factors.Passkeys.Rename(t.Context(), other, "pk_Phone", "Mine"), fault.NotFound)
		d.isA(d.Factors.Passkeys.Remove(t.Context(), other, "pk_Phone"), fault.NotFound)
		d.isA(d.Factors.Passkeys.Remove(t.Context(), d.user, "pk_Unknown"), fault.NotFound)
		if got := d.names(); !slices.Equal(got, []string{"Phone"}) {
			t.Errorf("they are %q", got)
		}
	})
}
