package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/kong"

	"parley/fetch"
)

// WrongSetting is the error of an invalid setting. Its sentence names the setting and
// says what a valid value looks like. It never quotes the value, which may be
// secret.
type WrongSetting struct{ sentence string }

// Error returns the sentence.
func (e *WrongSetting) Error() string { return e.sentence }

// ReadOptions makes kong store in wrong the first setting that it cannot parse. Kong's
// own message would quote the text.
func ReadOptions(wrong **WrongSetting) []kong.Option {
	known := kong.NewRegistry().RegisterDefaults()
	note := func(value *kong.Value) {
		if *wrong == nil && len(value.Tag.Envs) > 0 {
			*wrong = &WrongSetting{value.Tag.Envs[0] + " must be " + wanted(value.Target.Type(), value.Tag.Get("range"))}
		}
	}
	number, duration, boolean := reflect.TypeFor[int](), reflect.TypeFor[time.Duration](), reflect.TypeFor[bool]()
	return []kong.Option{
		kong.TypeMapper(number, noting{known.ForType(number), note}),
		kong.TypeMapper(duration, noting{known.ForType(duration), note}),
		kong.TypeMapper(boolean, notingBool{noting{known.ForType(boolean), note}}),
	}
}

// noting is a kong mapper that reports values it cannot parse.
type noting struct {
	kong.Mapper
	note func(*kong.Value)
}

// Decode implements [kong.Mapper].
// zero means that the setting is not set.
func (n noting) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	err := n.Mapper.Decode(ctx, target)
	least, _, ranged := strings.Cut(ctx.Value.Tag.Get("range"), "-")
	if err == nil && ranged && target.IsZero() && bound(target.Type(), least) > 0 {
		err = errZero
	}
	if err != nil {
		n.note(ctx.Value)
	}
	return err
}

var errZero = errors.New("zero is outside the range")

type notingBool struct{ noting }

// IsBool lets a flag appear without a value.
func (notingBool) IsBool() bool { return true }

// wanted describes the values of a type, within a range such as "1-256".
func wanted(t reflect.Type, within string) string {
	least, most, _ := strings.Cut(within, "-")
	switch {
	case t == reflect.TypeFor[bool]():
		return "true or false"
	case t == reflect.TypeFor[time.Duration]():
		return "a time from " + least + " to " + most + ", such as 90s or 5m"
	case t.Kind() == reflect.Slice:
		return "numbers from " + least + " to " + most + ", separated by commas"
	}
	return "a number from " + least + " to " + most
}

// checkSettings refuses values outside the range of their field, and text that is
// not one line. Zero means that a setting is not set.
func checkSettings(v reflect.Value) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous {
			if err := checkSettings(v.Field(i)); err != nil {
				return err
			}
			continue
		}
		env, within := field.Tag.Get("env"), field.Tag.Get("range")
		if !isOneLine(v.Field(i)) {
			return fmt.Errorf("%s must be one line of text, without line breaks and other control characters", env)
		}
		if within != "" && !isWithin(v.Field(i), within) {
			return fmt.Errorf("%s must be %s", env, wanted(field.Type, within))
		}
	}
	return nil
}

func isOneLine(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return utf8.ValidString(v.String()) && !strings.ContainsFunc(v.String(), unicode.IsControl)
	case reflect.Slice:
		for i := range v.Len() {
			if !isOneLine(v.Index(i)) {
				return false
			}
		}
	}
	return true
}

func isWithin(v reflect.Value, within string) bool {
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			if v.Index(i).Int() == 0 || !isWithin(v.Index(i), within) {
				return false
			}
		}
		return true
	}
	least, most, _ := strings.Cut(within, "-")
	return v.Int() == 0 || v.Int() >= bound(v.Type(), least) && v.Int() <= bound(v.Type(), most)
}

// bound parses one end of a range. Ranges are part of the source code, so a wrong one
// panics.
func bound(t reflect.Type, text string) int64 {
	if t == reflect.TypeFor[time.Duration]() {
		d, err := time.ParseDuration(text)
		if err != nil {
			panic(err)
		}
		return int64(d)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// isWebURL reports whether a text is an http or https address with a host.
func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		(u.Port() == "" || isPort(u.Port())) && u.RawQuery == "" && u.Fragment == "" && !strings.Contains(u.Host, " ")
}

// isListenAddress reports whether a text is an address and port to listen on.
func isListenAddress(text string) bool {
	host, port, err := net.SplitHostPort(text)
	return err == nil && (isPort(port) || port == "0") && !strings.ContainsAny(host, " /@")
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}

func targets(setting string, texts []string) ([]fetch.Target, error) {
	var all []fetch.Target
	for _, text := range texts {
		target, err := fetch.ParseTarget(text)
		if err != nil {
			return nil, fmt.Errorf("%s must be hosts or networks with a port, such as wiki.internal:8080 or 10.0.0.0/8:443, separated by commas", setting)
		}
		all = append(all, target)
	}
	return all, nil
}

// isWebOrigin reports whether a URL consists of http or https, a host and perhaps a
// port.
func isWebOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.Trim(u.Path, "/") == "" && u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == ""
}
