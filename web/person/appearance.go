package person

import (
	"cmp"
	"slices"

	"github.com/gofiber/fiber/v2"

	"parley/core/account"
	"parley/core/tenant"
	views "parley/views/person"
	"parley/views/ui"
	"parley/web/page"
)

// system is what the form calls [account.System].
const system = "system"

// zones are what the form offers, from west to east: one or more for each offset
// at which many people live.
var zones = []string{
	"Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Vancouver", "America/Denver", "America/Phoenix",
	"America/Chicago", "America/Mexico_City", "America/New_York", "America/Toronto", "America/Bogota", "America/Lima",
	"America/Halifax", "America/Santiago", "America/St_Johns", "America/Sao_Paulo", "America/Argentina/Buenos_Aires", "Atlantic/Azores",
	"UTC", "Africa/Casablanca", "Africa/Lagos", "Europe/Dublin", "Europe/Lisbon", "Europe/London", "Europe/Amsterdam", "Europe/Berlin",
	"Europe/Brussels", "Europe/Copenhagen", "Europe/Madrid", "Europe/Oslo", "Europe/Paris", "Europe/Prague", "Europe/Rome", "Europe/Stockholm",
	"Europe/Vienna", "Europe/Warsaw", "Europe/Zurich", "Africa/Cairo", "Africa/Johannesburg", "Asia/Jerusalem", "Europe/Athens",
	"Europe/Bucharest", "Europe/Helsinki", "Europe/Kyiv", "Africa/Nairobi", "Asia/Riyadh", "Europe/Istanbul", "Europe/Moscow",
	"Asia/Tehran", "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Dhaka", "Asia/Bangkok", "Asia/Ho_Chi_Minh",
	"Asia/Jakarta", "Asia/Hong_Kong", "Asia/Manila", "Asia/Shanghai", "Asia/Singapore", "Asia/Taipei", "Australia/Perth", "Asia/Seoul",
	"Asia/Tokyo", "Australia/Adelaide", "Australia/Brisbane", "Australia/Sydney", "Pacific/Auckland",
}

// zoneOptions has the zone that is chosen, too.
func zoneOptions(chosen string) []ui.Option {
	options := []ui.Option{{Value: "", Text: "Browser time zone"}}
	if chosen != "" && !slices.Contains(zones, chosen) {
		options = append(options, ui.Option{Value: chosen, Text: chosen})
	}
	for _, zone := range zones {
		options = append(options, ui.Option{Value: zone, Text: zone})
	}
	return options
}

func (s profilePages) appearancePage(c *fiber.Ctx, person tenant.Person) error {
	chosen := person.User.Profile
	return s.showAppearance(c, person, fiber.StatusOK, page.Form{
		"appearance": cmp.Or(string(chosen.Appearance), system), "time_zone": chosen.TimeZone,
	}.View())
}

func (s profilePages) showAppearance(c *fiber.Ctx, person tenant.Person, status int, f ui.Form) error {
	l := s.PersonLayout(c, person, "Your account")
	return page.Render(c, status, views.AppearancePage(l, f, zoneOptions(person.User.TimeZone)))
}

// changeAppearance keeps the choice with the account, and in this browser for
// pages on which nobody is signed in.
func (s profilePages) changeAppearance(c *fiber.Ctx, person tenant.Person) error {
	typed, err := page.ReadForm(c, "appearance", "time_zone")
	if err != nil {
		return err
	}
	profile := person.User.Profile
	profile.Appearance, profile.TimeZone = account.Appearance(typed["appearance"]), typed["time_zone"]
	if typed["appearance"] == system {
		profile.Appearance = account.System
	}
	if err := s.Accounts.Profiles.Change(c.UserContext(), person.User.ID, profile); err != nil {
		return typed.Again(c, err, func(status int, f ui.Form) error { return s.showAppearance(c, person, status, f) })
	}
	s.SetTheme(c, string(profile.Appearance))
	return page.Done(c, "/account/appearance", "saved")
}
