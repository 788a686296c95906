package ui

import (
	"strconv"
	"strings"
)

// Pager says which page of a list is shown.
type Pager struct {
	// Base is the address without the page's number.
	Base        string
	Page, Pages int
}

func (p Pager) URL(page int) string {
	between := "?"
	if strings.Contains(p.Base, "?") {
		between = "&"
	}
	return p.Base + between + "page=" + strconv.Itoa(page)
}
