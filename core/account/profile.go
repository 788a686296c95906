package account

import (
	"context"
	"slices"
	"time"
	_ "time/tzdata" // the server may have no time zones of its own
	"unicode/utf8"

	"parley/core/fault"
	"parley/internal/plain"
)

// Profile is how a person wants to be called, and to see the dashboard.
type Profile struct {
	// Name is what colleagues read beside the e-mail address. It may be empty.
	Name string
	// TimeZone is the IANA name of a zone, such as Europe/Berlin. Empty is the
	// browser's own, and UTC where no browser knows.
	TimeZone   string
	Appearance Appearance
}

// Appearance is how light the dashboard is.
type Appearance string

// The appearances.
const (
	// System follows the device.
	System Appearance = ""
	Light  Appearance = "light"
	Dark   Appearance = "dark"
)

const (
	maxPersonName = 100
	maxTimeZone   = 64
)

// Location is the zone in which the person reads times.
func (p Profile) Location() *time.Location {
	if location, err := loadZone(p.TimeZone); err == nil {
		return location
	}
	return time.UTC
}

// loadZone refuses what is not the name of a zone: an empty one is UTC, and
// "Local" the server's own.
func loadZone(name string) (*time.Location, error) {
	if len(name) > maxTimeZone || name == "Local" {
		return nil, fault.InField("time_zone", "There is no time zone of this name. Choose one from the list.")
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, fault.InField("time_zone", "There is no time zone of this name. Choose one from the list.")
	}
	return location, nil
}

// Profiles changes how people are called and see the dashboard.
type Profiles struct{ db Database }

// Change replaces a person's profile. It is Invalid for a name that is too long
// or cannot be stored, and for a zone or an appearance that does not exist.
func (p *Profiles) Change(ctx context.Context, userID string, profile Profile) error {
	if !plain.Storable(profile.Name) {
		return fault.InField("name", "The name has characters that cannot be stored. Use plain text.")
	}
	profile.Name = plain.Title(profile.Name)
	switch {
	case utf8.RuneCountInString(profile.Name) > maxPersonName:
		return fault.InField("name", "The name is longer than %d characters. Shorten it.", maxPersonName)
	case !slices.Contains([]Appearance{System, Light, Dark}, profile.Appearance):
		return fault.InField("appearance", "Choose system, light or dark.")
	}
	if _, err := loadZone(profile.TimeZone); err != nil {
		return err
	}
	return p.db.Tx.InTx(ctx, func(ctx context.Context) error { return p.db.Users.SetProfile(ctx, userID, profile) })
}
