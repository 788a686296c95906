package factor

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"parley/core/account"
	"parley/core/account/signin"
	"parley/core/audit"
	"parley/core/fault"
	"parley/internal/id"
	"parley/internal/plain"
)

const (
	// maxPasskeys bounds how many passkeys a user has, and maxPasskeyName their names,
	// in characters.
	maxPasskeys    = 20
	maxPasskeyName = 60
	// PasskeyWait is how long a challenge waits for its answer.
	PasskeyWait = 5 * time.Minute
)

// The steps of passkeys: one is made, one signs in, and one shows again who is there.
const (
	makeStep  signin.Kind = "passkey-make"
	enterStep signin.Kind = "passkey-enter"
	proveStep signin.Kind = "passkey-prove"
)

// Passkey is a credential of WebAuthn with which a user signs in.
type Passkey struct {
	ID     string
	UserID string
	// CredentialID is base64url, and Credential what package passkey keeps of it.
	CredentialID, Credential string
	Name                     string
	LastUsedAt               *time.Time
	CreatedAt                time.Time
}

// PasskeyStore stores passkeys.
type PasskeyStore interface {
	// AddPasskey is a Conflict if any user has the credential.
	AddPasskey(ctx context.Context, passkey Passkey) error
	// Passkeys returns a user's passkeys, oldest first.
	Passkeys(ctx context.Context, userID string) ([]Passkey, error)
	// UsePasskey records a use, and what the credential is after it.
	UsePasskey(ctx context.Context, userID, id, credential string, at time.Time) error
	RenamePasskey(ctx context.Context, userID, id, name string) error
	DeletePasskey(ctx context.Context, userID, id string) error
}

// Party is the site that passkeys are made for.
type Party struct {
	// ID is a domain, and Origin the address that browsers name.
	ID, Origin string
}

// WebAuthn speaks with browsers about passkeys. Options, answers and memories are JSON:
// a browser gets options, and the memory of them has to wait for its answer. An answer
// that does not prove what was asked is Invalid.
type WebAuthn interface {
	// Create asks for a new passkey, on a device that has none of the known ones.
	Create(party Party, user account.User, known []Passkey) (options, memory string, err error)
	Created(party Party, user account.User, memory, answer string) (credentialID, credential string, err error)
	// Ask asks for one of a user's passkeys, or for anybody's if the user is unknown.
	Ask(party Party, user *account.User, known []Passkey) (options, memory string, err error)
	// Answered returns the passkey that answered, with the credential as it is now. Find
	// returns a user with their passkeys.
	Answered(party Party, memory, answer string, find func(userID string) (account.User, []Passkey, error)) (Passkey, error)
}

// Passkeys sets up passkeys.
type Passkeys struct {
	*core
	webAuthn WebAuthn
	recovery *Recovery
}

// Begin returns what a browser makes a passkey from, and the secret of the step that
// waits for it.
func (p *Passkeys) Begin(ctx context.Context, party Party, user account.User) (options, secret string, err error) {
	known, err := p.db.Passkeys.Passkeys(ctx, user.ID)
	if err != nil {
		return "", "", err
	}
	if len(known) >= maxPasskeys {
		return "", "", fault.New(fault.Conflict, "You have %d passkeys, the most that one person can. Remove one first.", len(known))
	}
	options, memory, err := p.webAuthn.Create(party, user, known)
	if err != nil {
		return "", "", err
	}
	secret, err = p.steps.Begin(ctx, makeStep, user.ID, memory, PasskeyWait)
	return options, secret, err
}

