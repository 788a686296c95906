package ui

import (
	"strconv"
	"strings"
)

// Numbers says which numbered page of a list is shown.
type Numbers struct {
	// Base is the address without the page's number.
	Base        string
	Page, Pages int
}

func (p Numbers) URL(page int) string {
	between := "?"
	if strings.Contains(p.Base, "?") {
		between = "&"
	}
	return p.Base + between + "page=" + strconv.Itoa(page)
}
