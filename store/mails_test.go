package store_test

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"parley/core/fault"
	"parley/core/outbox"
)

func TestMails(t *testing.T) {
	onBothDatabases(t, func(b *bundle) {
		a := b.fill("a") // with a mail that is due at an hour after epoch
		ctx := b.Context()
		at := func(minutes int) time.Time { return epoch.Add(time.Duration(minutes) * time.Minute) }
		b.must(b.SettleMail(ctx, a.id, a.mail, nil, nil))
		add := func(key string, due time.Time) {
			b.must(b.AddMail(ctx, a.id, outbox.Mail{Key: key, To: "to@example.com", Subject: "Subject", Body: key, HTML: "<p>" + key, DueAt: &due, CreatedAt: epoch}))
		}
		claim := func(now, again time.Time) (outbox.Mail, error) { return b.ClaimMail(ctx, everywhere, now, again) }
		none := func(now time.Time) {
			b.Helper()
			_, err := claim(now, now.Add(time.Hour))
			b.wantKind(err, fault.NotFound)
		}

		b.Run("there is one mail for a key, the first one written", func(t *testing.T) {
			add("key", at(5))
			add("key", at(0))
			none(at(5).Add(-time.Microsecond))
			got, err := claim(at(5), at(10))
			b.must(err)
			again := at(10)
			want := outbox.Mail{
				ID: got.ID, WorkspaceID: a.id, Key: "key", To: "to@example.com", Subject: "Subject", Body: "key", HTML: "<p>key",
				DueAt: &again, Attempts: 1, CreatedAt: epoch,
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
		})
		b.Run("a claimed mail is not claimed again until its time comes", func(t *testing.T) {
			none(at(10).Add(-time.Microsecond))
			got, err := claim(at(10), at(20))
			if err != nil || got.Key != "key" || got.Attempts != 2 {
				t.Errorf("got %+v, %v", got, err)
			}
			next := at(30)
			b.must(b.SettleMail(ctx, a.id, got.ID, nil, &next))
			none(at(29))
			got, err = claim(at(30), at(40))
			if err != nil || got.Attempts != 3 {
				t.Errorf("got %+v, %v", got, err)
			}
			sent := at(31)
			b.must(b.SettleMail(ctx, a.id, got.ID, &sent, nil))
			none(at(1000))
		})
		b.Run("those that wait for longest come first", func(t *testing.T) {
			add("second", at(51))
			add("first", at(50))
			for _, want := range []string{"first", "second"} {
				got, err := claim(at(60), at(70))
				if err != nil || got.Key != want {
					t.Errorf("got %+v, %v, want %s", got, err, want)
				}
				b.must(b.SettleMail(ctx, a.id, got.ID, nil, nil))
			}
		})
		b.Run("many that claim at once take one mail each", func(t *testing.T) {
			for i := range 20 {
				add(fmt.Sprint("many ", i), at(100))
			}
			var all sync.WaitGroup
			claimed := make(chan outbox.Mail, 20)
			for range 20 {
				all.Go(func() {
					got, err := claim(at(100), at(200))
					if err != nil {
						t.Error(err)
					}
					claimed <- got
				})
			}
			all.Wait()
			close(claimed)
			seen := map[int64]bool{}
			for got := range claimed {
				seen[got.ID] = true
			}
			if len(seen) != 20 {
				t.Errorf("%d mails were claimed", len(seen))
			}
		})
		b.Run("mails that were settled before a time are deleted, due ones are not", func(t *testing.T) {
			for _, c := range []struct {
				before time.Time
				want   int
			}{
				{epoch, 20 + 1 + 3}, // one was sent, three were given up
				{at(1), 20 + 1},     // what was given up counts from when it was written
				{at(31), 20 + 1},
				{at(32), 20},
				{at(10_000), 20},
			} {
				b.must(b.DeleteMails(ctx, everywhere, c.before))
				if n := b.count("SELECT count(*) FROM mails"); n != c.want {
					t.Errorf("from before %v %d are left, want %d", c.before, n, c.want)
				}
			}
		})
		b.Run("a mail that has gone is not found", func(t *testing.T) {
			b.wantKind(b.SettleMail(ctx, a.id, a.mail, nil, nil), fault.NotFound)
		})
	})
}
