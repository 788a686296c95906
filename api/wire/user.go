package wire

import "parley/core/account"

// User is a user. Password is there only in the answer that generates it.
type User struct {
	ID        string `json:"id"`
	Email     string `json:"email"`
	Password  string `json:"password,omitzero"`
	Confirmed bool   `json:"email_confirmed"`
	CreatedAt string `json:"created_at"`
}

// UserToWire returns a user without a password.
func UserToWire(u account.User) User {
	return User{ID: u.ID, Email: u.Email, Confirmed: u.EmailConfirmed(), CreatedAt: timestamp(u.CreatedAt)}
}

// NewPasswordToWire returns a user with a password that was just generated.
func NewPasswordToWire(u account.User, password string) User {
	made := UserToWire(u)
	made.Password = password
	return made
}