// Add stores the passkey that a browser has made, in a session, which has then shown
// a second factor. It returns recovery codes if the user had none.
func (p *Passkeys) Add(ctx context.Context, party Party, user account.User, session account.Session, secret, answer, name string) (codes []string, err error) {
	name, err = checkPasskeyName(name)
	if err != nil {
		return nil, err
	}
	step, err := p.open(ctx, makeStep, secret, user.ID)
	if err != nil {
		return nil, err
	}
	credentialID, credential, err := p.webAuthn.Created(party, user, step.Data, answer)
	if err != nil {
		return nil, err
	}
	made := Passkey{ID: id.New(p.random, "pk"), UserID: user.ID, CredentialID: credentialID, Credential: credential, Name: name, CreatedAt: p.now()}
	return codes, p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		if err := p.steps.Take(ctx, step); err != nil {
			return err
		}
		err := p.db.Passkeys.AddPasskey(ctx, made)
		if fault.Is(err, fault.Conflict) {
			return fault.New(fault.Conflict, "This passkey is set up already.")
		}
		if err != nil {
			return err
		}
		codes, err = p.recovery.added(ctx, user, session, "The passkey “"+made.Name+"”.")
		return err
	})
}

// open returns a step of a signed-in user, and nobody else's.
func (p *Passkeys) open(ctx context.Context, kind signin.Kind, secret, userID string) (signin.Step, error) {
	step, err := p.steps.Open(ctx, kind, secret)
	if fault.Is(err, fault.Unauthenticated) || err == nil && step.UserID != userID {
		return signin.Step{}, fault.New(fault.Conflict, "That took too long. Try again.")
	}
	return step, err
}

// Rename gives a passkey another name.
func (p *Passkeys) Rename(ctx context.Context, user account.User, passkeyID, name string) error {
	return p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		found, err := p.find(ctx, user.ID, passkeyID)
		if err != nil {
			return err
		}
		if name, err = checkPasskeyName(name); err != nil || found.Name == name {
			return err
		}
		if err := p.db.Passkeys.RenamePasskey(ctx, user.ID, passkeyID, name); err != nil {
			return err
		}
		return audit.Record(ctx, p.db.Audit, "", p.now(), audit.Entry{
			Action: audit.PasskeyRenamed, Object: object(user), Changes: []audit.Change{{Field: "name", Old: found.Name, New: name}},
		})
	})
}

// Remove ends a passkey of a user.
func (p *Passkeys) Remove(ctx context.Context, user account.User, passkeyID string) error {
	return p.db.Tx.InTx(ctx, func(ctx context.Context) error {
		found, err := p.find(ctx, user.ID, passkeyID)
		if err != nil {
			return err
		}
		if err := p.db.Passkeys.DeletePasskey(ctx, user.ID, passkeyID); err != nil {
			return err
		}
		return p.removed(ctx, user, "The passkey “"+found.Name+"”.")
	})
}

func (p *Passkeys) find(ctx context.Context, userID, passkeyID string) (Passkey, error) {
	all, err := p.db.Passkeys.Passkeys(ctx, userID)
	if err != nil {
		return Passkey{}, err
	}
	at := slices.IndexFunc(all, func(k Passkey) bool { return k.ID == passkeyID })
	if at < 0 {
		return Passkey{}, fault.New(fault.NotFound, "Passkey not found.")
	}
	return all[at], nil
}

// answered returns the passkey that a browser answers with, and whose it is.
func (p *Passkeys) answered(ctx context.Context, party Party, memory, answer string) (owner account.User, used Passkey, err error) {
	used, err = p.webAuthn.Answered(party, memory, answer, func(userID string) (account.User, []Passkey, error) {
		if owner, err = p.db.Users.User(ctx, userID); err != nil {
			return account.User{}, nil, err
		}
		known, err := p.db.Passkeys.Passkeys(ctx, userID)
		return owner, known, err
	})
	return owner, used, err
}

// use records the use of a passkey, in the transaction of ctx.
func (p *Passkeys) use(ctx context.Context, used Passkey) error {
	return p.db.Passkeys.UsePasskey(ctx, used.UserID, used.ID, used.Credential, p.now())
}

func checkPasskeyName(name string) (string, error) {
	if !plain.Storable(name) {
		return "", fault.InField("name", "The name has characters that cannot be stored. Use plain text.")
	}
	name = plain.Title(name)
	switch {
	case name == "":
		return "", fault.InField("name", "Give the passkey a name.")
	case utf8.RuneCountInString(name) > maxPasskeyName:
		return "", fault.InField("name", "The name is longer than %d characters. Shorten it.", maxPasskeyName)
	}
	return name, nil
}
