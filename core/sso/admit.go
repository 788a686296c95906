package sso

import (
	"context"
	"slices"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/core/tenant"
)

// google's accounts can have any address. Only the hosted domain says that an
// organization manages one.
const google = "https://accounts.google.com"

// admission decides whose account somebody gets.
type admission struct {
	ports     Ports
	neighbors Neighbors
	options   Options
	now       func() time.Time
}

// admit returns the account of a person whom a provider has identified, and creates and
// links it if the rules say so. They are all here:
//
//   - A provider speaks only for addresses that it has verified, and a workspace's
//     provider only for addresses of the workspace's confirmed domain.
//   - A subject that is linked with an account signs in as that account and no other.
//   - A subject that is not linked yet is linked with the account of its address, if
//     somebody has confirmed that address here, and no other subject of the provider has
//     that account.
//   - Where there is no account, one is created: by the installation's provider as the
//     operator decided, by a workspace's for whoever may join the workspace.
func (s *admission) admit(ctx context.Context, d door, claims Claims) (account.User, error) {
	email, err := s.vouched(d, claims)
	if err != nil {
		return account.User{}, err
	}
	var user account.User
	err = s.ports.Tx.InTx(ctx, func(ctx context.Context) error {
		if d.connection.ID != "" { // no member, invitation or setting may change meanwhile
			if _, err := s.ports.Workspaces.LockWorkspace(ctx, d.connection.WorkspaceID); err != nil {
				return err
			}
		}
		if user, err = s.accountOf(ctx, d, claims, email); err != nil {
			return err
		}
		ctx = audit.AsPerson(ctx, user.ID, user.Email)
		return s.enter(ctx, d.connection, user)
	})
	if fault.Is(err, fault.Conflict) {
		return account.User{}, fault.Wrap(fault.Conflict, err, "Somebody signs in with this account right now. Try again.")
	}
	return user, err
}

// vouched returns the address that a provider speaks for.
func (s *admission) vouched(d door, claims Claims) (string, error) {
	host := hostOf(d.provider.Issuer)
	if claims.Subject == "" || claims.Issuer != d.provider.Issuer {
		return "", fault.New(fault.Forbidden, "%s did not say who you are. Ask who set up single sign-on.", host)
	}
	email, err := account.CheckEmail(claims.Email)
	if err != nil {
		return "", fault.Wrap(fault.Forbidden, err, "%s did not say your e-mail address. Ask who set up single sign-on to have it send the claim email.", host)
	}
	if !claims.EmailVerified {
		return "", fault.New(fault.Forbidden, "%s does not say that it has verified your e-mail address. Ask who manages your account there.", host)
	}
	domain := d.connection.Domain
	if d.connection.ID == "" {
		return email, nil
	}
	if domainOf(email) != domain {
		return "", fault.New(fault.Forbidden, "You are signed in at %s as %s. Only addresses at %s can sign in here. Sign out there, and choose another account.", host, email, domain)
	}
	if d.provider.Issuer == google && claims.HostedDomain != domain {
		return "", fault.New(fault.Forbidden, "This account at Google does not belong to the organization of %s. Choose another account.", domain)
	}
	return email, nil
}

// accountOf returns the account that a subject is linked with, or links one.
func (s *admission) accountOf(ctx context.Context, d door, claims Claims, email string) (account.User, error) {
	identity, err := s.ports.Identities.Identity(ctx, d.provider.Issuer, claims.Subject, d.connection.ID)
	if err == nil {
		return s.linked(ctx, d, identity)
	}
	if !fault.Is(err, fault.NotFound) {
		return account.User{}, err
	}
	user, err := s.ports.Users.UserByEmail(ctx, email)
	if fault.Is(err, fault.NotFound) {
		if user, err = s.newcomer(ctx, d.connection, email); err != nil {
			return account.User{}, err
		}
		return user, s.link(ctx, d, user, claims)
	}
	if err != nil {
		return account.User{}, err
	}
	if user.EmailConfirmedAt == nil {
		return account.User{}, fault.New(fault.Forbidden, "There is an account with the address %s, but nobody has confirmed yet that the address is theirs. Sign in with the account's password and confirm the address. After that, single sign-on works.", email)
	}
	others, err := s.ports.Identities.IdentitiesOf(ctx, user.ID)
	if err != nil {
		return account.User{}, err
	}
	if slices.ContainsFunc(others, func(other Identity) bool {
		return other.Issuer == d.provider.Issuer && other.ConnectionID == d.connection.ID
	}) {
		return account.User{}, fault.New(fault.Forbidden, "The account of %s is linked with another account at %s. Ask the operator of this server to unlink it.", email, hostOf(d.provider.Issuer))
	}
	return user, s.link(ctx, d, user, claims)
}

// linked returns the account of an identity. An address that has left the domain since
// takes the account out of the provider's reach.
func (s *admission) linked(ctx context.Context, d door, identity Identity) (account.User, error) {
	user, err := s.ports.Users.User(ctx, identity.UserID)
	if err != nil {
		return account.User{}, err
	}
	if d.connection.ID != "" && domainOf(user.Email) != d.connection.Domain {
		return account.User{}, fault.New(fault.Forbidden, "Your account here has an address outside %s now. Sign in with your password.", d.connection.Domain)
	}
	return user, s.ports.Identities.UseIdentity(ctx, identity, s.now())
}

// newcomer creates an account without a password.
func (s *admission) newcomer(ctx context.Context, connection Connection, email string) (account.User, error) {
	if connection.ID == "" && !s.maySignUp(email) {
		return account.User{}, fault.New(fault.Forbidden, "There is no account with the address %s, and accounts are by invitation here. Ask an admin of a workspace for one.", email)
	}
	user := s.neighbors.SignUps.Vouched(email)
	return user, s.neighbors.SignUps.Insert(audit.AsPerson(ctx, user.ID, user.Email), user)
}

func (s *admission) maySignUp(email string) bool {
	if len(s.options.Domains) > 0 {
		return slices.Contains(s.options.Domains, domainOf(email))
	}
	return s.options.SignUp
}

// enter makes a person a member of the connection's workspace, if they have an invitation or
// the workspace gives its domain's people a role. Otherwise the sign-in fails, and an account
// that was just created is not kept.
func (s *admission) enter(ctx context.Context, connection Connection, user account.User) error {
	if connection.ID == "" {
		return nil
	}
	members, err := s.ports.Members.Members(ctx, connection.WorkspaceID)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(members, func(m tenant.Member) bool { return m.UserID == user.ID }) {
		return nil
	}
	joined, err := s.neighbors.Invitations.Accept(ctx, connection.WorkspaceID, user)
	if err != nil || joined {
		return err
	}
	if connection.Role == "" {
		return fault.New(fault.Forbidden, "You are not a member of this workspace. Ask an admin to invite %s.", user.Email)
	}
	err = s.neighbors.Members.Add(ctx, connection.WorkspaceID, user, connection.Role)
	if fault.Is(err, fault.Forbidden) { // the plan's words are for those who can change it
		return fault.Wrap(fault.Forbidden, err, "This workspace has no room for more members. Ask an owner to make some.")
	}
	return err
}
