package tenant

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/core/audit"
	"parley/core/fault"
	"parley/internal/id"
)

const (
	// addressCodeLifetime is how long a link works that was mailed.
	addressCodeLifetime = 24 * time.Hour
	// mailsByRecipient bounds how many mails others can have sent to an address.
	mailsByRecipient = 5
)

// AddressCode is a link that was mailed to an address. Whoever follows it reads
// the address's mail.
type AddressCode struct {
	// Hash is the SHA-256, in hex, of the code in the link.
	Hash  string
	Email string
	// UserID is whose address it is to become, empty for a new account.
	UserID    string
	ExpiresAt time.Time
	CreatedAt time.Time
}

// AddressStore keeps links that were mailed to addresses, and mails to people
// that are about no workspace.
type AddressStore interface {
	CreateAddressCode(ctx context.Context, code AddressCode) error
	AddressCode(ctx context.Context, hash string) (AddressCode, error)
	DeleteAddressCode(ctx context.Context, hash string) error
	// DeleteAddressCodes removes those of a user.
	DeleteAddressCodes(ctx context.Context, userID string) error

	// AddAccountMail writes a mail, which has no workspace, due at its DueAt.
	AddAccountMail(ctx context.Context, mail Mail) error
	// ClaimAccountMail and SettleAccountMail are ClaimMail and SettleMail of
	// these mails. One that is not tried again loses its text, which may hold a
	// link that signs up.
	ClaimAccountMail(ctx context.Context, now, again time.Time) (Mail, error)
	SettleAccountMail(ctx context.Context, id int64, sentAt, dueAt *time.Time) error
}

// Mails reports whether people are told by mail, so that addresses can be
// checked by a link.
func (s *Service) Mails() bool { return s.options.Mails }

// ChecksSignUps reports whether a new account begins with a mail. The first one
// does not: whoever sets a server up gets in, even if its mails do not work yet.
func (s *Service) ChecksSignUps(ctx context.Context) (bool, error) {
	if !s.options.Mails {
		return false, nil
	}
	empty, err := s.Empty(ctx)
	return !empty, err
}

// RequestSignUp mails a link to an address, with which its owner creates an
// account. If there is one, the mail says so instead: whoever asks is answered
// alike, after the same work.
func (s *Service) RequestSignUp(ctx context.Context, email string, client Client) error {
	email, err := checkEmail(email)
	if err != nil {
		return err
	}
	if err := s.countMail(ctx, email, client); err != nil {
		return err
	}
	return s.mailCode(ctx, email, "", accountMails{
		unknown: s.signUpMail, known: s.hasAccountMail,
	})
}

// FinishSignUp is SignUp for who has followed the link with the code. The
// account's Email is not looked at.
func (s *Service) FinishSignUp(ctx context.Context, code string, account Account) (User, error) {
	if err := checkPassword(account.Password); err != nil {
		return User{}, err
	}
	name, err := checkName("workspace", account.Workspace)
	if err != nil {
		return User{}, err
	}
	checked, err := s.openAddressCode(ctx, code, account.Client)
	if err == nil && checked.UserID != "" {
		err = linkEnded()
	}
	if err != nil {
		return User{}, err
	}
	user, err := s.prepareUser(ctx, checked.Email, account.Password, account.Client)
	if err != nil {
		return User{}, err
	}
	ctx = audit.AsPerson(ctx, user.ID, user.Email)
	return user, s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.redeemAddressCode(ctx, checked); err != nil {
			return err
		}
		if err := s.insertUser(ctx, user); err != nil {
			return err
		}
		return s.insertWorkspace(ctx, s.prepareWorkspace(name), user)
	})
}

// requestEmail mails a link to an address that is to become the user's. Whether
// another account has it is told to its owner only.
func (s *Service) requestEmail(ctx context.Context, user User, email string) error {
	return s.mailCode(ctx, email, user.ID, accountMails{unknown: s.newAddressMail, known: s.addressTakenMail})
}

// ConfirmEmail gives the user who asked for it the address to which the code was
// mailed, and ends their sessions.
func (s *Service) ConfirmEmail(ctx context.Context, code string, client Client) (User, error) {
	checked, err := s.openAddressCode(ctx, code, client)
	if err == nil && checked.UserID == "" {
		err = linkEnded()
	}
	if err != nil {
		return User{}, err
	}
	user, err := s.store.User(ctx, checked.UserID)
	if err != nil {
		return User{}, err
	}
	return user, s.store.InTx(ctx, func(ctx context.Context) error {
		if err := s.redeemAddressCode(ctx, checked); err != nil {
			return err
		}
		return s.setEmail(ctx, user, checked.Email)
	})
}

