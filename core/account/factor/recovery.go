package factor

import (
	"context"
	"encoding/base32"
	"fmt"
	"strings"
	"time"

	"parley/core/account"
	"parley/core/audit"
	"parley/core/fault"
	"parley/internal/id"
)

const (
	// recoveryCodes are how many a person gets.
	recoveryCodes = 10
	// recoveryLen is the length of one in random bytes: 120 bits, which nobody guesses
	// from their hash (OWASP ASVS 5.0, 6.5.2 asks for 112), in six groups of four letters.
	recoveryLen = 15
)

// letters leave out what people mix up when they copy by hand.
var letters = base32.NewEncoding("abcdefghijkmnpqrstuvwxyz23456789").WithPadding(base32.NoPadding)

// RecoveryStore stores the hashes of recovery codes.
type RecoveryStore interface {
	// ReplaceRecoveryCodes stores hashes in place of all that a user has.
	ReplaceRecoveryCodes(ctx context.Context, userID string, hashes []string, at time.Time) error
	// UseRecoveryCode is NotFound if there is none that is unused.
	UseRecoveryCode(ctx context.Context, userID, hash string, at time.Time) error
	// CountRecoveryCodes counts those that are unused.
	CountRecoveryCodes(ctx context.Context, userID string) (int, error)
	DeleteRecoveryCodes(ctx context.Context, userID string) error
}

// Recovery makes codes for whoever loses their second factor.
type Recovery struct{ *core }

// Renew returns new codes, which are shown once, and ends the former ones. It is a
// Conflict for a user without a second factor.
func (r *Recovery) Renew(ctx context.Context, user account.User) (codes []string, err error) {
	return codes, r.db.Tx.InTx(ctx, func(ctx context.Context) error {
		has, err := r.db.Has.HasSecondFactor(ctx, user.ID)
		if err != nil {
			return err
		}
		if !has {
			return fault.New(fault.Conflict, "Set up an authenticator app or a passkey first.")
		}
		codes, err = r.replace(ctx, user)
		return err
	})
}

// replace makes new codes, in the transaction of ctx.
func (r *Recovery) replace(ctx context.Context, user account.User) ([]string, error) {
	codes, hashes := make([]string, recoveryCodes), make([]string, recoveryCodes)
	for i := range codes {
		codes[i] = grouped(letters.EncodeToString(id.Bytes(r.random, recoveryLen)))
		hashes[i] = hashOf(codes[i])
	}
	if err := r.db.Recovery.ReplaceRecoveryCodes(ctx, user.ID, hashes, r.now()); err != nil {
		return nil, err
	}
	return codes, r.record(ctx, user, audit.RecoveryCodesCreated, "")
}

// use takes a code of a user, in the transaction of ctx. One that is wrong or was used
// is Invalid.
func (r *Recovery) use(ctx context.Context, user account.User, code string) error {
	err := r.db.Recovery.UseRecoveryCode(ctx, user.ID, hashOf(code), r.now())
	if fault.Is(err, fault.NotFound) {
		return fault.InField("recovery_code", "This recovery code is wrong, or was used before. Each works once.")
	}
	if err != nil {
		return err
	}
	left, err := r.db.Recovery.CountRecoveryCodes(ctx, user.ID)
	if err != nil {
		return err
	}
	detail := fmt.Sprintf("%d are left.", left)
	if err := r.record(ctx, user, audit.RecoveryCodeUsed, detail); err != nil {
		return err
	}
	return r.tell(ctx, user, newsOfRecovery(detail))
}

func grouped(code string) string {
	var parts []string
	for len(code) > 4 {
		parts, code = append(parts, code[:4]), code[4:]
	}
	return strings.Join(append(parts, code), "-")
}

// hashOf is the hash of a code, however it was typed.
func hashOf(code string) string { return id.Hash("recovery:" + compact(code)) }

// compact is a code without what people put between its parts.
func compact(code string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(code))
}
