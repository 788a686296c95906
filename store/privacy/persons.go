package privacy

import (
	"context"

	"parley/core/chat"
	"parley/core/privacy"
	"parley/core/system"
	"parley/ent/generated/accountmail"
	"parley/ent/generated/addresscode"
	"parley/ent/generated/authenticator"
	"parley/ent/generated/conversation"
	"parley/ent/generated/feedback"
	"parley/ent/generated/identity"
	"parley/ent/generated/invitation"
	"parley/ent/generated/mail"
	"parley/ent/generated/member"
	"parley/ent/generated/passkey"
	"parley/ent/generated/recoverycode"
	"parley/ent/generated/session"
	"parley/ent/generated/signinstep"
	"parley/ent/generated/user"
	"parley/ent/scope"
	"parley/store"
	"parley/store/outbound"
)

// Persons erases the people who sign in.
type Persons struct{ store *store.Store }

// NewPersons returns the people of a database.
func NewPersons(db *store.Store) *Persons { return &Persons{db} }

var _ privacy.PersonStore = (*Persons)(nil)

// somebody is who made what stays when the account of its maker is erased.
const somebody = "deleted account"

// What others use stays, without the name of who made it.
const (
	unnameTokens    = `UPDATE tokens SET created_by = $2 WHERE created_by = $1`
	unnameEndpoints = `UPDATE webhook_endpoints SET created_by = $2 WHERE created_by = $1`
	unnameTests     = `UPDATE test_questions SET created_by = $2 WHERE created_by = $1`
	unnameRuns      = `UPDATE test_runs SET started_by = $2 WHERE started_by = $1`
	unnameInviter   = `UPDATE invitations SET invited_by = '' WHERE invited_by = $1`
	countNames      = `SELECT (SELECT COUNT(*) FROM tokens WHERE created_by = $1) + (SELECT COUNT(*) FROM webhook_endpoints WHERE created_by = $1)
		+ (SELECT COUNT(*) FROM test_questions WHERE created_by = $1) + (SELECT COUNT(*) FROM test_runs WHERE started_by = $1)
		+ (SELECT COUNT(*) FROM invitations WHERE invited_by = $2)`
	countDevices = `SELECT COUNT(*) FROM devices WHERE user_id = $1`
)

// CountPerson counts what is stored of a person.
func (s *Persons) CountPerson(ctx context.Context, access system.Access, userID, email string) (privacy.Counts, error) {
	ctx = scope.System(store.Background(ctx), access)
	db, counts := s.store.Client(ctx), privacy.Counts{}
	for kind, count := range map[string]func(context.Context) (int, error){
		"users":            db.User.Query().Where(user.ID(userID)).Count,
		"sessions":         db.Session.Query().Where(session.UserID(userID)).Count,
		"authenticators":   db.Authenticator.Query().Where(authenticator.UserID(userID)).Count,
		"recovery_codes":   db.RecoveryCode.Query().Where(recoverycode.UserID(userID)).Count,
		"passkeys":         db.Passkey.Query().Where(passkey.UserID(userID)).Count,
		"identities":       db.Identity.Query().Where(identity.UserID(userID)).Count,
		"members":          db.Member.Query().Where(member.UserID(userID)).Count,
		"address_codes":    db.AddressCode.Query().Where(addresscode.Or(addresscode.UserID(userID), addresscode.Email(email))).Count,
		"sign_in_steps":    db.SignInStep.Query().Where(signinstep.UserID(userID)).Count,
		"account_mails":    db.AccountMail.Query().Where(accountmail.Recipient(email), outbound.NotOnce).Count,
		"mails":            db.Mail.Query().Where(mail.Recipient(email)).Count,
		"invitations":      db.Invitation.Query().Where(invitation.Email(email)).Count,
		"own_trials":       db.Conversation.Query().Where(conversation.Origin(string(chat.Playground)), conversation.BegunBy(userID)).Count,
		"feedback_by_name": db.Feedback.Query().Where(feedback.GivenBy(userID)).Count,
	} {
		n, err := count(ctx)
		if err != nil {
			return nil, store.MapError(err)
		}
		counts[kind] = int64(n)
	}
	var named, devices int64
	if err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&devices}, countDevices, userID); err != nil {
		return nil, store.MapError(err)
	}
	counts["devices"] = devices
	err := store.ScanOne(ctx, s.store.Raw(ctx), []any{&named}, countNames, email, userID)
	counts["made_by_name"] = named
	return counts, store.MapError(err)
}

// ErasePerson deletes what is stored of a person. What others use stays, without the name.
func (s *Persons) ErasePerson(ctx context.Context, access system.Access, userID, email string) error {
	return s.store.InTx(scope.System(store.Background(ctx), access), func(ctx context.Context) error {
		db := s.store.Client(ctx)
		tried, err := db.Conversation.Query().Where(conversation.Origin(string(chat.Playground)), conversation.BegunBy(userID)).IDs(ctx)
		if err != nil {
			return store.MapError(err)
		}
		err = store.InBatches(tried, store.BatchRows, func(batch []int64) error { return deleteTaken(ctx, db, batch) })
		if err != nil {
			return store.MapError(err)
		}
		if err := db.Feedback.Update().Where(feedback.GivenBy(userID)).SetGivenBy("").Exec(ctx); err != nil {
			return store.MapError(err)
		}
		for _, erase := range []func(context.Context) (int, error){
			db.AddressCode.Delete().Where(addresscode.Or(addresscode.UserID(userID), addresscode.Email(email))).Exec,
			db.SignInStep.Delete().Where(signinstep.UserID(userID)).Exec,
			db.AccountMail.Delete().Where(accountmail.Recipient(email)).Exec,
			db.Mail.Delete().Where(mail.Recipient(email)).Exec,
			db.Invitation.Delete().Where(invitation.Email(email)).Exec,
			db.User.Delete().Where(user.ID(userID)).Exec,
		} {
			if _, err := erase(ctx); err != nil {
				return store.MapError(err)
			}
		}
		for _, statement := range []string{unnameTokens, unnameEndpoints, unnameTests, unnameRuns} {
			if _, err := s.store.Raw(ctx).ExecContext(ctx, statement, email, somebody); err != nil {
				return store.MapError(err)
			}
		}
		_, err = s.store.Raw(ctx).ExecContext(ctx, unnameInviter, userID)
		return store.MapError(err)
	})
}
