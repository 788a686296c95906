package isolation

import (
	"io"
	"maps"
	"strconv"
	"time"

	"parley/core/chatbot"
	"parley/internal/id"
)

// Person is a member of a throw-away workspace. The domain of the address does not exist
// (RFC 2606), and no password fits.
type Person struct{ ID, Email, SessionID string }

// SeedToken is an API token as it is stored.
type SeedToken struct {
	ID, Hash, Hint string
	Kind           chatbot.TokenKind
	Revoked        bool
}

// Origin is where publishable tokens of throw-away workspaces are used.
const Origin = "https://isolation.parley.invalid"

// ScopesOf are the scopes of a token: all that its kind can have.
func ScopesOf(kind chatbot.TokenKind) (scopes []string) {
	for _, scope := range chatbot.AllScopes() {
		if kind == chatbot.SecretToken || scope == chatbot.ScopeChat {
			scopes = append(scopes, string(scope))
		}
	}
	return scopes
}

// OriginsOf are the origins of a token.
func OriginsOf(kind chatbot.TokenKind) []string {
	if kind == chatbot.PublishableToken {
		return []string{Origin}
	}
	return nil
}

// Seed is what a workspace is planted from.
type Seed struct {
	Settings
	At time.Time
	// Owners are several, since a server takes only so many requests a minute of one person.
	Owners []Person
	Member Person
	Tokens []SeedToken
	// InvitationHash is of the code that an invitation's link has.
	InvitationHash string
	words          *words
	random         io.Reader
}

// Text returns a text for a place: a word to search for, and a secret.
func (s *Seed) Text(place string) string {
	c := s.words.add(place, id.NewTag(s.random))
	return c.Call + " " + c.Secret
}

// Word returns a secret alone, for a place that takes no spaces.
func (s *Seed) Word(place string) string { return s.words.add(place, "").Secret }

// Canaries are those that were made so far.
func (s *Seed) Canaries() []Canary { return s.words.made }

// NewID returns an identifier in the workspace.
func (s *Seed) NewID(prefix string) string { return id.NewThrowAway(s.random, prefix, s.words.tag) }

// Objects are the identifiers of the planted objects, by the names of route parameters.
type Objects struct {
	IDs map[string]string
	// Documents are the documents that answers use.
	Documents []string
	// What the database has numbered.
	Conversation, Tried, Message, Delivery int64
}

// Workspace is a throw-away workspace that was planted.
type Workspace struct {
	ID          string
	Objects     Objects
	Credentials []Credential
	Canaries    []Canary
	finder      *Finder
	// invitation is the code in the link of an invitation.
	invitation string
	// owners are the sessions of all owners, who call routes one after the other.
	owners  []Credential
	calling int
}

// ownersEach is how many owners a workspace has.
const ownersEach = 3

// nextOwner has the next owner call from now on.
func (w *Workspace) nextOwner() {
	w.calling++
	w.Credentials[0] = w.owners[w.calling%len(w.owners)]
}

// NewSeed makes up a workspace and its credentials.
func NewSeed(random io.Reader, settings Settings, at time.Time) (*Seed, *Workspace) {
	tag := id.NewTag(random)
	seed := &Seed{Settings: settings, At: at, words: &words{random: random, tag: tag}, random: random}
	w := &Workspace{ID: id.NewThrowAway(random, "ws", tag), invitation: id.Secret(random)}
	seed.InvitationHash = id.Hash(w.invitation)
	person := func(name string) (Person, Credential) {
		secret := id.Secret(random)
		return Person{ID: seed.NewID("usr"), Email: seed.Word("users.email") + "@parley.invalid", SessionID: id.Hash(secret)}, Credential{name, Session, secret}
	}
	for range ownersEach {
		owner, session := person("an owner's session")
		seed.Owners, w.owners = append(seed.Owners, owner), append(w.owners, session)
	}
	member, session := person("a member's session")
	seed.Member, w.Credentials = member, []Credential{w.owners[0], session}
	for _, t := range []struct {
		name    string
		kind    chatbot.TokenKind
		sent    Kind
		revoked bool
	}{{"an API token", chatbot.SecretToken, Bearer, false}, {"a publishable token", chatbot.PublishableToken, Publishable, false}, {"a revoked token", chatbot.SecretToken, Bearer, true}} {
		secret, hash, hint := settings.Mint(t.kind)
		seed.Tokens = append(seed.Tokens, SeedToken{ID: seed.NewID("tok"), Hash: hash, Hint: hint, Kind: t.kind, Revoked: t.revoked})
		w.Credentials = append(w.Credentials, Credential{t.name, t.sent, secret})
	}
	return seed, w
}

// planted completes a workspace with what the store has made of its seed.
func (w *Workspace) planted(seed *Seed, objects Objects, numbers Numbers) {
	conversation, tried := numbers.Conversation(objects.Conversation), numbers.Conversation(objects.Tried)
	message, delivery := numbers.Message(objects.Message), numbers.Delivery(objects.Delivery)
	text := func(n int64) string { return strconv.FormatInt(n, 10) }
	for name, number := range map[string]int64{
		"conversation": conversation, "conversation_id": conversation, "tried": tried, "message": message, "message_id": message, "delivery": delivery,
	} {
		objects.IDs[name] = text(number)
	}
	objects.IDs["response_id"] = "resp_" + text(conversation) + "_" + text(message)
	objects.IDs["workspace"] = w.ID
	w.Objects, w.Canaries = objects, seed.words.made
	w.finder = newFinder(seed.words.tag, []string{text(conversation), text(tried), text(message), text(delivery)})
}

// credential returns the first of a kind.
func (w *Workspace) credential(kind Kind) Credential {
	for _, c := range w.Credentials {
		if c.Kind == kind {
			return c
		}
	}
	return Credential{}
}

// calls are the words to search for in the workspace's documents.
func (w *Workspace) calls() (all []string) {
	for _, c := range w.Canaries {
		if c.Call != "" {
			all = append(all, c.Call)
		}
	}
	return all
}

// ids are the workspace's objects for a call that searches for words.
func (w *Workspace) ids(asked string) map[string]string {
	ids := maps.Clone(w.Objects.IDs)
	ids["asked"], ids["code"] = asked, w.invitation
	return ids
}