// countMail counts a mail that somebody wants to have sent to an address.
func (s *Service) countMail(ctx context.Context, email string, client Client) error {
	limits := append(clientLimits("sign-up:", client.Address, signUpsByAddress), limit{"mail:" + email, mailsByRecipient})
	_, err := s.countAttempt(ctx, limits...)
	return err
}

// accountMails are what an address is told, by whether it has an account.
type accountMails struct{ unknown, known func(code string) notice }

// mailCode writes a code for an address, and a mail. It does the same whether
// the address has an account or not; a code of one that has is never mailed.
func (s *Service) mailCode(ctx context.Context, email, userID string, mails accountMails) error {
	code, now := newSecret(s.random), s.now()
	row := AddressCode{Hash: hashSecret(code), Email: email, UserID: userID, CreatedAt: now, ExpiresAt: now.Add(addressCodeLifetime)}
	return s.store.InTx(ctx, func(ctx context.Context) error {
		_, err := s.store.UserByEmail(ctx, email)
		known := err == nil
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		if err := s.store.CreateAddressCode(ctx, row); err != nil {
			return err
		}
		write := mails.unknown
		if known {
			write = mails.known
		}
		return s.tell(ctx, email, write(code))
	})
}

// tell writes a mail to a person, where there are mails.
func (s *Service) tell(ctx context.Context, email string, n notice) error {
	if !s.options.Mails {
		return nil
	}
	now := s.now()
	return s.store.AddAccountMail(ctx, Mail{
		Key: id.New(s.random, "mail"), To: email, Subject: n.subject,
		Body: strings.Join(append([]string{"Hello,"}, n.says...), "\n\n") + "\n", DueAt: &now, CreatedAt: now,
	})
}

func (s *Service) openAddressCode(ctx context.Context, code string, client Client) (AddressCode, error) {
	checked, err := s.store.AddressCode(ctx, hashSecret(code))
	if fault.Is(err, fault.NotFound) || err == nil && !s.now().Before(checked.ExpiresAt) {
		err = s.countedCode(ctx, code, client, linkEnded())
	}
	return checked, err
}

func (s *Service) redeemAddressCode(ctx context.Context, code AddressCode) error {
	err := s.store.DeleteAddressCode(ctx, code.Hash)
	if fault.Is(err, fault.NotFound) {
		return linkEnded()
	}
	return err
}

func linkEnded() error {
	return fault.InField("code", "This link is no longer valid. Start again to get a new one.")
}

func (s *Service) signUpMail(code string) notice {
	return notice{subject: "Create your account", says: []string{
		"Someone wants to create an account with this e-mail address. If it was you, continue here within a day:",
		s.options.BaseURL + "/sign-up/finish#" + code,
		"If it wasn't you, ignore this e-mail: no account will be created.",
	}}
}

func (s *Service) hasAccountMail(string) notice {
	return notice{subject: "You already have an account", says: []string{
		"Someone tried to create an account with this e-mail address, but it already has one. If it was you, sign in:",
		s.options.BaseURL + "/sign-in",
		"If it wasn't you, you don't need to do anything. Nothing has changed, and nobody was told that you have an account.",
	}}
}

func (s *Service) newAddressMail(code string) notice {
	return notice{subject: "Confirm your new e-mail address", says: []string{
		"Someone wants to use this e-mail address for their account. If it was you, confirm it here within a day:",
		s.options.BaseURL + "/account/email#" + code,
		"If it wasn't you, ignore this e-mail: the address will not be used.",
	}}
}

func (s *Service) addressTakenMail(string) notice {
	return notice{subject: "Someone tried to use your e-mail address", says: []string{
		"Someone tried to use this e-mail address for another account. It belongs to your account, so nothing has changed, and nobody was told that you have one.",
	}}
}

func (s *Service) movedMail(email string) notice {
	return notice{subject: "Your e-mail address was changed", says: []string{
		fmt.Sprintf("The e-mail address of your account is now %s. All other browsers have been signed out.", email),
		"If it wasn't you, tell the operator of this server at once: " + s.options.BaseURL,
	}}
}

func (s *Service) invitationMail(workspace Workspace, inviter, code string) notice {
	return notice{subject: "You are invited to " + short(workspace.Name), says: []string{
		fmt.Sprintf("%s invites you to the workspace %s. Join it here within a week:", inviter, workspace.Name),
		s.options.BaseURL + "/join#" + code,
		"If you didn't expect this, ignore this e-mail.",
	}}
}
