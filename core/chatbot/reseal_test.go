package chatbot_test

import (
	"bytes"
	"crypto/rand"
	"testing"
	"time"

	"parley/core/chatbot"
	"parley/core/fault"
	"parley/core/seal"
	"parley/store/bots"
)

var firstKey, secondKey = seal.ServerKey{1}, seal.ServerKey{2}

func sealerWith(keys ...seal.ServerKey) *seal.Sealer {
	return seal.NewSealer(rand.Reader, func() ([]seal.ServerKey, error) { return keys, nil })
}

// restart opens the services anew, as a server with other keys does.
func (r *rig) restart(keys ...seal.ServerKey) {
	clock := func() time.Time { return r.now }
	r.Services = chatbot.New(r.database(), r.index, r.tenants.Holdings, clock, rand.Reader, chatbot.Options{Sealer: sealerWith(keys...)})
}

func TestReseal(t *testing.T) {
	t.Run("after it the former server key is not needed, and the providers are as before", func(t *testing.T) {
		r := newRig(t)
		made := r.provider("a")
		keyless, err := r.Providers.Create(t.Context(), foreign, chatbot.ProviderSettings{Name: "b", Kind: chatbot.OpenAI})
		r.must(err)
		before, err := bots.NewProviders(r.db).Provider(t.Context(), home, made.ID)
		r.must(err)

		r.restart(secondKey, firstKey)
		if sealed, unreadable, err := r.Providers.ResealKeys(t.Context()); sealed != 1 || len(unreadable) != 0 || err != nil {
			t.Errorf("sealed %d, %v, %v", sealed, unreadable, err)
		}
		r.restart(secondKey)
		r.wantKey(made.ID, providerKey)
		after, err := bots.NewProviders(r.db).Provider(t.Context(), home, made.ID)
		if err != nil || after.Provider != before.Provider || bytes.Equal(after.SealedKey, before.SealedKey) {
			t.Errorf("it is %+v, %v", after.Provider, err)
		}
		if got, err := r.Providers.Get(t.Context(), foreign, keyless.ID); err != nil || got != keyless {
			t.Errorf("the one without a key is %+v, %v", got, err)
		}
	})

	t.Run("a key that cannot be read is named and left as it is", func(t *testing.T) {
		r := newRig(t)
		made := r.provider("a")
		r.restart(secondKey)
		if sealed, unreadable, err := r.Providers.ResealKeys(t.Context()); sealed != 0 || len(unreadable) != 1 || unreadable[0].ID != made.ID || err != nil {
			t.Errorf("sealed %d, %v, %v", sealed, unreadable, err)
		}
		_, err := r.Providers.Open(t.Context(), home, made.ID)
		r.wantFault(err, fault.Upstream, "", "the operator of this server has been told")
		r.restart(firstKey)
		r.wantKey(made.ID, providerKey)
	})
}

func TestWithoutServerKey(t *testing.T) {
	t.Run("no key is saved, but providers without one are", func(t *testing.T) {
		r := newRig(t)
		r.restart()
		settings := chatbot.ProviderSettings{Name: "a", Kind: chatbot.OpenAI, Key: providerKey}
		_, err := r.Providers.Create(t.Context(), home, settings)
		r.wantFault(err, fault.Unavailable, "key", "its operator has to set SECRET_KEY")
		settings.Key = ""
		made, err := r.Providers.Create(t.Context(), home, settings)
		r.must(err)
		r.wantKey(made.ID, "")
		settings.Key = providerKey
		_, err = r.Providers.Update(t.Context(), home, made.ID, settings)
		r.wantFault(err, fault.Unavailable, "key", "SECRET_KEY")
	})
}
