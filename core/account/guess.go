package account

import "context"

// Guess is a counted attempt at what only its owner knows.
type Guess struct{ attempt }

// Last says that the next one would be blocked.
func (g Guess) Last() bool { return g.last }

// Forgive takes back a guess that was right.
func (g Guess) Forgive(ctx context.Context) error { return g.forgive(ctx) }

// CountCodeGuess counts a guess at a user's second factor. Whoever guesses knows the
// password, or holds a browser of theirs, and a code has six digits: so all others
// together have as many guesses as one client has at a password, and the browsers that
// the user trusts have as many each.
func (t *Throttle) CountCodeGuess(ctx context.Context, user User, client Client) (Guess, error) {
	account := "code:" + user.ID
	trusted, err := t.isTrusted(ctx, user.Email, client.Device)
	if err != nil {
		return Guess{}, err
	}
	limits := []limit{{account, attemptsByPair}}
	if trusted {
		limits = []limit{{account + "|" + client.Device, attemptsByDevice}}
	}
	counted, err := t.countAttempt(ctx, limits...)
	return Guess{counted}, err
}

// CountChallenge counts a challenge that a stranger asks for.
func (t *Throttle) CountChallenge(ctx context.Context, client Client) error {
	_, err := t.countAttempt(ctx, clientLimits("challenge:", client.Address, attemptsByAddress)...)
	return err
}
