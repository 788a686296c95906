package factor

import (
	"context"

	"parley/core/account"
	"parley/core/outbox"
)

// news is a change to how a person signs in, of which they read in a mail.
type news struct{ subject, says string }

func newsOfAdded(what string) news {
	return news{"A second factor was added", "A second factor was added to your account: " + what}
}

func newsOfRemoved(what string) news {
	return news{"A second factor was removed", "A second factor was removed from your account: " + what}
}

func newsOfRecovery(left string) news {
	return news{"A recovery code was used", "Someone signed in to your account with one of your recovery codes. " + left}
}

func newsOfGuesses() news {
	return news{"Wrong codes for your account", "Someone entered your password and then several wrong codes. Further codes are refused for 15 minutes."}
}

func newsOfReset() news {
	return news{"Your second factor was removed", "The operator of this server removed all second factors of your account, and signed you out everywhere. Sign in with your password and set up a new one."}
}

// letter is a mail about a change, with what to do if it was somebody else.
func (n news) letter(mails *outbox.Writer) outbox.Letter {
	return outbox.Letter{
		Subject: n.subject,
		Says:    []string{n.says, "If it wasn't you, change your password and look at what is set up:"},
		Link:    outbox.Link{Text: "Look at your account", URL: mails.Link("/account/security")},
	}
}

// tell writes a mail about a change.
func (c *core) tell(ctx context.Context, user account.User, n news) error {
	return c.accounts.Throttle.Tell(ctx, c.mails, user, n.letter(c.mails))
}

// SampleLetters returns one of each letter of this package, for people who look at
// them.
func SampleLetters(mails *outbox.Writer) (letters []outbox.Letter) {
	for _, n := range []news{
		newsOfAdded("An authenticator app."), newsOfRemoved("The passkey “Phone & <b>Sons</b>”."), newsOfRecovery("9 are left."), newsOfGuesses(), newsOfReset(),
	} {
		letters = append(letters, n.letter(mails))
	}
	return letters
}
