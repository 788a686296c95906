package config

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
)

// Setting is one field of the configuration.
type Setting struct {
	Flag, Env, Default, Help, Value string
}

// Settings returns the fields with their values, secrets masked.
func (c *Config) Settings() []Setting { return settingsIn(reflect.ValueOf(*c)) }

func settingsIn(v reflect.Value) []Setting {
	var all []Setting
	for i := range v.NumField() {
		if v.Type().Field(i).Anonymous {
			all = append(all, settingsIn(v.Field(i))...)
			continue
		}
		tag := v.Type().Field(i).Tag
		all = append(all, Setting{
			Flag: tag.Get("name"), Env: tag.Get("env"), Default: tag.Get("default"), Help: tag.Get("help"),
			Value: masked(tag.Get("secret"), show(v.Field(i).Interface(), tag.Get("default") != "")),
		})
	}
	return all
}

// show formats a value. Zero means not set, unless the setting has a default.
func show(value any, hasDefault bool) string {
	switch value := value.(type) {
	case []string:
		return strings.Join(value, ",")
	case []int:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(value), " ", ","), "[]")
	case int:
		if value == 0 && !hasDefault {
			return ""
		}
	}
	return fmt.Sprint(value)
}

const mask = "********"

func masked(kind, value string) string {
	switch {
	case value == "" || kind == "":
		return value
	case kind == "url":
		return maskedURL(value)
	}
	return mask
}

// maskedURL hides everything in a URL that may be secret. If the URL does not have
// the expected form, a password could be anywhere in it.
func maskedURL(value string) string {
	u, err := url.Parse(value)
	switch {
	case err != nil, strings.Contains(value, " "):
		return mask
	case u.Scheme == "sqlite":
		file, _, _ := strings.Cut(value, "?")
		return file
	case u.Host == "":
		return mask
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if _, has := u.User.Password(); !has {
		shown.User = u.User
		return shown.String()
	}
	shown.User = url.UserPassword(u.User.Username(), "MASK")
	return strings.Replace(shown.String(), ":MASK@", ":"+mask+"@", 1)
}
