package ui

import "parley/static"

// Static is the address of one of package static's files.
func Static(name string) string { return static.URL(name) }

// icon is the address of an icon.
func icon(name string) string { return static.URL("icons.svg") + "#" + name }
